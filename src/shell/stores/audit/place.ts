import type { AuditBreak, AuditHead, AuditRules, HoldReason } from "#model";
import type { HeadsFile } from "./heads.ts";
import { keptHeadOf } from "./marks.ts";
import { sourceOf, type ReadableDb } from "./read.ts";

/** Facts that are recorded beside the database and missing from it. */
export type PlaceProblem = {
  readonly reason: HoldReason;
  /** The last entry that was noted and is not in the database; null where the notes themselves are the problem. */
  readonly lost: AuditHead | null;
  /** The same as verifying the chain would name it. */
  readonly broken: AuditBreak;
};

type Parts = { readonly db: ReadableDb; readonly rules: AuditRules; readonly heads: HeadsFile };

/**
 * Whether the database is the one that the notes beside it speak of; null when it is. It may be newer, for a note is
 * written behind its commit. Only the entries since the last checkpoint but one are read: a chain that has the noted
 * entries of that part, without a gap, has all before them too, or is found broken by verifying it.
 */
export function judgePlace(parts: Parts): PlaceProblem | null {
  const { rules, heads, db } = parts;
  const source = sourceOf(parts);
  const latest = source.latestCheckpoint();
  const before = latest === null ? null : source.checkpointBefore(latest.seq);
  const from = before?.seq ?? 1;
  const noted = heads.loadLines(from);
  if (!noted.ok) return { reason: "heads_unreadable", lost: null, broken: noted.error };
  const differs = noted.value.findLast(({ seq, hash }) => source.rowAt(seq)?.hash !== hash);
  if (differs !== undefined) return older(differs);
  const last = noted.value.at(-1);
  if (last !== undefined && countEntries(db, { from, last: last.seq }) !== last.seq - from + 1) return older(last);
  // The line of the latest checkpoint alone may be missing after a crash.
  const isExpected = before !== null && keptHeadOf({ source, rules }, before) !== null;
  const isThere = !isExpected || noted.value.some(({ seq }) => seq === from);
  return isThere ? null : { reason: "heads_missing", lost: null, broken: { code: "head_missing", seq: from } };
}

const older = (lost: AuditHead): PlaceProblem => ({
  reason: "database_older",
  lost: { seq: lost.seq, hash: lost.hash },
  broken: { code: "entries_cut", seq: lost.seq },
});

function countEntries(db: ReadableDb, range: { readonly from: number; readonly last: number }): number {
  const counted = db.get<{ readonly count: number }>(
    "SELECT count(*) AS count FROM audit_entries WHERE seq >= :from AND seq <= :last",
    range,
  );
  return counted?.count ?? 0;
}
