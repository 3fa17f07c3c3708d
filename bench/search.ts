import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JournalStore } from "../src/shell/ports.ts";
import { makeJournal, openJournalAt, WORDS } from "./journals.ts";
import { quantile, type Line } from "./measure.ts";
import { whenMeasured } from "./places.ts";

const RECORDS = 100_000;
const QUERIES = 60;
/** The plain statement ranks every match; a common word takes it so long that fewer tries must do. */
const PLAIN_QUERIES = 5;

/** What people type, with the plain full-text expression for the same wish. */
const CASES: readonly { readonly name: string; readonly text: (n: number) => string; readonly plain: string }[] = [
  { name: "a rare word", text: () => WORDS.rare, plain: `"${WORDS.rare}"` },
  { name: "a word in every record", text: () => WORDS.common, plain: `"${WORDS.common}"` },
  { name: "two words", text: () => `${WORDS.some} ${WORDS.common}`, plain: `"${WORDS.some}" "${WORDS.common}"` },
  { name: "the beginning of a word", text: (n) => WORDS.some.slice(0, 1 + (n % 4)), plain: `"in"*` },
  { name: "full-text syntax", text: () => `"ana" OR NEAR(roof* -${WORDS.common}) ^(`, plain: `"ana" "roof"` },
];

/**
 * Search at 100,000 records of mixed kinds, against one FTS5 statement ranked by bm25 on the same file. CPU time, which
 * is the time a person waits on a machine with nothing else to do: a query runs on one thread and waits for nothing.
 */
export async function lines(): Promise<readonly Line[]> {
  const dir = await makeJournal(RECORDS);
  const { journal, close } = await openJournalAt(dir);
  const plain = new DatabaseSync(join(dir, "db.sqlite"), { readOnly: true });
  whenMeasured(close);
  whenMeasured(() => plain.close());
  const statement = plain.prepare("SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank LIMIT 50");
  return CASES.flatMap((each) =>
    [0.5, 0.99].map((share) => ({
      what: `search ${RECORDS / 1000}k, ${each.name}, p${share * 100}`,
      unit: "cpu ms",
      product: async () => quantile(await times(journal, each.text), share),
      limit: () =>
        quantile(
          plainTimes(() => statement.all(each.plain)),
          share,
        ),
      peer: null,
      goals: [{ against: "figure", atMost: 50 }],
    })),
  );
}

async function times(journal: JournalStore, text: (n: number) => string): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let n = 0; n < QUERIES; n += 1) {
    const used = process.cpuUsage();
    const answer = await journal.answer({ kind: "search", text: text(n) });
    taken.push(cpuMsSince(used));
    if (!answer.ok) throw new Error(`search answered ${answer.error.code}`);
  }
  return taken;
}

function plainTimes(work: () => unknown): readonly number[] {
  return Array.from({ length: PLAIN_QUERIES }, () => {
    const used = process.cpuUsage();
    work();
    return cpuMsSince(used);
  });
}

function cpuMsSince(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1000;
}
