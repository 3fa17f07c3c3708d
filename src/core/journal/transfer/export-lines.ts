import { assert, canonicalJson, err, LIMITS, ok, parseStrictJson, sha256Hex, type Result, type Sha256Hex } from "#base";
import { journalRecordSchema, type JournalRecord } from "#model";
import { isSameValue } from "../same-value.ts";

/**
 * A journal as JSON lines: a header, one record per line ordered by id, and a trailer. All lines are canonical JSON
 * and none holds a time of export or a device, so exporting, importing into an empty journal and exporting again gives
 * the same bytes.
 */
const HEADER = {
  format: "silas-journal",
  version: 1,
  about:
    "One record per line, ordered by id, canonical JSON. The last line has the number of records and a chain of " +
    "SHA-256 over all lines before it: hex(sha256(previous chain + line feed + line)), from the empty text.",
} as const;
const END = "silas-journal-end";

export type LineError = { readonly code: "invalid_line"; readonly reason: string };

/** What the lines so far amount to; the trailer is checked against it. */
export type ExportSeal = { readonly records: number; readonly chain: Sha256Hex | "" };

export const emptySeal: ExportSeal = { records: 0, chain: "" };

/** The seal after one more line: the header first, then each record. */
export function sealLine({ records, chain }: ExportSeal, line: string): ExportSeal {
  return { records: chain === "" ? 0 : records + 1, chain: sha256Hex(`${chain}\n${line}`) };
}

export function renderExportHeader(): string {
  return render(HEADER);
}

/** A record without its revision, which counts versions on one device only. */
export function renderExportLine(record: JournalRecord): string {
  const { revision: _, ...portable } = record;
  return render(portable);
}

export function renderExportTrailer({ records, chain }: ExportSeal): string {
  return render({ format: END, records, chain });
}

export function parseExportHeader(line: string): Result<void, LineError> {
  const header = parseObject(line);
  if (!header.ok) return header;
  if (header.value.get("format") !== HEADER.format) return refuse("not_a_silas_journal");
  return header.value.get("version") === HEADER.version ? ok() : refuse("unknown_version");
}

/** A record as written, or the trailer that ends the file. */
type ExportLine =
  | { readonly kind: "record"; readonly record: JournalRecord }
  | { readonly kind: "trailer"; readonly seal: ExportSeal };

export function parseExportLine(line: string): Result<ExportLine, LineError> {
  const members = parseObject(line);
  if (!members.ok) return members;
  if (members.value.get("format") === END) return parseTrailer(members.value);
  if (members.value.has("revision")) return refuse("unexpected_revision");
  const record = journalRecordSchema.safeParse({ ...Object.fromEntries(members.value), revision: 1 });
  if (record.success) return ok({ kind: "record", record: record.data });
  return refuse(`invalid_field ${record.error.issues[0]?.path.join(".") ?? ""}`.trim());
}

/** Whether the trailer says what was read; if not, lines are missing, repeated or changed. */
export function checkSeal(read: ExportSeal, trailer: ExportSeal): Result<void, LineError> {
  if (trailer.records !== read.records) return refuse("record_count_differs");
  return isSameValue(read, trailer) ? ok() : refuse("content_differs");
}

function parseTrailer(members: ReadonlyMap<string, unknown>): Result<ExportLine, LineError> {
  const [records, chain] = [members.get("records"), members.get("chain")];
  const isChain = typeof chain === "string" && /^[0-9a-f]{64}$/.test(chain);
  if (typeof records !== "number" || !isChain || members.size !== 3) return refuse("invalid_trailer");
  return ok({ kind: "trailer", seal: { records, chain: chain as Sha256Hex } });
}

function parseObject(line: string): Result<ReadonlyMap<string, unknown>, LineError> {
  // Characters are at most as many as bytes, so a longer text is longer in bytes too.
  if (line.length > LIMITS.importLineBytes) return refuse("line_too_long");
  const parsed = parseStrictJson(line);
  if (!parsed.ok) return refuse(`${parsed.error.code} at column ${parsed.error.column}`);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse("not_an_object");
  return ok(new Map(Object.entries(value)));
}

function render(value: object): string {
  const text = canonicalJson(value);
  assert(text.ok, "a stored record has a canonical form");
  return text.value;
}

const refuse = (reason: string) => err({ code: "invalid_line", reason } as const);
