import { assert } from "#base";
import type { ApprovedGoal, AuditActor, AuditDraft, Repair } from "#model";
import type { CycleChange, CycleNote, GoalLeaving, GoalNote, GoalNoting, GoalPausing } from "#ports";

/** What the goal store records of each change. */

const SYSTEM: AuditActor = { kind: "system" };

export const scheduledDraft = ({ goalId, requestId, planHash }: ApprovedGoal, at: AuditDraft["at"]): AuditDraft => ({
  event: "goal_scheduled",
  data: { goal_id: goalId, request_id: requestId, plan_hash: planHash },
  at,
  actor: SYSTEM,
});

export const pausedDraft = ({ goalId, state, at, actor }: GoalPausing): AuditDraft => ({
  event: state === "paused" ? "goal_paused" : "goal_resumed",
  data: { goal_id: goalId },
  at,
  actor,
});

export const leftDraft = ({ goalId, count, at, actor }: GoalLeaving): AuditDraft => ({
  event: "goal_checks_left",
  data: { goal_id: goalId, count },
  at,
  actor,
});

type Noted = Pick<GoalNoting, "goalId" | "notes" | "at">;
export const noteDrafts = ({ goalId, notes, at }: Noted): readonly AuditDraft[] =>
  notes.map((note) => noteDraft(note, { goalId, at }));

function noteDraft(note: GoalNote, { goalId, at }: Pick<Noted, "goalId" | "at">): AuditDraft {
  const said = { at, actor: SYSTEM };
  const goal = { goal_id: goalId };
  if (note.kind === "goal_replanned") {
    return { event: note.kind, data: { ...goal, planned_until: note.plannedUntil }, ...said };
  }
  const { kind, count, since, until, reason } = note;
  return { event: kind, data: { ...goal, count, since, until, reason }, ...said };
}

export const cycleDrafts = (change: CycleChange): readonly AuditDraft[] =>
  change.events.map((note) => draftOf(change, note));

function draftOf({ cycle, at, actor }: CycleChange, note: CycleNote): AuditDraft {
  const names = { goal_id: cycle.goalId, cycle: cycle.number };
  const said = { at, actor };
  switch (note.kind) {
    case "goal_checked":
      return { event: note.kind, data: { ...names, checks: note.checks, failed: [...note.failed] }, ...said };
    case "goal_repair_made": {
      const { taskId, taskHash } = repairIn(cycle.repair);
      return { event: note.kind, data: { ...names, task_id: taskId, task_hash: taskHash }, ...said };
    }
    case "goal_asked": {
      const { taskId, requestId, whyAsked } = repairIn(cycle.repair);
      assert(requestId !== null && whyAsked !== null, "GOAL-06 what was asked has its request and its reason");
      return {
        event: note.kind,
        data: { ...names, task_id: taskId, request_id: requestId, reason: whyAsked },
        ...said,
      };
    }
    case "goal_items_asked": {
      assert(cycle.found !== null, "BATCH-01 what was asked about was found");
      const { candidates, inBatches, inQuestions } = cycle.found;
      return {
        event: note.kind,
        data: { ...names, candidates, in_batches: inBatches, in_questions: inQuestions },
        ...said,
      };
    }
    case "goal_cycle_ended": {
      assert(cycle.ended !== null, "a cycle that ended says how");
      return { event: note.kind, data: { ...names, ended: cycle.ended, reason: cycle.reason }, ...said };
    }
  }
}

function repairIn(repair: Repair | null): Repair {
  assert(repair !== null, "GOAL-03 a repair was made");
  return repair;
}
