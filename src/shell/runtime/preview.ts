import type { Instant } from "#base";
import type { HostId, JournalFacts, JournalRecord, RecordMeta, RecordWrite } from "#model";

type PreviewInput = {
  readonly writes: readonly RecordWrite[];
  readonly facts: JournalFacts;
  readonly at: Instant;
  readonly hostId: HostId;
};

/**
 * The records as a commit would leave them. Provenance is given by a commit alone: a preview shows that of the present
 * version, and counter 1 for a record that does not exist yet.
 */
export function previewRecords({ writes, facts, at, hostId }: PreviewInput): readonly JournalRecord[] {
  return writes.map((write) => {
    const current = facts.records.get(write.id);
    const meta: RecordMeta = {
      id: write.id,
      createdAt: current?.createdAt ?? at,
      updatedAt: at,
      deletedAt: write.deleted ? at : null,
      revision: (current?.revision ?? 0) + 1,
      hostId: current?.hostId ?? hostId,
      counter: current?.counter ?? 1,
      vectorClock: current?.vectorClock ?? {},
    };
    return { ...meta, kind: write.kind, body: write.body } as JournalRecord;
  });
}
