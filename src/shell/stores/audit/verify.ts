import { err, ok, type Result } from "#base";
import type {
  AuditBreak,
  AuditCheckpoint,
  AuditHead,
  AuditHeadKey,
  AuditRow,
  AuditRules,
  AuditVerdict,
  KeptHead,
} from "#model";
import type { AuditReader } from "#ports";
import { checkpointEntryOf, isCheckpoint, judgeMarks, marksBySeq } from "./marks.ts";

/** A chain to be verified: the database and the heads beside it. */
export type ChainSource = {
  /** The next entries in order, a bounded number of them; none at the end. */
  batchAfter(seq: number): readonly AuditRow[];
  rowAt(seq: number): AuditRow | null;
  /** The smallest number there is; null when there is no entry. */
  firstSeq(): number | null;
  checkpointsFrom(seq: number): readonly AuditCheckpoint[];
  findCheckpoint(checkpointId: string): AuditCheckpoint | null;
  latestCheckpoint(): AuditCheckpoint | null;
  checkpointBefore(seq: number): AuditCheckpoint | null;
  latestSigned(): AuditCheckpoint | null;
  heads(fromSeq: number): Result<readonly KeptHead[], AuditBreak>;
  /** Entries between the heads that were noted beside the chain as committed. */
  noted(fromSeq: number): Result<readonly AuditHead[], AuditBreak>;
  /** The owner's keys, those out of use among them. */
  keys(): readonly AuditHeadKey[];
};

export type From = Parameters<AuditReader["verify"]>[0];
type Work = { readonly source: ChainSource; readonly rules: AuditRules };

/**
 * Folds the rules over a chain and holds what was noted of it, checkpoints and heads, against what is there. Behind a
 * checkpoint only that one and the entries after it are read. [AUD-02, AUD-03, AUD-04, AUD-05]
 */
export function verifyChain(work: Work, from: From): AuditVerdict {
  const begun = beginLook(work, from);
  if (!begun.ok) return { valid: false, entriesChecked: 0, broken: begun.error };
  const look = begun.value;
  let head = look.start;
  let entriesChecked = 0;
  for (let rows = work.source.batchAfter(head.seq); rows.length > 0; rows = work.source.batchAfter(head.seq)) {
    for (const row of rows) {
      const judged = work.rules.judge(head, row);
      if (!judged.ok) return { valid: false, entriesChecked, broken: judged.error };
      const broken = look.judgeNoted(row);
      if (broken !== null) return { valid: false, entriesChecked, broken };
      head = judged.value;
      entriesChecked += 1;
    }
  }
  return look.end(head, entriesChecked);
}

/** Everything about a chain but the links between its entries. */
type Look = {
  /** The place to begin behind. */
  readonly start: AuditHead;
  /** Holds an entry against what was noted of it. Most are neither marked nor marks, and passed by without being parsed. */
  judgeNoted(row: AuditRow): AuditBreak | null;
  end(head: AuditHead, entriesChecked: number): AuditVerdict;
};

function beginLook(work: Work, from: From): Result<Look, AuditBreak> {
  const { source, rules } = work;
  const start = startOf(work, from);
  if (!start.ok) return start;
  // Noted first, read second: what is noted meanwhile cannot be missed by rows read before it.
  const kept = source.heads(start.value.seq);
  if (!kept.ok) return kept;
  const noted = source.noted(start.value.seq);
  if (!noted.ok) return noted;
  const hashes = new Map(noted.value.map(({ seq, hash }) => [seq, hash]));
  const marks = marksBySeq(source.checkpointsFrom(start.value.seq), kept.value);
  const judging = { source, rules, keys: source.keys() };
  let headsSigned = 0;
  const judgeNoted = (row: AuditRow): AuditBreak | null => {
    const marked = marks.get(row.seq);
    if (marked === undefined && !isCheckpoint(row)) {
      const isNoted = (hashes.get(row.seq) ?? row.hash) === row.hash;
      return isNoted ? null : { code: "head_differs", seq: row.seq };
    }
    const judged = judgeMarks(judging, { row, marks: marked });
    if (!judged.ok) return judged.error;
    if (judged.value?.signature) headsSigned += 1;
    return null;
  };
  // The checkpoint that is begun behind vouches for all before it, so it is looked at itself.
  const first = start.value.seq === 0 ? null : source.rowAt(start.value.seq);
  const broken = first === null ? null : judgeNoted(first);
  if (broken !== null) return err(broken);
  return ok({
    start: start.value,
    judgeNoted,
    end(head, entriesChecked) {
      const isCut = [...marks.keys(), ...hashes.keys()].some((seq) => seq > head.seq);
      const missed = isCut ? ({ code: "entries_cut", seq: head.seq + 1 } as const) : judgeUnsigned(work, judging.keys);
      if (missed !== null) return { valid: false, entriesChecked, broken: missed };
      const lastSignedAt = momentOf(work, source.latestSigned());
      return { valid: true, entriesChecked, head, headsChecked: kept.value.length, headsSigned, lastSignedAt };
    },
  });
}

/**
 * The first key is made together with a head it signs, and until there is one no head goes unsigned. So marks from after
 * the first key and none of them signed means that the chain was written anew by somebody without the key.
 */
function judgeUnsigned({ source, rules }: Work, keys: readonly AuditHeadKey[]): AuditBreak | null {
  const vaultKeys = keys.filter(({ kind }) => kind === "vault").map(({ enrolledAt }) => enrolledAt);
  const [first] = vaultKeys.toSorted();
  const latest = source.latestCheckpoint();
  if (first === undefined || latest === null || source.latestSigned() !== null) return null;
  const at = momentOf({ source, rules }, latest);
  return at !== null && at > first ? { code: "heads_unsigned", seq: latest.seq } : null;
}

function momentOf({ source, rules }: Work, checkpoint: AuditCheckpoint | null) {
  const row = checkpoint === null ? null : source.rowAt(checkpoint.seq);
  return row === null ? null : (checkpointEntryOf(rules, row)?.at ?? null);
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
  const isMarked = row.hash === hash && checkpointEntryOf(rules, row)?.checkpointId === checkpointId;
  return isMarked ? ok({ seq, hash }) : err({ code: "checkpoint_differs", seq, checkpointId });
}

/** The entry before a checkpoint is not read; what the marked entry says about it is covered by its own hash. */
const previousHashOf = ({ text }: AuditRow): string =>
  /"prev_hash":"([0-9a-f]{64})","seq":\d+\}$/.exec(text)?.[1] ?? "";
