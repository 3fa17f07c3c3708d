import { join } from "node:path";
import type { DecisionParts, Decisions, Job, ModelLedger, Queue, TimerOwner, TimerTable } from "#engine";
import { type Config, type Gate, newsBetween, type RunRecord, type RunTold } from "#model";
import type {
  ApprovalStore,
  AuditLog,
  AutonomyStore,
  BatchStore,
  Clock,
  ConsultStore,
  GateRunner,
  GoalStore,
  GrantedRun,
  KeyRegistry,
  Log,
  ModelGateway,
  Randomness,
  ReviewFeed,
  RunChange,
  RunFeed,
  SecureInputStore,
  StopStore,
  StreamDoor,
  StreamStore,
  Timers,
  TimesOf,
  Vault,
  WorkDoor,
  WorkStore,
} from "#ports";
import type { ReadYaml } from "#work";
import { createAutonomy } from "../autonomy/create.ts";
import type { DecidedPlans } from "../approvals/project-plan.ts";
import type { AutonomyParts } from "../autonomy/deps.ts";
import { createBatches } from "../batches/create.ts";
import type { BatchDeps } from "../batches/deps.ts";
import { ledgerBefore } from "../batches/load-batch.ts";
import type { ConnectionUses } from "../connections/uses.ts";
import { createRunCredentials } from "../credentials/run-credentials.ts";
import { createGoals } from "../goals/create.ts";
import { loadRepairPlan, withRepairs } from "../goals/load-goal.ts";
import { createDoubts, type DoubtsDeps } from "../doubts/create.ts";
import { createStream } from "../messages/stream.ts";
import { withReviewFeed } from "../review-feed.ts";
import type { InstalledSkills } from "../skills/installed.ts";
import { createStopDoor, type StoppableSandboxes, stoppedFact } from "../stop/stoppable.ts";
import { createSuggestions, type Suggestions } from "../suggestions/create.ts";
import type { SuggestionDeps } from "../suggestions/deps.ts";
import { createWorkDoor } from "./door.ts";
import { createRunModel, type RunModelDeps } from "./model/run-model.ts";
import { createRunNetwork } from "./network.ts";
import { createRunner, type Runner } from "./runner.ts";
import { createArtifactFiles } from "./artifacts.ts";
import { pruningJob } from "./kept/prune-artifacts.ts";
import { createRunSpaces } from "./spaces.ts";
import { createTiming, type Timing } from "../timing.ts";
import { createSteering } from "./steer/steering.ts";

type WorkParts = {
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly config: BatchDeps["config"] &
    AutonomyParts["config"] &
    SuggestionDeps["config"] & {
      readonly scheduler: Config["scheduler"];
      readonly bus: Config["bus"];
      readonly models: RunModelDeps["settings"];
      readonly approval: Pick<Config["approval"], "maxExecutions">;
      readonly sandbox: Pick<Config["sandbox"], "defaultMemoryMb" | "defaultCpuSeconds">;
      readonly gates: { readonly system: readonly Gate[] };
      readonly execution: Pick<Config["execution"], "artifactsKeepDays">;
    };
  /** Asks gates, those of the configuration among them. */
  readonly gates: GateRunner;
  readonly stores: {
    readonly autonomy: AutonomyStore;
    readonly batches: BatchStore;
    readonly goals: GoalStore;
    readonly work: WorkStore;
    readonly queue: Queue;
    readonly timers: TimerTable;
    readonly approvals: ApprovalStore;
    readonly audit: AuditLog;
    readonly stops: StopStore;
    readonly secureInputs: SecureInputStore;
    readonly streams: StreamStore;
    readonly calls: ModelLedger;
    readonly consults: ConsultStore;
    readonly suggestions: SuggestionDeps["suggestions"];
    readonly passkeys: SuggestionDeps["passkeys"];
  };
  /** Only what an approved plan names is read from it. */
  readonly vault: Pick<Vault, "get">;
  /** The one way to a model; work that a model carries out goes by it too. */
  readonly models: ModelGateway;
  readonly registry: KeyRegistry;
  readonly skills: InstalledSkills;
  readonly connections: { readonly uses: ConnectionUses; readonly timed: TimerOwner };
  readonly sandboxes: StoppableSandboxes;
  readonly review: ReviewFeed;
  /** Asks for a decision; used to ask for the same plan again. */
  readonly proposals: SuggestionDeps["proposals"];
  readonly readYaml: ReadYaml;
  /** Plans that were parsed to verify their approvals. */
  readonly decided: DecidedPlans;
  readonly clock: Clock;
  readonly log: Log;
  /** What else decisions do; the parts that do it are made later. */
  readonly others: () => OtherParts;
  /** Housekeeping of other parts. */
  readonly jobs: { readonly [name: string]: Job };
};

/** What decisions do outside this part. */
export type OtherParts = Omit<DecisionParts, "runs" | "goals" | "batches">;

export type Work = WorkDoor &
  RunFeed & {
    readonly timesOf: TimesOf;
    readonly stream: StreamDoor;
    readonly decisions: Decisions;
    /** Carries out what is decided and runs what is granted, from now on, until it is closed. */
    start(): Promise<void>;
    /** Runs this grant alone, and answers when it is over; for a terminal without a running Silas. */
    runGranted(runId: string): Promise<void>;
    /** Resolves when nothing is due and nobody acts on what was. */
    idle(): Promise<void>;
    close(): Promise<void>;
  };

/** Everything between an approval that was granted and its result. */
export function createWork(parts: WorkParts): Work {
  const { config, stores, sandboxes, review, clock, log } = parts;
  const { deps, feed, stream, artifacts, space } = createRunDeps(parts);
  const others = () => ({ ...parts.others(), goals, batches: asking.batches });
  const runner = createRunner({ ...deps, others, queue: stores.queue, bus: config.bus });
  const { forGoals, ...asking } = createAsking({ ...deps, config, review, stores });
  const goals = createGoals({
    ...deps,
    goals: stores.goals,
    runs: deps.store,
    runOne: ({ runId }) => runner.runOne(runId),
    ...forGoals,
    settings: { maxExecutions: config.approval.maxExecutions, standingUsesMax: 0 },
    scheduler: config.scheduler,
    sandboxes,
    space,
  });
  const offered = createOffered({ ...stores, ...deps, feed, config });
  const pruning = pruningJob({ ...deps, artifacts, keepDays: config.execution.artifactsKeepDays });
  const timing = createTiming({
    ...deps,
    queue: stores.queue,
    bus: config.bus,
    jobs: { ...parts.jobs, artifacts: pruning },
    goals,
    timed: parts.connections.timed,
    ...asking,
    ...offered,
  });
  return {
    ...createSteering({ ...deps, runner }),
    stops: createStopDoor({
      store: stores.stops,
      sandboxes,
      clock,
      log,
      onChanged: review.stopChanged,
      endAll: runner.endAll,
      async takeUp() {
        await runner.takeUp();
        goals.look();
      },
    }),
    ...createWorkDoor({ ...deps, runner, viewOf: asking.batches.viewOf }),
    ...asking,
    goals,
    timesOf: goals.timesOf,
    ...offered,
    stream,
    decisions: runner.decisions,
    ...feed,
    runGranted: (runId) => runGranted({ review, runner }, runId),
    timers: timing.door,
    idle: timing.idle,
    ...createLife({ ...asking, ...offered, runner, goals, timing, stream, review, sandboxes }),
  };
}

/** What a run is made of. */
function createRunDeps({ config, stores, sandboxes, review, ...rest }: WorkParts) {
  const { defaultMemoryMb: memoryMb, defaultCpuSeconds: cpuSeconds } = config.sandbox;
  const { approvals, goals: kept } = stores;
  const { store, feed } = withRunNews(withRepairs({ work: stores.work, goals: kept, approvals }));
  const { readYaml, clock, log, gates, skills } = rest;
  const { uses: connections } = rest.connections;
  const onChanged = review.changed;
  const stream = createStream({ ...rest, ...stores, systemGates: config.gates.system });
  const steering = { gates, stream, systemGates: [...config.gates.system], isStopped: stoppedFact(stores.stops) };
  const { audit, secureInputs: inputs } = stores;
  const credentials = createRunCredentials({ vault: rest.vault, inputs, audit, clock, log });
  const artifacts = createArtifactFiles(join(config.dataDir, "artifacts"));
  const given = { store, artifacts, credentials, skills, connections };
  const spaces = createRunSpaces(sandboxes, { memoryMb, cpuSeconds, ...given });
  const network = createRunNetwork({ audit, store, clock, log });
  const loadRepair = (grant: GrantedRun) => loadRepairPlan({ goals: kept, approvals, readYaml }, grant);
  const deps = {
    ...rest,
    connections,
    timerTable: stores.timers,
    store,
    approvals: withReviewFeed(approvals, review),
    loadRepair,
    ledgerBefore: (grant: GrantedRun) => ledgerBefore({ store: stores.batches, work: store }, grant),
    spaces,
    network,
    model: createRunModel({ ...rest, calls: stores.calls, settings: config.models }),
    consults: stores.consults,
    planner: rest.models.setting.kind === "absent" ? ("absent" as const) : ("set" as const),
    onChanged,
    ...steering,
  };
  return { deps, feed, stream, artifacts, space: { memoryMb, cpuSeconds } };
}

/** What a person may take up again: runs in doubt, and what Silas suggests. */
const createOffered = (parts: DoubtsDeps & SuggestionDeps) => ({
  doubts: createDoubts(parts),
  suggestions: createSuggestions(parts),
});

type Asking = Omit<BatchDeps, "audit" | "digests" | "limits" | "store" | "work"> &
  Omit<AutonomyParts, "store"> & {
    readonly stores: Pick<WorkParts["stores"], "audit" | "autonomy" | "batches">;
    readonly store: BatchDeps["work"];
  };

/** What asks by itself, and the limits it keeps to. */
function createAsking({ stores, store, ...parts }: Asking) {
  const autonomy = createAutonomy({ ...parts, store: stores.autonomy });
  const batches = createBatches({
    ...parts,
    audit: stores.audit,
    limits: autonomy,
    store: stores.batches,
    work: store,
  });
  return { autonomy, batches, forGoals: { findItems: batches.findFor, limits: autonomy } };
}

type Running = { readonly review: ReviewFeed; readonly runner: Runner };

async function runGranted({ review, runner }: Running, runId: string): Promise<void> {
  // What it asks is decided in this same process.
  const unsubscribe = review.onChanged(runner.lookAll);
  await runner.runOne(runId);
  unsubscribe();
}

type Living = Pick<WorkParts, "review" | "sandboxes"> & {
  readonly runner: Runner;
  readonly batches: ReturnType<typeof createBatches>;
  readonly goals: ReturnType<typeof createGoals>;
  readonly doubts: ReturnType<typeof createDoubts>;
  readonly suggestions: Suggestions;
  readonly timing: Timing;
  readonly stream: StreamDoor;
};

/** The beginning of all of it, and its end in the reverse order. */
function createLife(living: Living): Pick<Work, "start" | "close"> {
  const { runner, batches, goals, doubts, suggestions, timing, stream, review, sandboxes } = living;
  let unsubscribe: (() => void) | null = null;
  return {
    async start() {
      // A run that waits reads its stores at the end of its time, and sooner whenever something changed.
      unsubscribe = review.onChanged(runner.lookAll);
      await runner.start();
      await batches.settle();
      await goals.start();
      await stream.look();
      await suggestions.start();
      await timing.start();
    },
    async close() {
      unsubscribe?.();
      // Before anything is waited for: a run whose step ends meanwhile would begin its next one.
      const left = runner.close();
      const timed = timing.close();
      goals.close();
      doubts.close();
      await Promise.all([left, suggestions.close()]);
      await sandboxes.close();
      // The checks of a goal end with the sandboxes.
      await timed;
    },
  };
}

/** The same store, of whose runs everything new is told once it is kept, and who listens. [FLOW-13] */
function withRunNews(store: WorkStore): { readonly store: WorkStore; readonly feed: RunFeed } {
  const listeners = new Set<(told: RunTold) => void>();
  const last = new Map<string, RunRecord>();
  const told = async <T extends { readonly ok: boolean }>({ run }: RunChange, kept: Promise<T>): Promise<T> => {
    const answer = await kept;
    if (!answer.ok) return answer;
    const { runId, workItemId } = run;
    const news = newsBetween(last.get(runId) ?? null, run);
    if (run.endedAt === null) last.set(runId, run);
    else last.delete(runId);
    for (const one of news) for (const listener of listeners) listener({ runId, workItemId, news: one });
    return answer;
  };
  return {
    store: {
      ...store,
      begin: (change) => told(change, store.begin(change)),
      save: (change) => told(change, store.save(change)),
      ask: (change, request) => told(change, store.ask(change, request)),
    },
    feed: {
      subscribeRuns(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}
