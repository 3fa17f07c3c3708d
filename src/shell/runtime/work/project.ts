import { msOfInstant, type Instant } from "#base";
import {
  reasonWords,
  type AuditActor,
  type BudgetUsed,
  type CheckResult,
  type RunProgress,
  type RunRecord,
  type WorkRefusal,
} from "#model";
import type { GrantedRun, RunNote, SandboxSpace } from "#ports";
import { decideProject, judgeProject, usedBy, type ProjectEnd, type ProjectPlan } from "#work";
import type { DriveDeps } from "./drive.ts";
import type { DrivenRun, DrivenRuns } from "./steer/driven.ts";
import { cancelUndriven, SYSTEM } from "./end-undriven.ts";
import { checkBegin, type ClearedRun } from "./entry-gate.ts";
import { mayPass, type LoadedPlan } from "./load-plan.ts";
import { checkProject } from "./project-checks.ts";
import { NOTHING_USED, unbegunRun, waitingRun } from "./unrun.ts";

type TaskRun = { readonly grant: GrantedRun; readonly kept: RunRecord | null };
export type ProjectDeps = DriveDeps & {
  /** Runs a task as any other plan is run, and answers when that is over or left for the next start. */
  runTask(task: TaskRun): Promise<void>;
  /** Its tasks are driven like everything else. */
  readonly driven: Pick<DrivenRuns, "progressOf" | "cancel" | "pause" | "resume">;
  /** Waits for a turn among everything else that runs. */
  inTurn(piece: () => Promise<void>): Promise<void>;
};
export type Projecting = {
  readonly loaded: LoadedPlan;
  readonly kept: RunRecord | null;
  /** What was granted to its tasks. */
  readonly grants: readonly GrantedRun[];
};

type Going = {
  run: RunRecord;
  isKept: boolean;
  isLeaving: boolean;
  isCancelled: boolean;
  isBroken: boolean;
  cleared: ClearedRun | null;
  /** The task that runs, and where it is in line. */
  current: { readonly grant: GrantedRun; readonly place: number; readonly since: Instant } | null;
  space: SandboxSpace | null;
  ownUse: BudgetUsed;
  actor: AuditActor;
};
type Parts = { readonly deps: ProjectDeps; readonly projecting: Projecting; readonly going: Going };

/**
 * Carries out a project: the next turn follows from the records of its tasks alone, which are read again before each, so
 * that a process that takes it up goes on where the last one was. It holds no place among what runs at once; its tasks do.
 */
export function driveProject(deps: ProjectDeps, projecting: Projecting): DrivenRun {
  const { loaded, kept } = projecting;
  const run = kept ?? { ...waitingRun(loaded.grant), status: "running" as const, startedAt: deps.clock.now() };
  const fresh = { isKept: kept !== null, isLeaving: false, isCancelled: false, isBroken: false, cleared: null };
  const going: Going = { ...fresh, run, current: null, space: null, ownUse: NOTHING_USED, actor: SYSTEM };
  const parts: Parts = { deps, projecting, going };
  const ended = go(parts);
  return {
    ended,
    progress: () => progressOf(parts),
    isBroken: () => going.isBroken,
    isResting: () => false,
    look: () => {},
    // A project is held by the task that runs; between two of them there is nothing to hold.
    pause: async (actor) =>
      going.current !== null && (await deps.driven.pause(going.current.grant.runId, actor)) === true,
    resume: async (actor) =>
      going.current !== null && (await deps.driven.resume(going.current.grant.runId, actor)) === true,
    cancel: (actor) => {
      going.actor = actor;
      going.isCancelled = true;
      if (going.current !== null) void cancelTask(deps, { grant: going.current.grant, kept: null, actor });
      void going.space?.close();
    },
    leave: async () => {
      going.isLeaving = true;
      await going.space?.close();
      await ended;
    },
  };
}

type Cancelling = { readonly grant: GrantedRun; readonly kept: RunRecord | null; readonly actor: AuditActor };

/** Also one that still waits for its turn: it is ended where it is kept, and finds that when its turn comes. */
async function cancelTask(deps: ProjectDeps, { grant, kept, actor }: Cancelling): Promise<void> {
  if (!(await deps.driven.cancel(grant.runId, actor))) await cancelUndriven(deps, { grant, kept, actor });
}

async function go(parts: Parts): Promise<void> {
  const { deps, going, projecting } = parts;
  const { runId } = projecting.loaded.grant;
  try {
    if (!(await enter(parts))) return;
    for (let isOver = false; !isOver && !going.isLeaving;) isOver = await takeTurn(parts);
  } catch (cause) {
    going.isBroken = true;
    deps.log.error("run_broken", { run_id: runId, cause });
  } finally {
    await going.space?.close();
  }
}

/** The approval of the project itself, checked like that of every task before it. */
async function enter(parts: Parts): Promise<boolean> {
  const { deps, going, projecting } = parts;
  const { loaded } = projecting;
  const checked = await checkBegin(deps, { ...loaded, run: going.run });
  if (checked.ok) {
    going.cleared = checked.value;
    return going.isKept || (await keep(parts, [{ kind: "run_started" }])) === "kept";
  }
  if (mayPass(checked.error)) {
    deps.log.error("run_stopped", { run_id: loaded.grant.runId, ...checked.error });
    return false;
  }
  await block(parts, checked.error.code);
  return false;
}

/** A task that an earlier process began ends first, by the rules for what was interrupted and on its own approval. */
async function block(parts: Parts, reason: string): Promise<void> {
  const { deps, going, projecting } = parts;
  const runs = await readTasks(parts);
  if (runs === null) return;
  for (const grant of projecting.grants) {
    const kept = runs.get(grant.workItemId) ?? null;
    if (kept !== null && kept.endedAt === null && !going.isLeaving) await deps.runTask({ grant, kept });
  }
  if (going.isLeaving) return;
  const left = projecting.grants.flatMap(({ workItemId }) => (runs.has(workItemId) ? [] : [workItemId]));
  const error = `The approval does not hold: ${reasonWords(reason)}`;
  const end: ProjectEnd = { kind: "end", status: "blocked", isVerified: false, error, left };
  await finish(parts, { ...end, events: [{ kind: "execution_blocked_no_approval", reason }] });
}

/** True when the project is over, or left where it is. */
async function takeTurn(parts: Parts): Promise<boolean> {
  const { going, projecting } = parts;
  const runs = await readTasks(parts);
  if (runs === null) return true;
  const plan = planOf(projecting.loaded);
  const facts = { plan, runs, ownUse: going.ownUse, isCancelled: going.isCancelled };
  going.run = { ...going.run, budgetUsed: usedBy(facts) };
  const turn = decideProject(facts);
  if (turn.kind === "end") return finish(parts, turn);
  if (turn.kind === "run_task") return runTask(parts, { taskId: turn.taskId, kept: runs.get(turn.taskId) ?? null });
  const results = await runChecks(parts);
  if (results === null) return true;
  const judged = { ...facts, ownUse: going.ownUse, isCancelled: going.isCancelled };
  going.run = { ...going.run, results: [...results], budgetUsed: usedBy(judged) };
  return finish(parts, judgeProject(judged, results));
}

const planOf = ({ item, tasks }: LoadedPlan): ProjectPlan => ({ ...item, tasks: tasks.map((task) => task.item) });

async function readTasks({ deps, projecting }: Parts): Promise<ReadonlyMap<string, RunRecord> | null> {
  const runs = new Map<string, RunRecord>();
  for (const { runId, workItemId } of projecting.grants) {
    const found = await deps.store.find(runId);
    if (!found.ok) {
      deps.log.error("run_stopped", { run_id: runId, ...found.error });
      return null;
    }
    if (found.value !== null) runs.set(workItemId, found.value);
  }
  return runs;
}

type Task = { readonly taskId: string; readonly kept: RunRecord | null };

async function runTask(parts: Parts, { taskId, kept }: Task): Promise<boolean> {
  const { deps, going, projecting } = parts;
  const place = projecting.grants.findIndex(({ workItemId }) => workItemId === taskId);
  const grant = projecting.grants[place];
  // A task without a token of its own is never begun. [PROJ-01]
  if (grant === undefined) {
    const error = `Task ${taskId} has no approval of its own`;
    return finish(parts, { kind: "end", status: "blocked", isVerified: false, error, left: [] });
  }
  if (going.isCancelled) await cancelUndriven(deps, { grant, kept, actor: going.actor });
  else {
    going.current = { grant, place, since: deps.clock.now() };
    deps.onChanged();
    await deps.runTask({ grant, kept });
    going.current = null;
  }
  if (going.isLeaving) return true;
  const after = await deps.store.find(grant.runId);
  // It was left for the next start, and so is the project.
  if (!after.ok || after.value === null || after.value.endedAt === null) return true;
  const runs = await readTasks(parts);
  if (runs === null) return true;
  going.run = { ...going.run, budgetUsed: usedBy({ ownUse: going.ownUse, runs }) };
  return (await keep(parts, [])) !== "kept";
}

/** Null when it was left for the next start. Nothing of it is believed then; they are asked again. */
async function runChecks(parts: Parts): Promise<readonly CheckResult[] | null> {
  const { deps, going, projecting } = parts;
  const { cleared } = going;
  if (cleared === null) return null;
  going.run = { ...going.run, status: "verifying" };
  const begun = await keep(parts, []);
  if (begun !== "kept" && begun !== "left") await block(parts, begun.reason);
  if (begun !== "kept") return null;
  let results: readonly CheckResult[] | null = null;
  await deps.inTurn(async () => {
    const began = deps.clock.now();
    results = await checkProject(deps, {
      cleared,
      loaded: projecting.loaded,
      isStopped: () => going.isLeaving || going.isCancelled,
      onOpened: (space) => void (going.space = space),
    });
    const wallTimeSeconds = Math.max(0, msOfInstant(deps.clock.now()) - msOfInstant(began)) / 1000;
    going.ownUse = { ...going.ownUse, wallTimeSeconds: going.ownUse.wallTimeSeconds + wallTimeSeconds };
  });
  return going.isLeaving ? null : results;
}

/** Tasks that are never begun end first, each with the reason, then the project: it is the last that is written. [PROJ-06] */
async function finish(
  parts: Parts,
  { status, isVerified, error, left, events: why = [] }: ProjectEnd & { readonly events?: readonly RunNote[] },
): Promise<boolean> {
  const { deps, going, projecting } = parts;
  const at = deps.clock.now();
  for (const grant of projecting.grants.filter(({ workItemId }) => left.includes(workItemId))) {
    const run = unbegunRun({ grant, kept: null, at, reason: error ?? "" });
    const events = [{ kind: "run_ended" }] as const;
    const written = await deps.store.begin({ run, entries: [], events, at, actor: going.actor });
    if (!written.ok && written.error.code !== "run_exists") {
      deps.log.error("run_stopped", { run_id: grant.runId, ...written.error });
      return true;
    }
  }
  going.run = { ...going.run, status, isVerified, lastError: error, endedAt: at };
  await keep(parts, [...why, { kind: "run_ended" }]);
  return true;
}

type KeepingResult = "kept" | "left" | Extract<WorkRefusal, { readonly code: "approval_lapsed" }>;

async function keep({ deps, going }: Parts, events: readonly RunNote[]): Promise<KeepingResult> {
  const { run, actor } = going;
  const change = { run, entries: [], events, at: deps.clock.now(), actor };
  const kept = await (going.isKept ? deps.store.save(change) : deps.store.begin(change));
  if (!kept.ok) deps.log.error("run_stopped", { run_id: run.runId, ...kept.error });
  else going.isKept = true;
  deps.onChanged();
  if (kept.ok) return "kept";
  return kept.error.code === "approval_lapsed" ? kept.error : "left";
}

/** Its tasks are its steps. */
function progressOf({ deps, going, projecting }: Parts): RunProgress | null {
  if (going.current === null) return null;
  const { grant, place, since } = going.current;
  const { tasks } = projecting.loaded;
  const name = tasks[place]?.item.title ?? grant.workItemId;
  const lastLine = deps.driven.progressOf(grant.runId)?.lastLine ?? "";
  return { attempt: 1, step: place + 1, steps: tasks.length, name, lastLine, since };
}
