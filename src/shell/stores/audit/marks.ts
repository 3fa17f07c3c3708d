import { err, ok, type Instant, type Result } from "#base";
import type { AuditBreak, AuditCheckpoint, AuditHeadKey, AuditRow, AuditRules, KeptHead, KeyId } from "#model";
import type { ChainSource } from "./verify.ts";

/** What was noted of one entry: by a checkpoint in the database, and by heads beside it. */
type Marks = { checkpoint: AuditCheckpoint | null; readonly heads: KeptHead[] };

export function marksBySeq(checkpoints: readonly AuditCheckpoint[], heads: readonly KeptHead[]): Map<number, Marks> {
  const marks = new Map<number, Marks>();
  const at = (seq: number): Marks => {
    const found = marks.get(seq) ?? { checkpoint: null, heads: [] };
    marks.set(seq, found);
    return found;
  };
  for (const checkpoint of checkpoints) at(checkpoint.seq).checkpoint = checkpoint;
  for (const head of heads) at(head.seq).heads.push(head);
  return marks;
}

/** What the entry of a checkpoint says of itself. */
type CheckpointEntry = {
  readonly at: Instant;
  readonly checkpointId: string;
  readonly keyId: KeyId | null;
  /** Checkpoints from before there were signatures are held against their head only where there is one. */
  readonly form: "with_key" | "before_keys";
};

type Judging = { readonly source: ChainSource; readonly rules: AuditRules; readonly keys: readonly AuditHeadKey[] };

/**
 * Holds an entry against what was noted of it. A checkpoint that names a key has the signature of that key over its
 * head, and every checkpoint but the latest has its line beside the database: a crash may come between the two.
 */
export function judgeMarks(
  judging: Judging,
  { row, marks }: { readonly row: AuditRow; readonly marks: Marks | undefined },
): Result<KeptHead | null, AuditBreak> {
  const entry = checkpointEntryOf(judging.rules, row);
  const found = findCheckpoint(judging, { row, entry, marked: marks?.checkpoint ?? null });
  if (!found.ok) return found;
  if (entry === null || found.value === null) {
    return (marks?.heads ?? []).length === 0 ? ok(null) : err({ code: "head_differs", seq: row.seq });
  }
  const { at, checkpointId, keyId } = entry;
  const head = { seq: row.seq, hash: row.hash, at, checkpointId, keyId, signature: found.value.signature };
  const broken = judgeSignature(judging, head) ?? judgeKept(judging, { head, entry, kept: marks?.heads ?? [] });
  return broken === null ? ok(head) : err(broken);
}

type Finding = {
  readonly row: AuditRow;
  readonly entry: CheckpointEntry | null;
  readonly marked: AuditCheckpoint | null;
};

function findCheckpoint(
  { source }: Judging,
  { row, entry, marked }: Finding,
): Result<AuditCheckpoint | null, AuditBreak> {
  const { seq, hash } = row;
  if (marked !== null) {
    const isSame = marked.hash === hash && marked.checkpointId === entry?.checkpointId;
    return isSame ? ok(marked) : err({ code: "checkpoint_differs", seq, checkpointId: marked.checkpointId });
  }
  if (entry === null) return ok(null);
  const { checkpointId } = entry;
  // Another process may have written this checkpoint since the marks were read.
  const late = source.findCheckpoint(checkpointId);
  return late?.seq === seq && late.hash === hash ? ok(late) : err({ code: "checkpoint_missing", seq, checkpointId });
}

function judgeSignature({ rules, keys }: Judging, head: KeptHead): AuditBreak | null {
  const { keyId, signature, seq } = head;
  if (keyId === null) return signature === null ? null : { code: "head_signature_invalid", seq };
  if (signature === null) return { code: "head_signature_missing", seq };
  return rules.judgeHead({ ...head, keyId, signature }, keys);
}

type Keeping = { readonly head: KeptHead; readonly entry: CheckpointEntry; readonly kept: readonly KeptHead[] };

function judgeKept({ source }: Judging, { head, entry, kept }: Keeping): AuditBreak | null {
  const { seq } = head;
  for (const one of kept) {
    const isSame =
      one.hash === head.hash &&
      one.at === head.at &&
      one.checkpointId === head.checkpointId &&
      one.keyId === head.keyId &&
      one.signature === head.signature;
    if (!isSame) return { code: "head_differs", seq };
  }
  if (kept.length > 0 || entry.form === "before_keys" || source.latestCheckpoint()?.seq === seq) return null;
  // Written since the heads were read, by this process or another.
  const late = source.heads(seq);
  if (!late.ok) return late.error;
  return late.value.some((one) => one.seq === seq) ? null : { code: "head_missing", seq };
}

const CHECKPOINT = '"event":"audit_checkpoint"';
const LINK_CHARS = `,"prev_hash":"${"0".repeat(64)}","seq":}`.length;

/** The event stands right before the link that ends every entry, so nothing has to be searched for. */
export function isCheckpoint({ seq, text }: AuditRow): boolean {
  return text.startsWith(CHECKPOINT, text.length - LINK_CHARS - String(seq).length - CHECKPOINT.length);
}

export function checkpointEntryOf(rules: AuditRules, row: AuditRow): CheckpointEntry | null {
  if (!isCheckpoint(row)) return null;
  const entry = rules.parse(row);
  if (!entry.ok) return null;
  const { checkpoint_id: checkpointId, key_id: keyId } = entry.value.data;
  if (typeof checkpointId !== "string") return null;
  const form = keyId === undefined ? "before_keys" : "with_key";
  return { at: entry.value.at, checkpointId, keyId: typeof keyId === "string" ? (keyId as KeyId) : null, form };
}

/** The head a checkpoint marks, as it is kept beside the database; null for one from before heads were signed. */
export function keptHeadOf(
  { source, rules }: Pick<Judging, "source" | "rules">,
  { seq, hash, signature }: AuditCheckpoint,
): KeptHead | null {
  const row = source.rowAt(seq);
  const entry = row === null ? null : checkpointEntryOf(rules, row);
  if (entry === null || entry.form === "before_keys") return null;
  const { at, checkpointId, keyId } = entry;
  return { seq, hash, at, checkpointId, keyId, signature };
}
