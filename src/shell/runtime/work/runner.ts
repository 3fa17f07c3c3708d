import { LIMITS } from "#base";
import type { GrantedRun } from "#ports";
import { createRun, reloadRun } from "#work";
import { claimOf, NO_CLAIM } from "./claims.ts";
import { createDrivenRuns, type DrivenRuns } from "./steer/driven.ts";
import { driveRun, type DriveDeps, type Driving, type DrivenRun } from "./drive.ts";
import { endBlocked, endBroken, endUnbegun, endWithoutGrant, type Preparing } from "./end-undriven.ts";
import { loadPlan, mayPass, type LoadedPlan } from "./load-plan.ts";
import { driveProject, type ProjectDeps, type Projecting, type TaskRun } from "./project.ts";
import { createTurns } from "./turns.ts";

export type Runner = Omit<DrivenRuns, "follow" | "leaveAll"> & {
  /** Takes up what an earlier process left, then whatever is granted, now and later. */
  start(): Promise<void>;
  /** The same once more, when nothing is stopped any longer. */
  takeUp(): Promise<void>;
  /** Looks for what was granted since. */
  look(): void;
  /** Runs one grant alone, and answers when it is over. */
  runOne(grant: GrantedRun): Promise<void>;
  close(): Promise<void>;
};

/**
 * Everything that is granted runs, a few at a time and the oldest first. INVARIANT: a run is driven by one place: whoever
 * holds the data directory, and there once; a task of a project by its project. [WSTORE-06]
 */
export function createRunner(deps: DriveDeps): Runner {
  const { follow: followRun, leaveAll, ...driven } = createDrivenRuns();
  const taken = new Set<string>();
  const turns = createTurns({ perScope: LIMITS.runsAtOnce, inTotal: LIMITS.runsInTotal });
  let phase: "idle" | "on" | "closed" = "idle";

  const follow = async (going: DrivenRun, { grant, item }: LoadedPlan): Promise<void> => {
    await followRun(grant.runId, going);
    const status = item.files.write.length > 0 ? "in_doubt" : "stuck";
    if (going.isBroken()) await endBroken(deps, { grant, status });
  };
  const drive = async (task: Preparing & Partial<TaskRun>): Promise<void> => {
    if (await deps.isStopped()) return void taken.delete(task.grant.runId);
    const run = await prepare(deps, task);
    if (run === null || phase === "closed") return;
    await follow(driveRun(deps, run), run.loaded);
  };
  const runTask = async (task: Preparing & Partial<TaskRun>): Promise<void> => {
    const loaded = await loadPlan(deps, task.grant);
    await turns.add(loaded.ok ? claimOf(loaded.value.item) : NO_CLAIM, () => drive(task));
  };
  const projectDeps: ProjectDeps = { ...deps, runTask, driven, inTurn: (piece) => turns.add(NO_CLAIM, piece) };
  const begin = async (preparing: Preparing): Promise<void> => {
    // Nothing begins while everything is stopped; what waits is looked for again when it is not.
    if (await deps.isStopped()) return void taken.delete(preparing.grant.runId);
    const loaded = await loadPlan(deps, preparing.grant);
    if (!loaded.ok || loaded.value.item.type !== "project") return runTask(preparing);
    const project = await readProject(deps, loaded.value);
    if (project !== null && phase !== "closed") await follow(driveProject(projectDeps, project), loaded.value);
  };
  const enqueue = async (preparing: Preparing): Promise<void> => {
    const { runId } = preparing.grant;
    if (taken.has(runId)) return;
    taken.add(runId);
    await begin(preparing).catch((cause: unknown) => deps.log.error("run_broken", { run_id: runId, cause }));
  };
  const look = async (find: (deps: DriveDeps) => Promise<readonly Preparing[]>): Promise<void> => {
    for (const found of phase === "on" ? await find(deps) : []) void enqueue(found);
  };
  const takeUp = (): Promise<void> => look(leftBehind).then(() => look(waiting));
  return {
    ...driven,
    async start() {
      phase = "on";
      await takeUp();
    },
    takeUp,
    look: () => void look(waiting),
    runOne: (grant) => enqueue({ grant, kept: null }),
    async close() {
      phase = "closed";
      turns.close();
      await leaveAll();
    },
  };
}

/** What was granted and nobody has begun. */
async function waiting({ store, log }: DriveDeps): Promise<readonly Preparing[]> {
  const granted = await store.waiting();
  if (!granted.ok) log.error("runs_unreadable", granted.error);
  return granted.ok ? granted.value.map((grant) => ({ grant, kept: null })) : [];
}

/** Null when somebody ended it meanwhile, or nothing can be read. */
async function readProject({ store, log }: DriveDeps, loaded: LoadedPlan): Promise<Projecting | null> {
  const { requestId, runId } = loaded.grant;
  const grants = await store.tasksOf(requestId);
  if (!grants.ok) log.error("runs_unreadable", grants.error);
  const found = await store.find(runId);
  if (!grants.ok || !found.ok || (found.value !== null && found.value.endedAt !== null)) return null;
  return { loaded, kept: found.value, grants: grants.value };
}

/** What an earlier process began and did not end; tasks of a project are taken up by it. */
async function leftBehind(deps: DriveDeps): Promise<readonly Preparing[]> {
  const left = await deps.store.unfinished();
  if (!left.ok) deps.log.error("runs_unreadable", left.error);
  const found: Preparing[] = [];
  for (const run of left.ok ? left.value : []) {
    const grant = await deps.store.grantOf(run.runId);
    if (!grant.ok) continue;
    if (grant.value === null) await endWithoutGrant(deps, run);
    else if (grant.value.projectRunId === null) found.push({ grant: grant.value, kept: run });
    else if (await isOver(deps, grant.value.projectRunId)) {
      await endBroken(deps, { grant: grant.value, status: "in_doubt" });
    }
  }
  return found;
}

/** A task whose project has ended without it is taken up by nobody. */
async function isOver({ store }: DriveDeps, runId: string): Promise<boolean> {
  const found = await store.find(runId);
  return found.ok && found.value !== null && found.value.endedAt !== null;
}

/** Null when it cannot run at all, which is then kept and recorded. */
async function prepare(
  deps: DriveDeps,
  { grant, since }: Preparing & Partial<Pick<TaskRun, "since">>,
): Promise<Driving | null> {
  const now = await deps.store.find(grant.runId);
  // Somebody ended it while it waited.
  if (!now.ok || (now.value !== null && now.value.endedAt !== null)) return null;
  // Also what somebody had rest while it waited for its turn.
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
  const unlinked = kept === null ? await deps.spaces.linkageProblem(plan, at) : null;
  if (unlinked !== null) {
    await endUnbegun(deps, { grant, kept, reason: unlinked });
    return null;
  }
  const { systemGates } = deps;
  if (kept === null) {
    return { loaded, known: "new", state: createRun({ plan, systemGates, runId, tokenId, planHash, at }) };
  }
  const ledger = await deps.store.ledger(runId);
  if (!ledger.ok) {
    deps.log.error("run_stopped", { run_id: runId, ...ledger.error });
    return null;
  }
  return { loaded, known: "kept", state: reloadRun({ plan, systemGates, run: kept, ledger: ledger.value, at }) };
}
