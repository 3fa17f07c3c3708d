import { err, LIMITS, ok, type Result } from "#base";
import {
  checkSeal,
  decideImport,
  emptySeal,
  parseExportHeader,
  parseExportLine,
  renderExportHeader,
  renderExportLine,
  renderExportTrailer,
  sealLine,
  type ExportSeal,
  type LineError,
} from "#journal";
import type { ImportReport, JournalRecord, RecordId, StoreFault } from "#model";
import type { ImportRefusal, JournalStore } from "#ports";

/** The journal as lines: header, records ordered by id, and the trailer that seals them. */
export async function* exportJournal(store: JournalStore): AsyncGenerator<string> {
  let seal = emptySeal;
  const header = renderExportHeader();
  seal = sealLine(seal, header);
  yield header;
  for await (const record of store.exportRecords()) {
    const line = renderExportLine(record);
    seal = sealLine(seal, line);
    yield line;
  }
  yield renderExportTrailer(seal);
}

export type ReadImport = readonly { readonly line: number; readonly record: JournalRecord }[];

/** Reads and checks every line up to the seal before a single one may count. The first bad line refuses them all. */
export async function readImport(lines: AsyncIterable<string>): Promise<Result<ReadImport, ImportRefusal>> {
  const state: Reading = { records: [], seal: emptySeal, lines: 0, isSealed: false };
  for await (const text of lines) {
    state.lines += 1;
    const read = readLine(state, text);
    if (!read.ok) return refuse(state.lines, read.error.reason);
  }
  return state.isSealed ? ok(state.records) : refuse(state.lines + 1, "missing_trailer");
}

type Reading = {
  readonly records: { readonly line: number; readonly record: JournalRecord }[];
  seal: ExportSeal;
  lines: number;
  isSealed: boolean;
};

function readLine(state: Reading, text: string): Result<void, LineError> {
  if (state.isSealed) return err({ code: "invalid_line", reason: "line_after_trailer" });
  if (state.lines === 1) {
    state.seal = sealLine(state.seal, text);
    return parseExportHeader(text);
  }
  const parsed = parseExportLine(text);
  if (!parsed.ok) return parsed;
  if (parsed.value.kind === "trailer") {
    state.isSealed = true;
    return checkSeal(state.seal, parsed.value.seal);
  }
  const { record } = parsed.value;
  if (state.records.length >= LIMITS.importRecords) return err({ code: "invalid_line", reason: "too_many_records" });
  // The order by id is part of the format, and makes a repeated record visible at once.
  const previous = state.records.at(-1)?.record.id ?? "";
  if (previous >= record.id) return err({ code: "invalid_line", reason: "not_in_order" });
  state.seal = sealLine(state.seal, text);
  state.records.push({ line: state.lines, record });
  return ok();
}

type DecidedImport = {
  readonly report: ImportReport;
  /** What is to be written, with what stands there now. */
  readonly changes: readonly { readonly record: JournalRecord; readonly before: JournalRecord | null }[];
};

const READ_AT_ONCE = 500;

/** Decides each record against the one that is here. The caller keeps other writes out until the result is written. */
export async function decideImports(
  store: JournalStore,
  read: ReadImport,
): Promise<Result<DecidedImport, ImportRefusal | StoreFault>> {
  const ownCounter = await lastOwnCounter(store);
  const changes: { record: JournalRecord; before: JournalRecord | null }[] = [];
  const conflicts: RecordId[] = [];
  const counts = { add: 0, replace: 0, unchanged: 0, conflict: 0 };
  for (let from = 0; from < read.length; from += READ_AT_ONCE) {
    const part = read.slice(from, from + READ_AT_ONCE);
    const facts = await store.read([{ kind: "ids", ids: part.map(({ record }) => record.id) }]);
    if (!facts.ok) return facts;
    for (const { line, record } of part) {
      const before = facts.value.records.get(record.id) ?? null;
      const decided = decideImport({ existing: before, incoming: record, hostId: store.hostId, ownCounter });
      if (!decided.ok) return refuse(line, `${decided.error.code} ${decided.error.detail}`.trim());
      counts[decided.value.verdict] += 1;
      if (decided.value.verdict === "conflict") conflicts.push(record.id);
      if ("record" in decided.value) changes.push({ record: decided.value.record, before });
    }
  }
  const report = { added: counts.add, replaced: counts.replace, unchanged: counts.unchanged, conflicts };
  return ok({ report, changes });
}

/**
 * The last counter this host gave out. Records are never removed, and a version of another host carries in its clock
 * the one of ours it replaced, so the greatest entry of all clocks is exactly that counter.
 */
async function lastOwnCounter(store: JournalStore): Promise<number> {
  let last = 0;
  for await (const record of store.exportRecords()) {
    last = Math.max(last, record.vectorClock[store.hostId] ?? 0);
  }
  return last;
}

const refuse = (line: number, reason: string) => err({ code: "invalid_line", line, reason } as const);
