import { err, ok, type Result } from "#base";
import type { AuditBreak, AuditCheckpoint, AuditHead, AuditRow, AuditVerdict } from "#model";
import type { AuditReader, AuditRules } from "#ports";

/** A chain to be verified: the database and the heads beside it, or the twin of both. */
export type ChainSource = {
  /** In order, a bounded number at a time. */
  rowsAfter(seq: number): Iterable<AuditRow>;
  rowAt(seq: number): AuditRow | null;
  checkpointsFrom(seq: number): readonly AuditCheckpoint[];
  findCheckpoint(checkpointId: string): AuditCheckpoint | null;
  latestCheckpoint(): AuditCheckpoint | null;
  heads(): Result<readonly AuditHead[], AuditBreak>;
};

type From = Parameters<AuditReader["verify"]>[0];
type Work = { readonly source: ChainSource; readonly rules: AuditRules };

/**
 * Folds the rules over a chain and holds what was noted of it, checkpoints and heads, against what is there. Behind a
 * checkpoint only the entries after it are read. [AUD-02, AUD-03, AUD-04, AUD-05]
 */
export function verifyChain(work: Work, from: From): AuditVerdict {
  const start = startOf(work, from);
  if (!start.ok) return { valid: false, entriesChecked: 0, broken: start.error };
  // Noted first, read second: what is noted meanwhile cannot be missed by rows read before it.
  const heads = work.source.heads();
  if (!heads.ok) return { valid: false, entriesChecked: 0, broken: heads.error };
  const known = heads.value.filter(({ seq }) => seq > start.value.seq || from === "genesis");
  const marks = marksOf(work.source.checkpointsFrom(start.value.seq + 1), known);
  let head = start.value;
  let entriesChecked = 0;
  for (const row of work.source.rowsAfter(head.seq)) {
    const judged = work.rules.judge(head, row);
    if (!judged.ok) return { valid: false, entriesChecked, broken: judged.error };
    // Most entries are neither marked nor marks; they are passed by without being parsed.
    if (marks.has(row.seq) || isCheckpoint(row)) {
      const broken = checkMarks(work.source, { row, marks: marks.get(row.seq) ?? [] });
      if (broken !== null) return { valid: false, entriesChecked, broken };
    }
    head = judged.value;
    entriesChecked += 1;
  }
  if ([...marks.keys()].some((seq) => seq > head.seq)) {
    return { valid: false, entriesChecked, broken: { code: "entries_cut", seq: head.seq + 1 } };
  }
  return { valid: true, entriesChecked, head, headsChecked: known.length };
}

/** The place to begin behind. A checkpoint counts only when the entry it marks is still the one it marked. */
function startOf({ source, rules }: Work, from: From): Result<AuditHead, AuditBreak> {
  if (from === "genesis") return ok(rules.genesis);
  const checkpoint = from === "latest" ? source.latestCheckpoint() : source.findCheckpoint(from.checkpointId);
  if (checkpoint === null) {
    return from === "latest" ? ok(rules.genesis) : err({ code: "checkpoint_unknown", checkpointId: from.checkpointId });
  }
  const { seq, hash, checkpointId } = checkpoint;
  const row = source.rowAt(seq);
  if (row === null) return err({ code: "entries_cut", seq });
  const judged = rules.judge({ seq: seq - 1, hash: previousHashOf(row) }, row);
  if (!judged.ok) return judged;
  const isMarked = row.hash === hash && checkpointIdOf(row) === checkpointId;
  return isMarked ? ok({ seq, hash }) : err({ code: "checkpoint_differs", seq, checkpointId });
}

/** The entry before a checkpoint is not read; what the marked entry says about it is covered by its own hash. */
const previousHashOf = ({ text }: AuditRow): string =>
  /"prev_hash":"([0-9a-f]{64})","seq":\d+\}$/.exec(text)?.[1] ?? "";

type Mark = { readonly hash: string; readonly checkpointId: string | null };

function marksOf(checkpoints: readonly AuditCheckpoint[], heads: readonly AuditHead[]): Map<number, Mark[]> {
  const marks = new Map<number, Mark[]>();
  const add = (seq: number, mark: Mark) => marks.set(seq, [...(marks.get(seq) ?? []), mark]);
  for (const { seq, hash, checkpointId } of checkpoints) add(seq, { hash, checkpointId });
  for (const { seq, hash } of heads) add(seq, { hash, checkpointId: null });
  return marks;
}

type Marked = { readonly row: AuditRow; readonly marks: readonly Mark[] };

function checkMarks(source: ChainSource, { row, marks }: Marked): AuditBreak | null {
  const { seq, hash } = row;
  const checkpointId = checkpointIdOf(row);
  for (const mark of marks) {
    if (mark.checkpointId === null) {
      if (mark.hash !== hash) return { code: "head_differs", seq };
    } else if (mark.hash !== hash || mark.checkpointId !== checkpointId) {
      return { code: "checkpoint_differs", seq, checkpointId: mark.checkpointId };
    }
  }
  if (checkpointId === null || marks.some((mark) => mark.checkpointId === checkpointId)) return null;
  // Another process may have written this checkpoint since the marks were read.
  const late = source.findCheckpoint(checkpointId);
  return late?.seq === seq && late.hash === hash ? null : { code: "checkpoint_missing", seq, checkpointId };
}

const CHECKPOINT = '"event":"audit_checkpoint"';
const LINK_CHARS = `,"prev_hash":"${"0".repeat(64)}","seq":}`.length;

/** The event stands right before the link that ends every entry, so nothing has to be searched for. */
function isCheckpoint({ seq, text }: AuditRow): boolean {
  return text.startsWith(CHECKPOINT, text.length - LINK_CHARS - String(seq).length - CHECKPOINT.length);
}

function checkpointIdOf(row: AuditRow): string | null {
  if (!isCheckpoint(row)) return null;
  return /"data":\{"checkpoint_id":"([^"]+)"\}/.exec(row.text)?.[1] ?? null;
}
