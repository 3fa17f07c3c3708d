import type { Sqlite } from "../sqlite.ts";
import type { UseRow } from "./rows.ts";

/** A use as the audit chain tells of it. */
export type RecordedUse = Pick<UseRow, "use_number" | "lineage_id" | "content_hash">;

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
