import { LIMITS, ok } from "#base";
import { createRun, reloadRun } from "#work";
import { createDispatch } from "../bus/dispatch.ts";
import type { ReaderDeps } from "../bus/held-leases.ts";
import { claimOf, NO_CLAIM } from "./claims.ts";
import { createDrivenRuns, type DrivenRun, type DrivenRuns } from "./steer/driven.ts";
import { driveRun, type DriveDeps, type Driving } from "./drive.ts";
import { endBlocked, endBroken, endUnbegun, endWithoutGrant, type Preparing } from "./end-undriven.ts";
import { loadKnownPlan, loadPlan, mayPass, type LoadedPlan, type PlanRead } from "./load-plan.ts";
import { createPlansInLine } from "./plans-in-line.ts";
import { driveProject, type ProjectDeps, type Projecting } from "./project.ts";
import { createLaterTakeUp, isEnded } from "./steer/take-up-later.ts";
import { createTurns, type Place, type Turns } from "./turns.ts";

type RunnerDeps = DriveDeps & ReaderDeps;
export type Runner = Omit<DrivenRuns, "follow" | "leaveAll"> & {
  /** Takes up what an earlier process left, then whatever is granted, now and later. */
  start(): Promise<void>;
  /** The same once more, when nothing is stopped any longer. */
  takeUp(): Promise<void>;
  /** Looks for what was granted since, and for what was decided about what runs. */
  look(): void;
  /** Runs this one alone, begun or not, and answers when it is over. */
  runOne(runId: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * Everything that is granted runs, a few at a time and the oldest first. INVARIANT: a run is driven by one place: whoever
 * holds the data directory, and there once; a task of a project by its project. [WSTORE-06]
 */
export function createRunner(given: RunnerDeps): Runner {
  const { follow: followRun, leaveAll, ...driven } = createDrivenRuns();
  const taken = new Set<string>();
  const turns = createTurns({ perScope: LIMITS.runsAtOnce, inTotal: LIMITS.runsInTotal });
  let phase: "idle" | "on" | "closed" = "idle";
  const again = async (runId: string): Promise<void> => (phase === "on" ? later.after(runId) : undefined);
  const enqueue = async (preparing: Preparing): Promise<"left" | "busy" | "broken"> => {
    const { runId } = preparing.grant;
    if (taken.has(runId)) return "busy";
    taken.add(runId);
    let went: "left" | "broken" = "left";
    await begin(preparing).catch((cause: unknown) => {
      given.log.error("run_broken", { run_id: runId, cause });
      went = "broken";
    });
    // What was left in the middle, because somebody else changed it in the same moment, can be taken up again.
    taken.delete(runId);
    await again(runId);
    return went;
  };
  const dispatch = createDispatch(given, {
    drive: (grant) => enqueue({ grant, kept: null }),
    rest: again,
    giveUp: (grant, reason) => endUnbegun(given, { grant, kept: null, reason }),
  });
  const deps: DriveDeps = { ...given, store: dispatch.watch(given.store) };
  const { begin } = createBeginning({ deps, turns, driven, followRun, isClosed: () => phase === "closed" });
  const takeUp = async (): Promise<void> => {
    driven.lookAll();
    if (phase !== "on") return;
    for (const found of await leftBehind(deps)) void enqueue(found);
    await dispatch.lookAgain();
  };
  const later = createLaterTakeUp(deps, () => void takeUp());
  return {
    ...driven,
    async start() {
      phase = "on";
      await takeUp();
    },
    takeUp,
    look() {
      driven.lookAll();
      if (phase === "on") void dispatch.look();
    },
    async runOne(runId) {
      const left = await leftOf(deps, runId);
      if (left === null) await dispatch.runOne(runId);
      else await enqueue(left);
    },
    async close() {
      phase = "closed";
      later.close();
      turns.close();
      await leaveAll();
      await dispatch.close();
    },
  };
}

type BeginningParts = {
  readonly deps: DriveDeps;
  readonly turns: Turns;
  readonly driven: Omit<DrivenRuns, "follow" | "leaveAll">;
  readonly followRun: DrivenRuns["follow"];
  readonly isClosed: () => boolean;
};

/** What becomes of a run once somebody has it: a plan waits for its turn, and a project has its tasks wait for theirs. */
function createBeginning({ deps, turns, driven, followRun, isClosed }: BeginningParts) {
  const follow = async (going: DrivenRun, loaded: LoadedPlan): Promise<void> => {
    await followRun(loaded.grant.runId, going);
    if (going.isBroken()) await endBroken(deps, brokenEnd(loaded));
  };
  const drive = async (task: Preparing, { place, loaded }: Turn): Promise<void> => {
    if (await deps.isStopped()) return;
    const run = await prepare(deps, { ...task, loaded });
    if (run === null || isClosed()) return;
    await follow(driveRun(deps, { ...run, place }), run.loaded);
  };
  const inLine = createPlansInLine(LIMITS.plansInLineChars);
  /** Waits for its turn by what the plan says of its places. */
  const inTurn = (task: Preparing, loaded: Loaded): Promise<void> => {
    const claim = loaded.ok ? claimOf(loaded.value.item) : NO_CLAIM;
    const take = inLine.keep(loaded.ok ? loaded.value : null);
    return turns.add(claim, (place) => drive(task, { place, loaded: take() }));
  };
  const runTask = async (task: Preparing, read?: PlanRead): Promise<void> =>
    inTurn(task, await loadKnownPlan(deps, { grant: task.grant, ...(read && { read }) }));
  const projectDeps = { ...deps, driven, inTurn: (piece: () => Promise<void>) => turns.add(NO_CLAIM, piece) };
  return {
    async begin(preparing: Preparing): Promise<void> {
      // Nothing begins while everything is stopped; what waits is looked for again when it is not.
      if (await deps.isStopped()) return;
      const loaded = await loadPlan(deps, preparing.grant);
      if (!loaded.ok || loaded.value.item.type !== "project") return inTurn(preparing, loaded);
      const { read } = loaded.value;
      const withTasks: ProjectDeps = { ...projectDeps, runTask: (task) => runTask(task, read) };
      const project = await readProject(deps, loaded.value);
      if (project !== null && !isClosed()) await follow(driveProject(withTasks, project), loaded.value);
    },
  };
}

type Loaded = Awaited<ReturnType<typeof loadPlan>>;
type Turn = { readonly place: Place; readonly loaded: LoadedPlan | null };

/** A run that broke in the midst of what it may have done outside is one nobody knows the end of. */
const brokenEnd = ({ grant, item }: LoadedPlan) =>
  ({ grant, status: item.files.write.length > 0 ? "in_doubt" : "stuck" }) as const;

/** This one, if it was begun and has not ended; null when it was not begun, or there is nothing to take up. */
async function leftOf({ store }: DriveDeps, runId: string): Promise<Preparing | null> {
  const run = await store.find(runId);
  if (!run.ok || run.value === null || run.value.endedAt !== null) return null;
  const grant = await store.grantOf(runId);
  return grant.ok && grant.value !== null ? { grant: grant.value, kept: run.value } : null;
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
    else if (await isEnded(deps, grant.value.projectRunId)) {
      // A task whose project has ended without it is taken up by nobody.
      await endBroken(deps, { grant: grant.value, status: "in_doubt" });
    }
  }
  return found;
}

/** Null when it cannot run at all, which is then kept and recorded. A plan that was read is held to its text at the gate. */
async function prepare(
  deps: DriveDeps,
  { grant, loaded: read }: Preparing & Pick<Turn, "loaded">,
): Promise<Omit<Driving, "place"> | null> {
  const now = await deps.store.find(grant.runId);
  // Somebody ended it while it waited.
  if (!now.ok || (now.value !== null && now.value.endedAt !== null)) return null;
  // Also what somebody had rest while it waited for its turn.
  const kept = now.value;
  const at = deps.clock.now();
  const fresh = read === null ? await loadPlan(deps, grant) : ok(read);
  if (!fresh.ok) {
    if (mayPass(fresh.error)) deps.log.error("run_stopped", { run_id: grant.runId, ...fresh.error });
    else await endBlocked(deps, { grant, kept, reason: fresh.error.code });
    return null;
  }
  const loaded = fresh.value;
  const { item: plan, contentHash: planHash } = loaded;
  const { runId, tokenId } = grant;
  const unlinked = kept === null ? await deps.spaces.linkageProblem(plan, at) : null;
  if (unlinked !== null) {
    await endUnbegun(deps, { grant, kept, reason: unlinked });
    return null;
  }
  const { systemGates } = deps;
  // A task has its place in the project's approval; what is asked about plans is asked about those that stand alone.
  const planner = grant.projectRunId === null ? deps.planner : "absent";
  if (kept === null) {
    return { loaded, known: "new", state: createRun({ plan, systemGates, planner, runId, tokenId, planHash, at }) };
  }
  const ledger = await deps.store.ledger(runId);
  if (!ledger.ok) {
    deps.log.error("run_stopped", { run_id: runId, ...ledger.error });
    return null;
  }
  return {
    loaded,
    known: "kept",
    state: reloadRun({ plan, systemGates, planner, run: kept, ledger: ledger.value, at }),
  };
}
