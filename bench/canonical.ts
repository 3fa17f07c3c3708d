import { canonicalJson, parseStrictJson } from "../src/core/base/index.ts";
import { cpuMicrosPerOperation, type Contender, type Goal, type Line } from "./measure.ts";
import { importPeer } from "./peers.ts";

type Writer = (value: unknown) => string;

const GOALS: readonly Goal[] = [
  { against: "peer", compare: "speed_at_least", factor: 3 },
  { against: "limit", compare: "speed_at_least", factor: 0.55 },
];
const RECORDS = 200;
const REPEATS = 100;

/** Canonical JSON against JSON.stringify (limit: it does not sort or refuse) and the package `canonicalize` (peer). */
export async function lines(): Promise<readonly Line[]> {
  const peer = await importPeer<{ readonly default: Writer }>("canonicalize");
  const line = (what: string, values: readonly unknown[]): Line => {
    for (const record of values) {
      if (write(record) !== peer.default(record)) throw new Error(`${what}: product and peer disagree`);
    }
    return {
      what,
      unit: "cpu us/record",
      product: writing(write, values),
      limit: writing(JSON.stringify, values),
      peer: writing(peer.default, values),
      goals: GOALS,
    };
  };
  const ascii = records("Call Ana about the invoice and the roof");
  const other = records("Ana anrufen: Größe prüfen, café, 東京 🚀 heute");
  return [
    line("canonical, ASCII records", ascii),
    line("canonical, non-ASCII records", other),
    line(
      "canonical, records read from JSON",
      other.map((record) => JSON.parse(JSON.stringify(record)) as unknown),
    ),
    reading("strict reading, ASCII records", ascii),
    reading("strict reading, non-ASCII records", other),
  ];
}

function write(value: unknown): string {
  const result = canonicalJson(value);
  if (!result.ok) throw new Error(`refused: ${result.error.code}`);
  return result.value;
}

function writing(writer: Writer, values: readonly unknown[]): Contender {
  let sum = 0;
  return () =>
    cpuMicrosPerOperation(RECORDS * REPEATS, () => {
      for (let repeat = 0; repeat < REPEATS; repeat += 1) {
        for (const value of values) {
          const text = writer(value);
          // Reading one character makes the engine join a text it only noted as parts, so that nobody saves that work.
          sum += text.charCodeAt(text.length >> 1);
        }
      }
      if (Number.isNaN(sum)) throw new Error("a writer wrote nothing");
    });
}

function reading(what: string, values: readonly unknown[]): Line {
  const texts = values.map((value) => JSON.stringify(value));
  const reader = (read: (text: string) => unknown): Contender => {
    return () =>
      cpuMicrosPerOperation(RECORDS * REPEATS, () => {
        for (let repeat = 0; repeat < REPEATS; repeat += 1) for (const text of texts) read(text);
      });
  };
  return {
    what,
    unit: "cpu us/record",
    product: reader(parseStrictJson),
    limit: reader(JSON.parse),
    peer: null,
    goals: [],
  };
}

/** Task records as they are signed and stored: about fifty keys on three levels, some strings that need escapes. */
function records(text: string): readonly unknown[] {
  return Array.from({ length: RECORDS }, (_, index) => ({
    id: `0192f0c1-7a3b-7c11-9e55-${String(index).padStart(12, "0")}`,
    type: "task",
    title: `${text} ${index}`,
    status: "open",
    priority: index % 5,
    dueAt: "2026-11-15T19:48:09.123Z",
    createdAt: "2026-11-15T19:48:09.123Z",
    updatedAt: "2026-11-15T19:48:09.123Z",
    labels: ["home", "work", text.slice(0, 6)],
    estimateMinutes: 30,
    language: "en",
    isArchived: false,
    parentId: null,
    notes: `${text}. ${text}. ${text}.`,
    category: { id: `category-${index % 9}`, name: "Errands", color: "#aabbcc", order: "a0V" },
    provenance: { hostId: "host-a", counter: 1000 + index, at: "2026-11-15T19:48:09.123Z" },
    checklist: [
      { id: "i1", text, isDone: true, order: "a" },
      { id: "i2", text: "Second item", isDone: false, order: "a1" },
      { id: "i3", text: 'Third "quoted" item', isDone: false, order: "a2" },
    ],
    budget: { tokens: 12_000, wallSeconds: 90.5, cost: 0.0125 },
    links: [{ kind: "follows", to: "0192f0c1-7a3b-7c11-9e55-000000000001" }],
    version: 3,
  }));
}
