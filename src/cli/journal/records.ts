import type { JournalOutcome, JournalRecord, RecordId, RecordKind, RecordOf } from "#model";
import { resolveAmong, resolveId, type Naming } from "./ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The task a person means by a part of its id, wherever it lies. */
export const resolveTask = (client: JournalClient, fragment: string): Promise<RecordId> =>
  resolveStored(client, { fragment, kind: "task", noun: "task", list: "silas tasks list" });

export const resolveEntry = (client: JournalClient, fragment: string): Promise<RecordId> =>
  resolveStored(client, { fragment, kind: "entry", noun: "note", list: "silas journal list" });

export const resolveTimeEntry = (client: JournalClient, fragment: string): Promise<RecordId> =>
  resolveStored(client, { fragment, kind: "timeEntry", noun: "time entry", list: "silas time list" });

const NONE = "none";

/** For fields that can be emptied: `none` means no task. */
export const resolveTaskOrNone = async (client: JournalClient, text: string): Promise<RecordId | null> =>
  text === NONE ? null : resolveTask(client, text);

/** For fields that can be emptied: `none` means no category. */
export const resolveCategoryOrNone = async (client: JournalClient, text: string): Promise<RecordId | null> =>
  text === NONE ? null : resolveCategory(client, text);

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

type Wanted = Naming & { readonly fragment: string; readonly kind: RecordKind };

function resolveStored(client: JournalClient, { fragment, kind, ...naming }: Wanted): Promise<RecordId> {
  return resolveId(fragment, { ...naming, find: (idPart) => client.ask({ kind: "find", idPart, kinds: [kind] }) });
}

function resolveNamed(
  text: string,
  from: Naming & { readonly records: readonly RecordOf<"category" | "label">[] },
): Promise<RecordId> {
  const wanted = text.normalize("NFC").toLowerCase();
  const byName = from.records.find((record) => record.body.name.normalize("NFC").toLowerCase() === wanted);
  if (byName !== undefined) return Promise.resolve(byName.id);
  const candidates = from.records.map((record) => ({ id: record.id, title: record.body.name }));
  return resolveAmong(text, { noun: from.noun, list: from.list, candidates });
}
