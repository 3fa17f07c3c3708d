import { assert, canonicalJson, err, LIMITS, ok, parseStrictJson, type Result } from "#base";
import type { AuditBreak, AuditHead, AuditRow } from "#model";
import { AUDIT_GENESIS, judgeRow, type HashText } from "./chain.ts";

/**
 * A chain as JSON lines that need nothing else to be checked: a header with the hash before the first entry, one line
 * per entry, and a trailer with the head.
 */
const HEADER = {
  format: "silas-audit",
  version: 1,
  genesis: AUDIT_GENESIS.hash,
  about:
    "One entry per line. hash is hex(sha256(canonical JSON (RFC 8785) of entry)); prev_hash is the hash of the entry " +
    "before, or genesis. The last line has the number of entries and the hash of the last one.",
} as const;
const END = "silas-audit-end";

export const renderAuditHeader = (): string => render(HEADER);

/** The stored text is canonical JSON, so a line built around it is too. */
export const renderAuditLine = ({ text, hash }: AuditRow): string => `{"entry":${text},"hash":"${hash}"}`;

export const renderAuditTrailer = ({ seq, hash }: AuditHead): string =>
  render({ format: END, entries: seq, head: hash });

/** How far a file was read; `end` once its trailer was. */
export type AuditFileState = {
  readonly line: number;
  readonly head: AuditHead;
  readonly end: "expected" | "reached";
};

export const auditFileStart: AuditFileState = { line: 0, head: AUDIT_GENESIS, end: "expected" };

/** The state after one more line, or the first thing that is wrong with it. */
export function readAuditLine(
  state: AuditFileState,
  { text, hash }: { readonly text: string; readonly hash: HashText },
): Result<AuditFileState, AuditBreak> {
  const line = state.line + 1;
  if (state.end === "reached") return unreadable(line, "line_after_trailer");
  if (line === 1) return text === render(HEADER) ? ok({ ...state, line }) : unreadable(line, "not_a_silas_audit_file");
  if (text.length > LIMITS.importLineBytes) return unreadable(line, "line_too_long");
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return unreadable(line, parsed.error.code);
  // A second spelling of the same values would be a change that no hash sees.
  if (render(parsed.value) !== text) return unreadable(line, "not_canonical");
  const members = new Map<string, unknown>(Object.entries(parsed.value ?? {}));
  if (members.get("format") === END) return readTrailer({ ...state, line }, text);
  const row = rowOf(members);
  if (row === null) return unreadable(line, "not_an_entry");
  const judged = judgeRow({ head: state.head, row, hash });
  return judged.ok ? ok({ line, head: judged.value, end: "expected" }) : judged;
}

/** Whether the file ended where it should; a file without its trailer was cut. */
export function endAuditFile({ head, end }: AuditFileState): Result<AuditHead, AuditBreak> {
  return end === "reached" ? ok(head) : err({ code: "entries_cut", seq: head.seq + 1 });
}

function readTrailer(state: AuditFileState, text: string): Result<AuditFileState, AuditBreak> {
  if (text === renderAuditTrailer(state.head)) return ok({ ...state, end: "reached" });
  return err({ code: "entries_cut", seq: state.head.seq + 1 });
}

function rowOf(members: ReadonlyMap<string, unknown>): AuditRow | null {
  const [entry, hash] = [members.get("entry"), members.get("hash")];
  if (members.size !== 2 || typeof hash !== "string" || typeof entry !== "object" || entry === null) return null;
  const { seq } = entry as { readonly seq?: unknown };
  return typeof seq === "number" ? { seq, text: render(entry), hash } : null;
}

const unreadable = (line: number, reason: string) => err({ code: "file_unreadable", line, reason } as const);

function render(value: unknown): string {
  const text = canonicalJson(value);
  assert(text.ok, "what was parsed strictly has a canonical form");
  return text.value;
}
