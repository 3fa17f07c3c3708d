import { err, ok, type Result } from "#base";
import {
  cycleLine,
  itemsOfGoal,
  scheduleWords,
  type AuditActor,
  type Cycle,
  type GoalDetail,
  type GoalRefusal,
  type GoalStatus,
  type GoalSummary,
  type KeptGoal,
  type StoreFault,
  type Stream,
} from "#model";
import { streamOfGoal } from "#policy";
import type { ApprovalStore, Clock, GoalsDoor, GoalStore, StreamDoor } from "#ports";
import type { Cycles, KnownGoal } from "./cycles.ts";
import { timingOf, type GoalTimes } from "./goal-times.ts";
import type { Scheduler } from "./scheduler.ts";
import { findStanding } from "./standing.ts";

type GoalsDoorDeps = Pick<GoalTimes, "timetableOf" | "zoneNow" | "zoneOf"> & {
  readonly goals: GoalStore;
  readonly approvals: ApprovalStore;
  readonly goalOf: (requestId: string) => Promise<KnownGoal>;
  readonly cycles: Cycles;
  readonly scheduler: Scheduler;
  /** What is in force for messages. */
  readonly stream: StreamDoor;
  readonly clock: Clock;
  readonly onChanged: () => void;
};
type Answer = Promise<Result<GoalDetail, GoalRefusal | StoreFault>>;

/** Goals as people see them. Looking here first takes up what was approved since. */
export function createGoalsDoor(deps: GoalsDoorDeps): GoalsDoor {
  const { goals, scheduler, clock } = deps;
  const found = async (goalId: string): Promise<Result<KeptGoal, GoalRefusal | StoreFault>> => {
    await scheduler.adopt();
    const kept = await goals.find(goalId);
    if (!kept.ok) return kept;
    return kept.value === null ? err({ code: "goal_unknown", goalId }) : ok(kept.value);
  };
  const show = async (goalId: string): Answer => {
    const kept = await found(goalId);
    return kept.ok ? detailOf(deps, kept.value) : kept;
  };
  const turn = async (goalId: string, turning: Turning): Answer => {
    const kept = await found(goalId);
    if (!kept.ok) return kept;
    const { state, actor } = turning;
    if (kept.value.isPaused && state === "paused") return err({ code: "goal_paused", goalId });
    if (!kept.value.isPaused && state === "resumed") return err({ code: "goal_not_paused", goalId });
    const at = clock.now();
    const timetable = state === "resumed" ? await deps.timetableOf(timingOf(deps, kept.value)) : null;
    const turned = await goals.pause({ goalId, state, nextDue: timetable?.next(at) ?? null, at, actor });
    if (!turned.ok) return turned;
    deps.onChanged();
    return show(goalId);
  };
  return {
    async list() {
      await scheduler.adopt();
      return summariesOf(deps);
    },
    show,
    async check(goalId, actor) {
      const kept = await found(goalId);
      if (!kept.ok) return kept;
      if (kept.value.isPaused) return err({ code: "goal_paused", goalId });
      // Without a running Silas nothing was taken up yet.
      await deps.cycles.recover();
      const looking = { trigger: "owner", due: null, skipped: 0, notes: [], actor } as const;
      const begun = await deps.cycles.begin({ kept: kept.value, ...looking });
      return begun === "busy" ? err({ code: "goal_busy", goalId }) : show(goalId);
    },
    async leave(goalId, actor) {
      const kept = await found(goalId);
      if (!kept.ok) return kept;
      if (kept.value.missedCount === 0) return err({ code: "goal_nothing_missed", goalId });
      const left = await goals.leave({ goalId, count: kept.value.missedCount, at: clock.now(), actor });
      if (!left.ok) return left;
      deps.onChanged();
      return show(goalId);
    },
    pause: (goalId, actor) => turn(goalId, { state: "paused", actor }),
    resume: (goalId, actor) => turn(goalId, { state: "resumed", actor }),
  };
}

async function detailOf(deps: GoalsDoorDeps, kept: KeptGoal): Answer {
  const cycles = await deps.goals.cycles(kept.goalId);
  if (!cycles.ok) return cycles;
  const stream = await deps.stream.look();
  if (!stream.ok) return stream;
  const summary = await summaryOf(deps, { kept, cycles: cycles.value, stream: stream.value });
  return summary.ok ? ok({ ...summary.value, cycles: cycles.value }) : summary;
}

async function summariesOf(deps: GoalsDoorDeps): Promise<Result<readonly GoalSummary[], StoreFault>> {
  const listed = await deps.goals.list();
  if (!listed.ok) return listed;
  const stream = await deps.stream.look();
  if (!stream.ok) return stream;
  const summaries: GoalSummary[] = [];
  for (const kept of listed.value) {
    const cycles = await deps.goals.cycles(kept.goalId);
    if (!cycles.ok) return cycles;
    const summary = await summaryOf(deps, { kept, cycles: cycles.value, stream: stream.value });
    if (!summary.ok) return summary;
    summaries.push(summary.value);
  }
  return ok(summaries);
}
type Turning = { readonly state: "paused" | "resumed"; readonly actor: AuditActor };

type Known = { readonly kept: KeptGoal; readonly cycles: readonly Cycle[] };
type Seen = Known & { readonly stream: Stream };

async function summaryOf(
  deps: GoalsDoorDeps,
  { kept, cycles, stream }: Seen,
): Promise<Result<GoalSummary, StoreFault>> {
  const standing = await findStanding(deps, kept.requestId);
  if (!standing.ok && standing.error.retryable) return standing;
  const last = await deps.goals.lastCycle(kept.goalId);
  if (!last.ok && last.error.retryable) return last;
  // What is damaged of one goal is said of it, and the others are listed as ever.
  const isDamaged = !standing.ok || !last.ok;
  const { kept: approval, token } = (standing.ok ? standing.value : null) ?? { kept: null, token: null };
  const goal = await deps.goalOf(kept.requestId);
  const item = goal.ok ? goal.value.item : null;
  const open = item === null || item.reviewedBatches === null ? ok(0) : await openItems(deps, kept.goalId);
  if (!open.ok) return open;
  const isAsking = open.value > 0;
  const [newest] = cycles;
  const ended = cycles.find(({ state }) => state === "ended") ?? null;
  return ok({
    goalId: kept.goalId,
    requestId: kept.requestId,
    title: item?.title ?? kept.goalId,
    status: isDamaged ? "failing" : isAsking && !kept.isPaused ? "waiting_for_you" : statusOf({ kept, cycles }),
    statusWords: isDamaged ? DAMAGED : isAsking ? openWords(open.value) : wordsOf({ kept, newest: newest ?? null }),
    scheduleWords: scheduleWords(item?.schedule ?? null),
    timeZone: item?.schedule == null ? deps.zoneNow() : deps.zoneOf(kept),
    nextDue: kept.nextDue,
    missedChecks: kept.missedCount,
    lastCycle: ended === null ? null : lastOf(ended),
    repairsUsed: approval?.uses.length ?? 0,
    repairsMax: token?.maxExecutions ?? 0,
    standingUntil: token?.expiresAt ?? null,
    stream: streamOfGoal(stream, { requestId: kept.requestId, item }),
  });
}

const DAMAGED = "What is kept of this goal is damaged, so it is not checked. silas doctor names it.";

/** Requests about items of the goal that wait now. */
async function openItems({ approvals }: GoalsDoorDeps, goalId: string): Promise<Result<number, StoreFault>> {
  const waiting = await approvals.list(["pending"]);
  if (!waiting.ok) return waiting;
  const subject = itemsOfGoal(goalId);
  return ok(waiting.value.filter(({ kind, workItemId }) => kind === "batch_review" && workItemId === subject).length);
}

const openWords = (count: number): string =>
  `${count === 1 ? "A question about its files waits" : `${count} questions about its files wait`} for you in Review.`;

function statusOf({ kept, cycles: [newest] }: Known): GoalStatus {
  const isOpen = newest !== undefined && newest.state !== "ended";
  if (isOpen) return newest.state === "waiting" || newest.state === "asking" ? "waiting_for_you" : "repairing";
  if (kept.isPaused) return "paused";
  if (kept.missedCount > 0) return "waiting_for_you";
  if (newest === undefined) return "never_checked";
  return newest.ended === "healthy" ? "healthy" : "failing";
}

function wordsOf({ kept, newest }: { readonly kept: KeptGoal; readonly newest: Cycle | null }): string | null {
  if (kept.missedCount > 0) {
    const many = kept.missedCount === 1 ? "A check was" : `${kept.missedCount} checks were`;
    return `${many} due while Silas could not look. Check now, or wait for the next time.`;
  }
  return newest === null || newest.ended === "healthy" ? null : cycleLine(newest);
}

function lastOf({ startedAt, results, recheck, ended }: Cycle): GoalSummary["lastCycle"] {
  const last = recheck ?? results;
  if (ended === null) return null;
  return { at: startedAt, passed: last.filter(({ passed }) => passed).length, total: last.length, ended };
}
