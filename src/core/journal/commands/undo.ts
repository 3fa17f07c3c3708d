import { assert, err, ok, type Result } from "#base";
import {
  parentIdOf,
  type AppliedOperation,
  type CommandOf,
  type JournalError,
  type JournalFacts,
  type JournalRead,
  type JournalRecord,
  type RecordId,
} from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import { isOfKind, type Draft } from "../draft.ts";
import { nameKey } from "./category-label.ts";

export const undoHandlers: HandlersOf<"undo"> = {
  undo: {
    reads: ({ operationId }) => [
      { kind: "operation", id: operationId },
      { kind: "running" },
      { kind: "all", of: "category" },
      { kind: "all", of: "label" },
    ],
    furtherReads: readsAroundChanged,
    decide: undo,
  },
};

/** A record as it will be once the operation is taken back. */
type Restored = { readonly current: JournalRecord; readonly image: JournalRecord; readonly deleted: boolean };

// Taking back is a new write of the old body, so the history only grows and undoing an undo is redoing.
function undo({ operationId }: CommandOf<"undo">, draft: Draft) {
  const operation = draft.facts.operations.get(operationId);
  if (operation === undefined) return err({ code: "not_found", what: "operation", id: operationId });
  if (operation.undoneBy !== null) return err({ code: "already_undone", operationId });
  const restored = restore(operation, draft.facts);
  if (!restored.ok) return restored;
  const fits = checkFits(draft, restored.value);
  if (!fits.ok) return fits;
  for (const { current, image, deleted } of restored.value) {
    if (deleted) draft.remove({ ...current, body: image.body } as JournalRecord);
    else draft.put({ id: current.id, kind: current.kind, body: image.body });
  }
  return ok({ subjectId: operation.subjectId, undoes: operationId });
}

function restore(operation: AppliedOperation, facts: JournalFacts): Result<readonly Restored[], JournalError> {
  const images = new Map(operation.before.map((record) => [record.id, record]));
  const restored: Restored[] = [];
  for (const id of operation.recordIds) {
    const current = facts.records.get(id);
    assert(current !== undefined, `an operation's record is never lost: ${id}`);
    if (current.revision !== operation.revisions.get(id)) return err({ code: "changed_since", id });
    const image = images.get(id);
    restored.push({ current, image: image ?? current, deleted: image === undefined || image.deletedAt !== null });
  }
  return ok(restored);
}

// What was true then may not fit now, though none of these records changed: another timer runs, a name was given
// away, a checklist is gone, something hangs on what would vanish.
function checkFits(draft: Draft, restored: readonly Restored[]): Result<void, JournalError> {
  const byId = new Map(restored.map((record) => [record.current.id, record]));
  const others = [...draft.facts.records.values()].filter(({ id, deletedAt }) => deletedAt === null && !byId.has(id));
  for (const { image, deleted } of restored) {
    const fits = deleted ? checkNothingHangsOn(image.id, others) : checkReturn({ image, byId, others, draft });
    if (!fits.ok) return fits;
  }
  return ok();
}

function checkNothingHangsOn(id: RecordId, others: readonly JournalRecord[]): Result<void, JournalError> {
  // Time entries outlive their task by design, so they do not hold it.
  const child = others.find((other) => other.kind !== "timeEntry" && parentIdOf(other) === id);
  return child === undefined ? ok() : err({ code: "changed_since", id: child.id });
}

type Return = {
  readonly image: JournalRecord;
  readonly byId: ReadonlyMap<RecordId, Restored>;
  readonly others: readonly JournalRecord[];
  readonly draft: Draft;
};

function checkReturn({ image, byId, others, draft }: Return): Result<void, JournalError> {
  if (isOfKind(image, "timeEntry")) {
    const running = image.body.endedAt === null ? others.find(isRunning) : undefined;
    return running === undefined
      ? ok()
      : err({ code: "timer_running", entryId: running.id, taskId: parentIdOf(running) });
  }
  if (isOfKind(image, "category") || isOfKind(image, "label")) {
    const { kind, body } = image;
    const key = nameKey(body.name);
    const isTaken = others.some((other) => other.kind === kind && nameKey(other.body.name) === key);
    return isTaken ? err({ code: "name_taken", what: kind, name: body.name }) : ok();
  }
  const parentId = parentIdOf(image);
  if (parentId === null || byId.get(parentId)?.deleted === false) return ok();
  const parent = draft.facts.records.get(parentId);
  const isThere = parent !== undefined && parent.deletedAt === null && !byId.has(parentId);
  return isThere ? ok() : err({ code: "changed_since", id: parentId });
}

const isRunning = (record: JournalRecord): boolean =>
  isOfKind(record, "timeEntry") && record.deletedAt === null && record.body.endedAt === null;

function readsAroundChanged({ operationId }: CommandOf<"undo">, facts: JournalFacts): readonly JournalRead[] {
  const operation = facts.operations.get(operationId);
  if (operation === undefined) return [];
  const images = new Map(operation.before.map((record) => [record.id, record]));
  const created = operation.recordIds.filter((id) => images.get(id)?.deletedAt !== null);
  const parents = operation.before.map((record) => parentIdOf(record));
  return [idsRead(...parents), ...created.map((id): JournalRead => ({ kind: "tree", id }))];
}
