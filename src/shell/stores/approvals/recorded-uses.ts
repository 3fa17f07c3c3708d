import { keptAct, VOIDED_ACT } from "#model";
import type { Sqlite } from "../sqlite.ts";
import type { UseRow } from "./rows.ts";

/** A use as the audit chain tells of it. */
type RecordedUse = Pick<UseRow, "use_number" | "lineage_id" | "content_hash">;

/**
 * The uses of an approval that are in the chain, in their order. A use that an approval was granted with is for the very
 * plan that was approved; a later one names what it was for.
 */
export function recordedUses(db: Sqlite, tokenId: string): readonly RecordedUse[] {
  return db.all<RecordedUse>(
    `SELECT json_extract(entry, '$.data.use_number') AS use_number,
       json_extract(entry, '$.data.lineage_id') AS lineage_id,
       coalesce(json_extract(entry, '$.data.content_hash'), json_extract(entry, '$.data.plan_hash')) AS content_hash
     FROM audit_entries
     WHERE subject_kind = 'approval' AND subject_id = :tokenId ORDER BY seq`,
    { tokenId },
  );
}

/** How many of them there are. */
export const RECORDED_USES_SQL =
  "SELECT count(*) FROM audit_entries WHERE subject_kind = 'approval' AND subject_id = :tokenId";

/** Whether rows and chain tell the same. A row that was put in, moved or taken away was not Silas's doing. */
export function isOnRecord(rows: readonly UseRow[], recorded: readonly RecordedUse[]): boolean {
  return (
    rows.length === recorded.length &&
    rows.every((row, index) => {
      const told = recorded[index];
      return (
        row.use_number === told?.use_number &&
        row.lineage_id === told.lineage_id &&
        row.content_hash === told.content_hash
      );
    })
  );
}

/**
 * Whether an approval is older in the chain than the last time that unused approvals were voided. The chain decides and
 * no row does: a database that was put back knows nothing of what was used after it was copied. What the chain does not
 * show to be newer is void.
 */
export function isVoid(db: Sqlite, tokenId: string): boolean {
  const voided = lastOf(db, { kind: "act", id: VOIDED_ACT });
  if (voided === null) return false;
  const given = lastOf(db, { kind: "act", id: keptAct(tokenId) }) ?? firstUse(db, tokenId);
  return given === null || given < voided;
}

type Subject = { readonly kind: string; readonly id: string };

function lastOf(db: Sqlite, { kind, id }: Subject): number | null {
  const sql = "SELECT max(seq) AS seq FROM audit_entries WHERE subject_kind = :kind AND subject_id = :id";
  return db.get<{ readonly seq: number | null }>(sql, { kind, id })?.seq ?? null;
}

function firstUse(db: Sqlite, tokenId: string): number | null {
  const sql = "SELECT min(seq) AS seq FROM audit_entries WHERE subject_kind = 'approval' AND subject_id = :tokenId";
  return db.get<{ readonly seq: number | null }>(sql, { tokenId })?.seq ?? null;
}
