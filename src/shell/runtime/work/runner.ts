import { LIMITS } from "#base";
import type { AuditActor, RunProgress } from "#model";
import type { GrantedRun } from "#ports";
import { createRun, reloadRun } from "#work";
import { claimOf, NO_CLAIM } from "./claims.ts";
import { driveRun, type DriveDeps, type Driving, type DrivenRun } from "./drive.ts";
import { endBlocked, endBroken, endWithoutGrant, type Preparing } from "./end-undriven.ts";
import { loadPlan, mayPass, type LoadedPlan } from "./load-plan.ts";
import { driveProject, type ProjectDeps, type TaskRun } from "./project.ts";
import { createTurns } from "./turns.ts";

export type Runner = {
  /** Takes up what an earlier process left, then whatever is granted, now and later. */
  start(): Promise<void>;
  /** Looks for what was granted since. */
  look(): void;
  /** Runs one grant alone, and answers when it is over. */
  runOne(grant: GrantedRun): Promise<void>;
  progressOf(runId: string): RunProgress | null;
  /** Whether it ran here, and is now being ended; settles when it has ended. */
  cancel(runId: string, actor: AuditActor): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * Everything that is granted runs, a few at a time and the oldest first. INVARIANT: a run is driven by one place: whoever
 * holds the data directory, and there once; a task of a project by its project. [WSTORE-06]
 */
export function createRunner(deps: DriveDeps): Runner {
  const driven = new Map<string, DrivenRun>();
  const taken = new Set<string>();
  const turns = createTurns({ perScope: LIMITS.runsAtOnce, inTotal: LIMITS.runsInTotal });
  let phase: "idle" | "on" | "closed" = "idle";

  const follow = async (going: DrivenRun, { grant, item }: LoadedPlan): Promise<void> => {
    driven.set(grant.runId, going);
    await going.ended;
    driven.delete(grant.runId);
    const status = item.files.write.length > 0 ? "in_doubt" : "stuck";
    if (going.isBroken()) await endBroken(deps, { grant, status });
  };
  const drive = async (task: Preparing & Partial<TaskRun>): Promise<void> => {
    const run = await prepare(deps, task);
    if (run === null || phase === "closed") return;
    await follow(driveRun(deps, run), run.loaded);
  };
  const inTurn = async (task: Preparing & Partial<TaskRun>): Promise<void> => {
    const loaded = await loadPlan(deps, task.grant);
    await turns.add(loaded.ok ? claimOf(loaded.value.item) : NO_CLAIM, () => drive(task));
  };
  const cancel = async (runId: string, actor: AuditActor): Promise<boolean> => {
    const going = driven.get(runId);
    going?.cancel(actor);
    await going?.ended;
    return going !== undefined;
  };
  const projectDeps: ProjectDeps = {
    ...deps,
    runTask: inTurn,
    taskProgress: (runId) => driven.get(runId)?.progress() ?? null,
    cancelTask: cancel,
    inTurn: (piece) => turns.add(NO_CLAIM, piece),
  };
  const begin = async (preparing: Preparing): Promise<void> => {
    const loaded = await loadPlan(deps, preparing.grant);
    if (!loaded.ok || loaded.value.item.type !== "project") return inTurn(preparing);
    const grants = await deps.store.tasksOf(preparing.grant.requestId);
    if (!grants.ok) return deps.log.error("runs_unreadable", grants.error);
    const found = await deps.store.find(preparing.grant.runId);
    // Somebody ended it meanwhile, or nothing can be read.
    if (!found.ok || (found.value !== null && found.value.endedAt !== null) || phase === "closed") return;
    const project = { loaded: loaded.value, kept: found.value, grants: grants.value };
    await follow(driveProject(projectDeps, project), loaded.value);
  };
  const enqueue = async (preparing: Preparing): Promise<void> => {
    const { runId } = preparing.grant;
    if (taken.has(runId)) return;
    taken.add(runId);
    await begin(preparing).catch((cause: unknown) => deps.log.error("run_broken", { run_id: runId, cause }));
  };
  const lookNow = async (): Promise<void> => {
    if (phase !== "on") return;
    const granted = await deps.store.waiting();
    if (!granted.ok) return deps.log.error("runs_unreadable", granted.error);
    for (const grant of granted.value) void enqueue({ grant, kept: null });
  };
  return {
    async start() {
      phase = "on";
      for (const left of await leftBehind(deps)) void enqueue(left);
      await lookNow();
    },
    look: () => void lookNow(),
    runOne: (grant) => enqueue({ grant, kept: null }),
    progressOf: (runId) => driven.get(runId)?.progress() ?? null,
    cancel,
    async close() {
      phase = "closed";
      turns.close();
      await Promise.all([...driven.values()].map((going) => going.leave()));
    },
  };
}

/** What an earlier process began and did not end; tasks of a project are taken up by it. */
async function leftBehind(deps: DriveDeps): Promise<readonly Preparing[]> {
  const left = await deps.store.unfinished();
  if (!left.ok) deps.log.error("runs_unreadable", left.error);
  const found: Preparing[] = [];
  for (const run of left.ok ? left.value : []) {
    const grant = await deps.store.grantOf(run.runId);
    if (grant.ok && grant.value === null) await endWithoutGrant(deps, run);
    else if (grant.ok && grant.value !== null && grant.value.projectRunId === null) {
      found.push({ grant: grant.value, kept: run });
    }
  }
  return found;
}

/** Null when it cannot run at all, which is then kept and recorded. */
async function prepare(
  deps: DriveDeps,
  { grant, since }: Preparing & Partial<Pick<TaskRun, "since">>,
): Promise<Driving | null> {
  const now = await deps.store.find(grant.runId);
  // Somebody ended it while it waited.
  if (!now.ok || (now.value !== null && now.value.endedAt !== null)) return null;
  const kept = now.value;
  const at = deps.clock.now();
  const fresh = await loadPlan(deps, grant);
  if (!fresh.ok) {
    if (mayPass(fresh.error)) deps.log.error("run_stopped", { run_id: grant.runId, ...fresh.error });
    else await endBlocked(deps, { grant, kept, reason: fresh.error.code });
    return null;
  }
  const loaded = { ...fresh.value, since: since ?? null };
  const { item: plan, contentHash: planHash } = loaded;
  const { runId, tokenId } = grant;
  if (kept === null) return { loaded, known: "new", state: createRun({ plan, runId, tokenId, planHash, at }) };
  const ledger = await deps.store.ledger(runId);
  if (!ledger.ok) {
    deps.log.error("run_stopped", { run_id: runId, ...ledger.error });
    return null;
  }
  return { loaded, known: "kept", state: reloadRun({ plan, run: kept, ledger: ledger.value, at }) };
}
