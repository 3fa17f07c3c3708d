import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIMITS, ok } from "#base";
import { createRun, reloadRun, type Claim } from "#work";
import { createDecisions, type DecisionParts, type Decisions, type ReaderDeps } from "#engine";
import type { ApprovalStore, GrantedRun } from "#ports";
import type { WorkItem } from "#model";
import { createGrantedRuns, type GrantedRuns } from "./steer/granted.ts";
import { createDrivenRuns, type DrivenRun, type DrivenRuns } from "./steer/driven.ts";
import { driveRun, type DriveDeps, type Driving } from "./drive.ts";
import { endBlocked, endBroken, endUnbegun, endWithoutGrant, type Preparing } from "./end-undriven.ts";
import { loadKnownPlan, loadPlan, mayPass, type LoadedPlan } from "./load-plan.ts";
import type { PlanRead } from "../approvals/project-plan.ts";
import { driveProject, type ProjectDeps, type Projecting } from "./project.ts";
import { createTurns, type Place, type Turns } from "./turns.ts";

type RunnerDeps = DriveDeps &
  ReaderDeps & {
    readonly approvals: Pick<ApprovalStore, "find" | "headings">;
    /** What decisions do besides beginning runs. */
    readonly others: () => Omit<DecisionParts, "runs">;
  };
export type Runner = Omit<DrivenRuns, "follow" | "leave" | "leaveAll"> & {
  /** Drives what an earlier process left and whatever is granted, now and later. */
  start(): Promise<void>;
  /** Retries what rests, for example when nothing is stopped any longer. */
  takeUp(): Promise<void>;
  /** Drives this run alone, begun or not, and resolves when it is over. */
  runOne(runId: string): Promise<void>;
  /** Through them a run begins, and everything else that was decided. */
  readonly decisions: Decisions;
  close(): Promise<void>;
};

/**
 * Everything that is granted runs, a few at a time and the oldest first. INVARIANT: a run is driven by one place: whoever
 * holds the data directory, and there once; a task of a project by its project. [WSTORE-06]
 */
export function createRunner(deps: RunnerDeps): Runner {
  const { follow: followRun, leave: leaveRun, leaveAll, ...driven } = createDrivenRuns();
  const turns = createTurns({ perScope: LIMITS.runsAtOnce, inTotal: LIMITS.runsInTotal });
  let phase: "idle" | "on" | "closed" = "idle";
  const { begin } = createBeginning({ deps, turns, driven, followRun, isClosed: () => phase === "closed" });
  const decisions = createDecisions({
    ...deps,
    store: deps.approvals,
    parts: () => ({ ...deps.others(), runs: { ...granted, look: driven.lookAll, leave } }),
  });
  const granted = createGrantedRuns(
    { ...deps, decisions },
    {
      drive: begin,
      leave: leaveRun,
      endUngranted: (run) => endWithoutGrant(deps, run),
      // What was begun may have reached outside before it failed.
      giveUp: ({ grant, kept }, reason) =>
        kept === null ? endUnbegun(deps, { grant, kept, reason }) : endBroken(deps, { grant, status: "in_doubt" }),
    },
  );
  const leave = (): void => {
    phase = "closed";
    turns.close();
    void leaveAll();
  };
  return {
    ...driven,
    async start() {
      phase = "on";
      await recoverUnfinished(deps, granted);
      await decisions.start();
    },
    async takeUp() {
      driven.lookAll();
      if (phase === "on") await decisions.retry();
    },
    runOne: granted.runOne,
    decisions,
    close: decisions.close,
  };
}

type BeginningParts = {
  readonly deps: DriveDeps;
  readonly turns: Turns;
  readonly driven: Omit<DrivenRuns, "follow" | "leave" | "leaveAll">;
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

/** Null when somebody ended it meanwhile, or nothing can be read. */
async function readProject({ store, log }: DriveDeps, loaded: LoadedPlan): Promise<Projecting | null> {
  const { requestId, runId } = loaded.grant;
  const grants = await store.tasksOf(requestId);
  if (!grants.ok) log.error("runs_unreadable", grants.error);
  const found = await store.find(runId);
  if (!grants.ok || !found.ok || (found.value !== null && found.value.endedAt !== null)) return null;
  return { loaded, kept: found.value, grants: grants.value };
}

/** Every run that was begun and has not ended has its message; tasks of a project are driven by their project. */
async function recoverUnfinished(deps: DriveDeps, { ensure }: Pick<GrantedRuns, "ensure">): Promise<void> {
  const left = await deps.store.unfinished();
  if (!left.ok) return deps.log.error("runs_unreadable", left.error);
  const missing: GrantedRun[] = [];
  for (const run of left.value) {
    const grant = await deps.store.grantOf(run.runId);
    if (!grant.ok) deps.log.error("runs_unreadable", grant.error);
    else if (grant.value === null) await endWithoutGrant(deps, run);
    else if (grant.value.projectRunId === null) missing.push(grant.value);
    // A task whose project has ended without it is driven by nobody.
    else if (await isEnded(deps, grant.value.projectRunId))
      await endBroken(deps, { grant: grant.value, status: "in_doubt" });
  }
  await Promise.all(missing.map(ensure));
}

async function isEnded({ store }: Pick<DriveDeps, "store">, runId: string): Promise<boolean> {
  const found = await store.find(runId);
  return found.ok && found.value !== null && found.value.endedAt !== null;
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

/** All work is the owner's today; another scope waits for its own limit only. */
const SCOPE = "owner";

const NO_CLAIM: Claim = { scope: SCOPE, writes: [], repositories: [] };

/**
 * What a plan takes hold of, resolved: a place that is reached by two names is one place, and whoever changes something
 * in a repository changes that repository. [PAR-03]
 */
function claimOf({ files, repository }: Pick<WorkItem, "files" | "repository">): Claim {
  return {
    ...NO_CLAIM,
    writes: files.write.map(around),
    repositories: repository === null ? [] : [around(repository.path)],
  };
}

function around(path: string): string {
  const place = resolved(path);
  return repositoryAround(place) ?? place;
}

/** As far as it exists: whatever cannot be resolved is refused when it is opened. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function repositoryAround(path: string): string | null {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** Gives back the plan that was kept, once; null where it has to be read afresh. */
type Take = () => LoadedPlan | null;

/**
 * Plans of what waits for its turn, as they were read to find its place in line: parsing them again when it has its turn
 * would be half the cost of taking up many runs. Those whose texts no longer fit together with the others are read afresh.
 */
export function createPlansInLine(charsMax: number): { keep(loaded: LoadedPlan | null): Take } {
  let keptChars = 0;
  return {
    keep(loaded) {
      const chars = (loaded?.read?.markdown.length ?? 0) + (loaded?.read?.projection.length ?? 0);
      if (chars === 0 || keptChars + chars > charsMax) return NOTHING;
      keptChars += chars;
      return () => {
        keptChars -= chars;
        return loaded;
      };
    },
  };
}

/** Not made where plans are kept: a function from there would hold on to the plan it does not give. */
const NOTHING: Take = () => null;
