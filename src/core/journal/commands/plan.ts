import { err, LIMITS, ok, type LocalDate, type Result } from "#base";
import {
  dayPlanId,
  type BodyOf,
  type CommandOf,
  type JournalError,
  type JournalFacts,
  type JournalRead,
  type RecordId,
  type RecordOf,
} from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import { isOfKind, type Draft } from "../draft.ts";

type PlanKinds = "plan.note" | "plan.pin" | "plan.unpin" | "plan.reorder" | "plan.blocks";

export const planHandlers: HandlersOf<PlanKinds> = {
  "plan.note": {
    reads: ({ planDate }) => [idsRead(dayPlanId(planDate))],
    decide({ planDate, note }, draft) {
      if (note === "" && planOf(draft, planDate) === null) return ok({ subjectId: null });
      return putPlan(draft, { planDate, patch: { note } });
    },
  },
  "plan.pin": {
    reads: ({ planDate, taskIds }) => [idsRead(dayPlanId(planDate), ...taskIds)],
    furtherReads: readPinned,
    decide: pinTasks,
  },
  "plan.unpin": {
    reads: ({ planDate }) => [idsRead(dayPlanId(planDate))],
    decide({ planDate, taskIds }, draft) {
      const plan = planOf(draft, planDate);
      if (plan === null) return ok({ subjectId: null });
      const gone = new Set<RecordId>(taskIds);
      draft.change(plan, { pinnedTaskIds: plan.body.pinnedTaskIds.filter((id) => !gone.has(id)) });
      return ok({ subjectId: plan.id });
    },
  },
  "plan.reorder": {
    reads: ({ planDate }) => [idsRead(dayPlanId(planDate))],
    furtherReads: readPinned,
    decide: reorderPins,
  },
  "plan.blocks": {
    reads: ({ planDate, upserts, deletes }) => [
      idsRead(
        dayPlanId(planDate),
        ...deletes,
        ...upserts.flatMap(({ id, categoryId, taskId }) => [id, categoryId, taskId]),
      ),
      { kind: "tree", id: dayPlanId(planDate) },
    ],
    decide: changeBlocks,
  },
};

function planOf(draft: Draft, planDate: LocalDate): RecordOf<"dayPlan"> | null {
  const found = draft.find("dayPlan", dayPlanId(planDate));
  return found.ok ? found.value : null;
}

type PlanPatch = {
  readonly planDate: LocalDate;
  readonly patch: Partial<Pick<BodyOf<"dayPlan">, "note" | "pinnedTaskIds">>;
};

/** The one plan of a date, made when it is first needed: its id follows from the date. [JOURNAL-07] */
function putPlan(draft: Draft, { planDate, patch }: PlanPatch): Result<{ readonly subjectId: RecordId }, JournalError> {
  const id = dayPlanId(planDate);
  const other = draft.facts.records.get(id);
  if (other !== undefined && other.kind !== "dayPlan") return err({ code: "wrong_kind", id, expected: "dayPlan" });
  const current = planOf(draft, planDate)?.body ?? { planDate, pinnedTaskIds: [], note: "" };
  draft.put({ id, kind: "dayPlan", body: { ...current, ...patch } });
  return ok({ subjectId: id });
}

// Tasks deleted since they were pinned are no longer seen, so they take no part in orders and limits.
function readPinned({ planDate }: { readonly planDate: LocalDate }, facts: JournalFacts): readonly JournalRead[] {
  const plan = facts.records.get(dayPlanId(planDate));
  return plan !== undefined && isOfKind(plan, "dayPlan") ? [idsRead(...plan.body.pinnedTaskIds)] : [];
}

function livePins(draft: Draft, planDate: LocalDate): readonly RecordId[] {
  const pinned = planOf(draft, planDate)?.body.pinnedTaskIds ?? [];
  return pinned.filter((id) => draft.find("task", id).ok);
}

function pinTasks({ planDate, taskIds }: CommandOf<"plan.pin">, draft: Draft) {
  for (const id of taskIds) {
    const task = draft.find("task", id);
    if (!task.ok) return task;
  }
  const before = planOf(draft, planDate)?.body.pinnedTaskIds ?? [];
  if (taskIds.every((id) => before.includes(id))) return ok({ subjectId: dayPlanId(planDate) });
  const pinnedTaskIds = [...new Set([...livePins(draft, planDate), ...taskIds])];
  if (pinnedTaskIds.length > LIMITS.pinsPerDay) {
    return err({ code: "limit_reached", limit: "pinsPerDay", max: LIMITS.pinsPerDay });
  }
  return putPlan(draft, { planDate, patch: { pinnedTaskIds } });
}

function reorderPins({ planDate, taskIds }: CommandOf<"plan.reorder">, draft: Draft) {
  const pinned = new Set(livePins(draft, planDate));
  const isSameSet = taskIds.length === pinned.size && new Set(taskIds).size === pinned.size;
  if (!isSameSet || !taskIds.every((id) => pinned.has(id))) return err({ code: "order_mismatch" });
  return putPlan(draft, { planDate, patch: { pinnedTaskIds: [...taskIds] } });
}

function changeBlocks(command: CommandOf<"plan.blocks">, draft: Draft) {
  const { planDate, upserts, deletes } = command;
  const planId = dayPlanId(planDate);
  if (upserts.length === 0 && deletes.length === 0) return ok({ subjectId: null });
  for (const id of deletes) {
    const block = blockOf(draft, { id, planId });
    if (!block.ok) return block;
    draft.remove(block.value);
  }
  for (const upsert of upserts) {
    const put = putBlock(draft, { upsert, planId });
    if (!put.ok) return put;
  }
  const gone = new Set<RecordId>(deletes);
  const staying = draft.list("planBlock").filter((block) => block.body.planId === planId && !gone.has(block.id));
  const ids = new Set([...staying.map((block) => block.id), ...upserts.flatMap(({ id }) => id ?? [])]);
  const created = upserts.filter(({ id }) => id === null).length;
  if (ids.size + created > LIMITS.blocksPerDay) {
    return err({ code: "limit_reached", limit: "blocksPerDay", max: LIMITS.blocksPerDay });
  }
  return putPlan(draft, { planDate, patch: {} });
}

type Upsert = { readonly upsert: CommandOf<"plan.blocks">["upserts"][number]; readonly planId: RecordId };

function putBlock(draft: Draft, { upsert, planId }: Upsert): Result<void, JournalError> {
  const { id, ...fields } = upsert;
  const category = fields.categoryId === null ? ok() : draft.find("category", fields.categoryId);
  if (!category.ok) return category;
  const task = fields.taskId === null ? ok() : draft.find("task", fields.taskId);
  if (!task.ok) return task;
  if (fields.endTime <= fields.startTime) return err({ code: "end_not_after_start" });
  const body = { ...fields, planId };
  if (id === null) {
    draft.create("planBlock", body);
    return ok();
  }
  const current = draft.facts.records.get(id);
  if (current !== undefined && !isOfKind(current, "planBlock")) {
    return err({ code: "wrong_kind", id, expected: "planBlock" });
  }
  // An unknown id is a block its author named; one of another day is not moved here unseen.
  if (current !== undefined && current.body.planId !== planId) return err({ code: "not_found", what: "planBlock", id });
  draft.put({ id, kind: "planBlock", body });
  return ok();
}

function blockOf(
  draft: Draft,
  { id, planId }: { readonly id: RecordId; readonly planId: RecordId },
): Result<RecordOf<"planBlock">, JournalError> {
  const block = draft.find("planBlock", id);
  if (!block.ok || block.value.body.planId === planId) return block;
  return err({ code: "not_found", what: "planBlock", id });
}
