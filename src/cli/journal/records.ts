import type { JournalOutcome, JournalRecord, RecordId, RecordKind, RecordOf } from "#model";
import { resolveId, type Candidate } from "./ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import type { Terminal } from "../terminal/terminal.ts";

const PAGE_ROWS = 500;
const EVER = { from: "0000-01-01T00:00:00.000Z", to: "9999-12-31T23:59:59.999Z" } as const;

/** The task a person means, searched in every view: open ones first, then concluded and archived ones. */
export async function resolveTask(client: JournalClient, fragment: string): Promise<RecordId> {
  return resolveId(fragment, { noun: "task", list: "silas tasks list", candidates: everyTask(client) });
}

export async function resolveEntry(client: JournalClient, fragment: string): Promise<RecordId> {
  return resolveId(fragment, { noun: "note", list: "silas journal list", candidates: everyNote(client) });
}

export async function resolveTimeEntry(client: JournalClient, fragment: string): Promise<RecordId> {
  return resolveId(fragment, { noun: "time entry", list: "silas time list", candidates: everyTimeEntry(client) });
}

/** A category by its name, ignoring case, or by its id. */
export async function resolveCategory(client: JournalClient, text: string): Promise<RecordId> {
  return resolveNamed(text, {
    noun: "category",
    list: "silas categories list",
    records: await client.ask({ kind: "categories" }),
  });
}

export async function resolveLabel(client: JournalClient, text: string): Promise<RecordId> {
  return resolveNamed(text, {
    noun: "label",
    list: "silas tasks labels list",
    records: await client.ask({ kind: "labels" }),
  });
}

/** The changed record of one kind in an outcome: first the one the command was about. */
export function changed<K extends RecordKind>(outcome: JournalOutcome, kind: K): OfKind<K> | undefined {
  const records = outcome.records.filter((record): record is OfKind<K> => record.kind === kind);
  return records.find((record) => record.id === outcome.subjectId) ?? records[0];
}
type OfKind<K extends RecordKind> = Extract<JournalRecord, { readonly kind: K }>;

/** What every write prints: the sentence for people, or the outcome for scripts. */
export function printOutcome(
  terminal: Terminal,
  done: { readonly outcome: JournalOutcome; readonly json: boolean | undefined; readonly sentence: string },
): void {
  if (done.json) return terminal.json(done.outcome);
  terminal.line(done.sentence);
}

async function* everyTask(client: JournalClient): AsyncGenerator<Candidate> {
  for (const view of ["open", "done", "archived"] as const) {
    let cursor: string | undefined;
    do {
      const page: Awaited<ReturnType<typeof askPage>> = await askPage(client, { view, cursor });
      for (const { task } of page.rows) yield { id: task.id, title: task.body.title };
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
}

const askPage = (
  client: JournalClient,
  page: { readonly view: "open" | "done" | "archived"; readonly cursor: string | undefined },
) =>
  client.ask({
    kind: "tasks",
    view: page.view,
    today: client.here.today,
    limit: PAGE_ROWS,
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
  });

async function* everyNote(client: JournalClient): AsyncGenerator<Candidate> {
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<typeof askTimeline>> = await askTimeline(client, cursor);
    for (const row of page.rows) if (row.kind === "entry") yield { id: row.id, title: row.body.text };
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const askTimeline = (client: JournalClient, cursor: string | undefined) =>
  client.ask({ kind: "timeline", ...EVER, limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) });

async function* everyTimeEntry(client: JournalClient): AsyncGenerator<Candidate> {
  const entries = await client.ask({ kind: "time", ...EVER });
  for (const entry of entries) yield { id: entry.id, title: entry.body.description };
}

function resolveNamed(
  text: string,
  from: { readonly noun: string; readonly list: string; readonly records: readonly RecordOf<"category" | "label">[] },
): Promise<RecordId> {
  const wanted = text.normalize("NFC").toLowerCase();
  const byName = from.records.find((record) => record.body.name.normalize("NFC").toLowerCase() === wanted);
  if (byName !== undefined) return Promise.resolve(byName.id);
  const candidates = from.records.map((record) => ({ id: record.id, title: record.body.name }));
  return resolveId(text, { noun: from.noun, list: from.list, candidates: fromArray(candidates) });
}

async function* fromArray<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
