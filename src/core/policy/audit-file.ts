import { assert, canonicalJson, err, LIMITS, ok, parseStrictJson, type Instant, type Result } from "#base";
import {
  keyIdSchema,
  publicKeySchema,
  renderHeadBody,
  type AuditBreak,
  type AuditHead,
  type AuditHeadKey,
  type AuditRow,
  type SignedHead,
} from "#model";
import { isIdOf, judgeSignedHead, NO_SIGNATURE_HOLDS, type CheckSignature, type HeadSigner } from "./audit-head.ts";
import { AUDIT_GENESIS, judgeRow, parseRow, type HashText } from "./chain.ts";

/**
 * A chain as JSON lines that need nothing else to be checked: a header with the hash before the first entry, the owner's
 * public keys, one line per entry, one behind each entry whose head was signed, and a trailer with the head.
 */
const HEADER = {
  format: "silas-audit",
  version: 2,
  genesis: AUDIT_GENESIS.hash,
  about:
    "One entry per line. hash is hex(sha256(canonical JSON (RFC 8785) of entry)); prev_hash is the hash of the entry " +
    "before, or genesis. A head is signed with Ed25519 over the line silas-audit-head-v1 and the canonical JSON of head, " +
    "by the key of that id at the top of this file; whose keys these are the file cannot prove. The last line has the " +
    "number of entries and the hash of the last one.",
} as const;
const END = "silas-audit-end";

export const renderAuditHeader = (): string => render(HEADER);

/** Nothing that no digest covers: until when a key counted is said by the entries. */
export const renderAuditKey = ({ keyId, publicKey }: Pick<AuditHeadKey, "keyId" | "publicKey">): string =>
  render({ key: { key_id: keyId, public_key: publicKey } });

/** The stored text is canonical JSON, so a line built around it is too. */
export const renderAuditLine = ({ text, hash }: AuditRow): string => `{"entry":${text},"hash":"${hash}"}`;

export const renderSignedHead = ({ signature, ...head }: SignedHead): string =>
  `{"head":${renderHeadBody(head)},"signature":${JSON.stringify(signature)}}`;

export const renderAuditTrailer = ({ seq, hash }: AuditHead): string =>
  render({ format: END, entries: seq, head: hash });

/** A checkpoint whose signed head has to be the next line. */
type Expected = Omit<SignedHead, "signature">;

/** How far a file was read; `end` once its trailer was. */
type AuditFileState = {
  readonly line: number;
  readonly head: AuditHead;
  readonly end: "expected" | "reached";
  readonly keys: readonly HeadSigner[];
  readonly expected: Expected | null;
  readonly headsChecked: number;
  readonly headsSigned: number;
  readonly lastSignedAt: Instant | null;
};

export const auditFileStart: AuditFileState = {
  line: 0,
  head: AUDIT_GENESIS,
  end: "expected",
  keys: [],
  expected: null,
  headsChecked: 0,
  headsSigned: 0,
  lastSignedAt: null,
};

type ReadLine = {
  readonly text: string;
  readonly hash: HashText;
  /** Without it no signature holds. */
  readonly check?: CheckSignature;
};
type Members = ReadonlyMap<string, unknown>;

/** The state after one more line, or the first thing that is wrong with it. */
export function readAuditLine(before: AuditFileState, read: ReadLine): Result<AuditFileState, AuditBreak> {
  const { text } = read;
  const state = { ...before, line: before.line + 1 };
  const { line } = state;
  if (state.end === "reached") return unreadable(line, "line_after_trailer");
  if (line === 1) return text === render(HEADER) ? ok(state) : unreadable(line, "not_a_silas_audit_file");
  if (text.length > LIMITS.importLineBytes) return unreadable(line, "line_too_long");
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return unreadable(line, parsed.error.code);
  // A second spelling of the same values would be a change that no hash sees.
  if (render(parsed.value) !== text) return unreadable(line, "not_canonical");
  const members = membersOf(parsed.value);
  if (members.has("head") && members.has("signature")) return readHead(state, { members, ...read });
  if (state.expected !== null) return err({ code: "head_signature_missing", seq: state.head.seq });
  if (members.get("format") === END) return readTrailer(state, text);
  if (members.has("key")) return readKey(state, text, membersOf(members.get("key")));
  return readEntry(state, { members, ...read });
}

/** Whether the file ended where it should; a file without its trailer was cut. */
export function endAuditFile({ head, end }: AuditFileState): Result<AuditHead, AuditBreak> {
  return end === "reached" ? ok(head) : err({ code: "entries_cut", seq: head.seq + 1 });
}

function readTrailer(state: AuditFileState, text: string): Result<AuditFileState, AuditBreak> {
  if (text === renderAuditTrailer(state.head)) return ok({ ...state, end: "reached" });
  return err({ code: "entries_cut", seq: state.head.seq + 1 });
}

/** Keys stand before the first entry, so that nothing put in later vouches for what came before it. */
function readKey(state: AuditFileState, text: string, members: Members): Result<AuditFileState, AuditBreak> {
  const [keyId, publicKey] = [
    keyIdSchema.safeParse(members.get("key_id")),
    publicKeySchema.safeParse(members.get("public_key")),
  ];
  if (!keyId.success || !publicKey.success) return unreadable(state.line, "not_a_key");
  const key: HeadSigner = { keyId: keyId.data, publicKey: publicKey.data, revokedAt: null };
  const isWhole = isIdOf(key.keyId, key.publicKey) && renderAuditKey(key) === text;
  if (state.head.seq > 0 || !isWhole) return unreadable(state.line, "not_a_key");
  return ok({ ...state, keys: [...state.keys, key] });
}

type Line = ReadLine & { readonly members: Members };

function readEntry(state: AuditFileState, { members, hash }: Line): Result<AuditFileState, AuditBreak> {
  const row = rowOf(members);
  if (row === null) return unreadable(state.line, "not_an_entry");
  const judged = judgeRow({ head: state.head, row, hash });
  if (!judged.ok) return judged;
  const next = { ...state, head: judged.value };
  const { event } = members.get("entry") as { readonly event?: unknown };
  if (event !== "audit_checkpoint" && event !== "key_revoked") return ok(next);
  const entry = parseRow(row);
  if (!entry.ok) return ok(next);
  const { checkpoint_id: checkpointId, key_id: keyId } = entry.value.data;
  if (event === "key_revoked") return ok({ ...next, keys: state.keys.filter((key) => key.keyId !== keyId) });
  const headsChecked = state.headsChecked + 1;
  if (typeof keyId !== "string" || typeof checkpointId !== "string") return ok({ ...next, headsChecked });
  const expected = { ...judged.value, at: entry.value.at, checkpointId, keyId: keyId as Expected["keyId"] };
  return ok({ ...next, headsChecked, expected });
}

function readHead(
  state: AuditFileState,
  { members, text, check = NO_SIGNATURE_HOLDS }: Line,
): Result<AuditFileState, AuditBreak> {
  const signature = members.get("signature");
  const { expected, keys, head } = state;
  if (expected === null || typeof signature !== "string") return unreadable(state.line, "not_a_head");
  const signed = { ...expected, signature };
  if (renderSignedHead(signed) !== text) return err({ code: "head_differs", seq: head.seq });
  const broken = judgeSignedHead(signed, { keys, check });
  if (broken !== null) return err(broken);
  return ok({ ...state, expected: null, headsSigned: state.headsSigned + 1, lastSignedAt: expected.at });
}

function rowOf(members: Members): AuditRow | null {
  const [entry, hash] = [members.get("entry"), members.get("hash")];
  if (members.size !== 2 || typeof hash !== "string" || typeof entry !== "object" || entry === null) return null;
  const { seq } = entry as { readonly seq?: unknown };
  return typeof seq === "number" ? { seq, text: render(entry), hash } : null;
}

const membersOf = (value: unknown): Members =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);

const unreadable = (line: number, reason: string) => err({ code: "file_unreadable", line, reason } as const);

function render(value: unknown): string {
  const text = canonicalJson(value);
  assert(text.ok, "what was parsed strictly has a canonical form");
  return text.value;
}
