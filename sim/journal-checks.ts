import { assert } from "#base";
import { checkBatch } from "#journal";
import type { ChangeRow, JournalRecord, NotificationBatch } from "#model";
import type { JournalStore } from "#ports";

export type JournalState = { readonly records: readonly JournalRecord[]; readonly changes: readonly ChangeRow[] };

/** Everything a journal holds that must survive a crash. */
export async function loadState(store: JournalStore): Promise<JournalState> {
  const records: JournalRecord[] = [];
  for await (const record of store.exportRecords()) records.push(record);
  const changes: ChangeRow[] = [];
  for (;;) {
    const page = await store.answer({ kind: "changes", after: changes.at(-1)?.counter ?? 0 });
    assert(page.ok, "changes can be read");
    if (page.value.length === 0) return { records, changes };
    changes.push(...page.value);
  }
}

/**
 * What holds in every state a crash can leave: counters of this host run 1, 2, 3 without a gap or a repeat, each record
 * carries the counter of its last version, and no version is missing between the first and the last. [JOURNAL-10]
 */
export function checkState({ records, changes }: JournalState, hostId: string): void {
  changes.forEach((change, index) => {
    assert(change.counter === index + 1, `JOURNAL-10 counter ${change.counter} stands at place ${index + 1}`);
  });
  const last = new Map(changes.map((change) => [change.payloadId, change.counter]));
  const versions = Map.groupBy(changes, (change) => change.payloadId);
  for (const record of records) {
    assert(record.hostId === hostId, "JOURNAL-10 this host wrote every record");
    assert(record.counter === last.get(record.id), `JOURNAL-10 ${record.id} carries its last counter`);
    assert(record.vectorClock[hostId] === record.counter, `JOURNAL-10 ${record.id} carries it in its clock`);
    assert(record.revision === versions.get(record.id)?.length, `JOURNAL-10 ${record.id} has all its versions`);
  }
  assert(last.size === records.length, "JOURNAL-10 every change belongs to a record");
}

/** The parts of a task tree that one command moves together are all where one of its states has them. [JOURNAL-04] */
export function checkTrees({ records }: JournalState): void {
  const live = new Map(records.filter((record) => record.deletedAt === null).map((record) => [record.id, record]));
  for (const record of live.values()) {
    if (record.kind === "checklistItem") {
      assert(live.get(record.body.checklistId)?.kind === "checklist", `JOURNAL-04 ${record.id} is in a checklist`);
    }
    if (record.kind === "checklist") {
      assert(live.get(record.body.taskId)?.kind === "task", `JOURNAL-04 ${record.id} hangs on a task`);
    }
  }
  const running = [...live.values()].filter((record) => record.kind === "timeEntry" && record.body.endedAt === null);
  assert(running.length <= 1, "at most one timer runs");
}

/** Every published batch is sound, and none was published twice. */
export function checkBatches(batches: readonly NotificationBatch[]): void {
  for (const batch of batches) assert(checkBatch(batch).ok, "BATCHID-07 a batch recomputes from its list");
  const keys = new Set(batches.map((batch) => batch.logicalChangeKey));
  assert(keys.size === batches.length, "BATCHID-07 a change is published once");
}
