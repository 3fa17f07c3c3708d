import { err, ok, type Result } from "#base";
import type { AuditBreak, AuditCheckpoint, AuditHead, AuditRow, AuditVerdict } from "#model";
import type { AuditReader, AuditRules } from "#ports";

/** A chain to be verified: the database and the heads beside it, or the twin of both. */
export type ChainSource = {
  /** The next entries in order, a bounded number of them; none at the end. */
  batchAfter(seq: number): readonly AuditRow[];
  rowAt(seq: number): AuditRow | null;
  /** The smallest number there is; null when there is no entry. */
  firstSeq(): number | null;
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
  const fold = beginFold(work, from);
  for (;;) {
    const verdict = fold.step();
    if (verdict !== null) return verdict;
  }
}

/** The same with a pause after each step, so that a long chain holds nobody up. Entries are only ever added meanwhile. */
export async function verifyInSteps(
  work: Work & { readonly pause: () => Promise<void> },
  from: From,
): Promise<AuditVerdict> {
  const fold = beginFold(work, from);
  for (;;) {
    const verdict = fold.step();
    if (verdict !== null) return verdict;
    await work.pause();
  }
}

/** Judges a bounded number of entries per step; answers with the verdict once there is one. */
type Fold = { step(): AuditVerdict | null };

function beginFold(work: Work, from: From): Fold {
  const start = startOf(work, from);
  if (!start.ok) return endedFold(start.error);
  // Noted first, read second: what is noted meanwhile cannot be missed by rows read before it.
  const heads = work.source.heads();
  if (!heads.ok) return endedFold(heads.error);
  const known = heads.value.filter(({ seq }) => seq > start.value.seq || from === "genesis");
  const marks = marksOf(work.source.checkpointsFrom(start.value.seq + 1), known);
  let head = start.value;
  let entriesChecked = 0;
  return {
    step: () => {
      const rows = work.source.batchAfter(head.seq);
      for (const row of rows) {
        const judged = judge(work, { head, row, marks });
        if (!judged.ok) return { valid: false, entriesChecked, broken: judged.error };
        head = judged.value;
        entriesChecked += 1;
      }
      if (rows.length > 0) return null;
      if ([...marks.keys()].some((seq) => seq > head.seq)) {
        return { valid: false, entriesChecked, broken: { code: "entries_cut", seq: head.seq + 1 } };
      }
      return { valid: true, entriesChecked, head, headsChecked: known.length };
    },
  };
}

const endedFold = (broken: AuditBreak): Fold => ({ step: () => ({ valid: false, entriesChecked: 0, broken }) });

type Judged = {
  readonly head: AuditHead;
  readonly row: AuditRow;
  readonly marks: ReadonlyMap<number, readonly Mark[]>;
};

function judge({ source, rules }: Work, { head, row, marks }: Judged): Result<AuditHead, AuditBreak> {
  const judged = rules.judge(head, row);
  // Most entries are neither marked nor marks; they are passed by without being parsed.
  if (!judged.ok || !(marks.has(row.seq) || isCheckpoint(row))) return judged;
  const broken = checkMarks(source, { row, marks: marks.get(row.seq) ?? [] });
  return broken === null ? judged : err(broken);
}

/** The place to begin behind. A checkpoint counts only when the entry it marks is still the one it marked. */
function startOf({ source, rules }: Work, from: From): Result<AuditHead, AuditBreak> {
  if (from === "genesis") {
    // What was put in before the first entry would never be reached by going on from there.
    const first = source.firstSeq() ?? 1;
    return first > rules.genesis.seq ? ok(rules.genesis) : err({ code: "entry_moved", seq: first });
  }
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
