import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { assert, err, ok } from "#base";
import { parseYaml } from "#config";
import { DONE, type TimerOwner } from "#engine";
import type { Config, Gate, KeptRequest, RunRecord, SandboxConfig, SandboxRun } from "#model";
import type {
  EgressGateway,
  GateRunner,
  Log,
  ModelGateway,
  ReviewFeed,
  SandboxCommand,
  Sandboxes,
  Timers,
} from "#ports";
import {
  createPlanner,
  createReviewFeed,
  createSystemGates,
  createWork,
  SHIPPED_MEANS,
  systemTimers,
  withStop,
  type Connections,
  type GateCallables,
  type OtherParts,
  type Work,
} from "#runtime";
import { createMemoryModels } from "#gateway";
import { createSandboxes } from "#sandbox";
import { createMemoryVault } from "#stores";
import { answerTo, BY, NO_SKILLS, openTrust, RUNTIME_FILE, type Trust, type TrustOpening } from "./approval-world.ts";
import { inWorld, type World } from "./disk-run.ts";

const plan = (more: string): string => `---
id: task-steps
type: task
title: Make a page
budget: { max_attempts: 3 }
${more}steps:
  - { name: write, run: make page }
  - { name: close, run: make end }
verify:
  - name: page is there
    run: look
    expect: { exit_code: 0 }
---

# What to do

Make the page.
`;

/** Everything happens in its workspace, so that an attempt may be repeated. */
export const INSIDE = plan("");
/** The same with a place outside, where nothing may be done twice. */
export const OUTSIDE = plan("files: { write: [/srv/pages] }\n");

export type Script = (command: SandboxCommand, config: SandboxConfig) => Promise<number> | number;
export type Played = Sandboxes & { readonly opened: () => number; readonly ran: readonly string[] };

/** Sandboxes in which a script answers with exit codes. The real ones have their own contract. */
export function playSandboxes(root: string, script: Script = () => 0): Played {
  const ran: string[] = [];
  let opened = 0;
  const nothing = { bytes: new Uint8Array(), isTruncated: false };
  return {
    ran,
    opened: () => opened,
    support: async () => ({ state: "ready", backend: "subprocess", version: "played" }),
    close: async () => {},
    open: async (config) => {
      opened += 1;
      const workspace = join(root, `space-${opened}`);
      mkdirSync(workspace, { recursive: true });
      let isClosed = false;
      return ok({
        id: `space-${opened}`,
        workspace,
        close: async () => void (isClosed = true),
        run: async (command) => {
          if (isClosed) return err({ code: "sandbox_closed" });
          ran.push(command.argv.join(" "));
          const end: SandboxRun["end"] = { kind: "exit", code: await script(command, config) };
          return ok({ end, stdout: nothing, stderr: nothing, durationMs: 1 });
        },
      });
    },
  };
}

export type Working = {
  readonly trust: Trust;
  readonly work: Work;
  /** Told of decisions, as a running Silas is. */
  readonly review: ReviewFeed;
  /** Those of the configuration among them. */
  readonly gates: GateRunner;
};
type Opening = TrustOpening & {
  readonly sandboxes: Sandboxes;
  /** Where faults are logged; nowhere unless this says so. */
  readonly log?: Log;
  /** Gates of the configuration. */
  readonly system?: readonly Gate[];
  /** Checks of somebody's own, for gates that name them. */
  readonly callables?: GateCallables;
  /** What is connected; nothing unless this says so. */
  readonly connect?: (around: Around) => Connections["uses"];
  /** What carries out work that a model does; without it there is none. */
  readonly models?: ModelGateway;
  /** When goals are looked at; never by themselves unless this says so. */
  readonly scheduling?: { readonly timers: Timers; readonly scheduler: Config["scheduler"] };
  /** What is suggested by itself; nothing unless this says so. */
  readonly suggestions?: Config["suggestions"];
  /** What decisions do besides beginning runs; nothing unless this says so. */
  readonly others?: () => Partial<OtherParts>;
};

/** What connections are made of, besides their skills. */
export type Around = Pick<Working, "trust" | "review"> & { readonly sandboxes: Sandboxes; readonly log: Log };

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
const NO_MODEL = createMemoryModels(() => "", { kind: "absent", reason: "address_missing" });

export const NEVER_DUE = {
  timers: systemTimers,
  scheduler: { enabled: false, timezone: "UTC", missedRunPolicy: "once", missedRunGraceMinutes: 5 },
} as const;

/** Everything between a plan and its result, on a real file. */
export async function openWork(world: World, opening: Opening): Promise<Working> {
  const { sandboxes, system = [], scheduling = NEVER_DUE, log = SILENT } = opening;
  const trust = await openTrust(world, opening);
  const { stores } = trust;
  const guarded = withStop(sandboxes, stores.stops);
  const sandbox = { defaultMemoryMb: 512, defaultCpuSeconds: 60, verifyDir: opening.dataDir };
  const settings = {
    gates: { system, llmDefaults: { timeoutSeconds: 1 } },
    limits: { maxGateEvalsPerTurn: 100 },
    sandbox,
    approval: { maxExecutions: 1 },
    execution: { artifactsKeepDays: 90 },
    models: { tokensPerDay: 1_000_000 },
    bus: { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 5 },
    scheduler: scheduling.scheduler,
    suggestions: opening.suggestions ?? NO_SUGGESTIONS,
    ownerId: "owner",
  };
  const { clock } = world;
  const gates = createSystemGates({
    config: settings,
    audit: stores.audit,
    clock,
    timers: systemTimers,
    sandboxes: guarded,
    means: { ...SHIPPED_MEANS, callables: opening.callables ?? {} },
  });
  const review = createReviewFeed({ stores, clock, log });
  const around = {
    gates,
    timers: scheduling.timers,
    randomness: world.seeded,
    readYaml: opening.readYaml ?? parseYaml,
    decided: trust.decided,
    clock,
    log,
    review,
    proposals: trust.approvals,
  };
  const { models = NO_MODEL, skills = NO_SKILLS, connect = () => NO_CONNECTIONS } = opening;
  const planner = createPlanner({ ...around, config: { ...PLANNING, bus: settings.bus }, stores, models });
  const whole = createWork({
    ...around,
    config: { dataDir: opening.dataDir, ...LIMITED, ...settings, limits: { ...settings.limits, ...LIMITED.limits } },
    stores: planner.stores,
    vault: opening.vault,
    models,
    registry: stores.keys,
    sandboxes: guarded,
    skills,
    connections: { uses: connect({ trust, review, sandboxes: guarded, log }), timed: NOTHING_TIMED },
    jobs: {},
    others: () => ({ ...NO_OTHERS, ...opening.others?.() }),
  });
  return { trust, work: planner.around(whole), review, gates };
}

const nothing = async (): Promise<void> => {};
const settled = async () => ok();
const NO_OTHERS: OtherParts = {
  messages: { decided: settled },
  memory: { settle: settled },
  skills: { settle: settled, close: nothing },
  connections: { settle: async () => ok("begun" as const), start: nothing, close: nothing },
};
/** No connection is looked at in this world. */
const NOTHING_TIMED: TimerOwner = { runs: "never", records: "timer", handle: async () => DONE };

/** As they are shipped, but for the switch. */
export const NO_SUGGESTIONS = {
  enabled: false,
  heartbeatCron: "*/15 * * * *",
  cooldownMinutes: 120,
  maxPendingPerScope: 5,
  dedupeWindowMinutes: 180,
} as const;

/** How the planner is asked about runs. */
const PLANNING = {
  execution: { maxReplanDepth: 2 },
  models: { maxOutputTokens: 1000, tokensPerDay: 1_000_000 },
  personality: { constitution: ["Never fabricate information"] },
};

/** The limits of autonomy as they are shipped. Nothing is proposed about them by itself here. */
/** Nothing is connected in this world, and a step that says so is not begun. */
const NO_CONNECTIONS: Connections["uses"] = {
  judge: async () => ok({ verdict: { kind: "blocked", reason: "nothing is connected here" }, known: null }),
  outcomeOf: async () => ok("failed"),
  isLent: () => false,
  open: async () => err("nothing is connected here"),
};

const LIMITED = {
  batchReview: { defaultSize: 10, confidence: { highMin: 0.85, mediumMin: 0.5 } },
  limits: { autonomyProposalsPerWeekPerScope: 3, suggestionsPerHourPerScope: 6 },
  autonomy: {
    enabled: false,
    minSamples: 30,
    windowActions: 50,
    windowDays: 14,
    widenCorrectionRateMax: 0.05,
    tightenCorrectionRateMin: 0.2,
    hysteresisDelta: 0.05,
    maxStandingExecutions: 100,
    maxBatchReviewSize: 50,
    minHighConfidence: 0.7,
  },
};

/** Proposes and approves a plan; answers with the run that this granted. */
export async function grantPlan({ trust, work }: Working, text: string): Promise<string> {
  const proposed = await trust.approvals.propose(text, BY);
  assert(proposed.ok, `a plan is proposed: ${JSON.stringify(proposed)}`);
  const { request } = proposed.value;
  assert((await trust.approvals.decide(answerTo(request, "approved"))).ok, "a plan is approved");
  return runOf(work, request);
}

export async function runOf(work: Work, { requestId }: Pick<KeptRequest, "requestId">): Promise<string> {
  const listed = await work.list();
  const found = listed.ok ? listed.value.find((one) => one.requestId === requestId) : undefined;
  assert(found !== undefined, "what was granted is listed");
  return found.run.runId;
}

/** As a start does: takes up what was left and granted, until nothing is left to do. */
export async function settleAll({ work }: Working): Promise<readonly RunRecord[]> {
  await work.start();
  return allEnded(work);
}

export async function allEnded(work: Work): Promise<readonly RunRecord[]> {
  let runs: readonly RunRecord[] = [];
  await until(async () => {
    const listed = await work.list();
    assert(listed.ok, "runs can be read");
    runs = listed.value.map(({ run }) => run);
    return runs.every(({ endedAt }) => endedAt !== null);
  });
  return runs;
}

export async function closeWork({ work, trust }: Pick<Working, "work" | "trust">): Promise<void> {
  await work.close();
  trust.stores.close();
}

/** The first program waits until it is let go, and so does every other until then. */
export function heldProgram(): { readonly script: Script; readonly started: Promise<void>; readonly go: () => void } {
  const { promise: started, resolve: isStarted } = Promise.withResolvers<void>();
  const { promise: gone, resolve: go } = Promise.withResolvers<number>();
  const script: Script = () => {
    isStarted();
    return gone;
  };
  return { script, started, go: () => go(0) };
}

export type WorkScene = Working & {
  readonly world: World;
  readonly sandboxes: Played;
  /** The file itself, as somebody with access to it sees it. */
  readonly database: DatabaseSync;
};

/** A world with work in it, and played sandboxes, for as long as somebody looks at it. */
export function inWorkScene(script: Script, look: (scene: WorkScene) => Promise<void>): Promise<void> {
  return inWorld(3, async (world) => {
    const dataDir = join(world.root, "data");
    const sandboxes = playSandboxes(join(world.root, "spaces"), script);
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes });
    const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
    try {
      await look({ ...working, world, sandboxes, database });
    } finally {
      database.close();
      await closeWork(working);
    }
  });
}

/** By the clock and not by turns: how many of those the disk takes for an answer is up to the machine. */
const PATIENCE_MS = 240_000;
/** Played sandboxes answer within a few turns. A real one needs the processor that looking again and again would take. */
const TURNS_WITHOUT_PAUSE = 200;
const PAUSE_MS = 5;

/** Waits for something that is done in turns, and not for ever. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (let turns = 0; performance.now() < endsAtMs; turns += 1) {
    if (await isSo()) return;
    await (turns < TURNS_WITHOUT_PAUSE ? turn() : pause(PAUSE_MS));
  }
  throw new Error("it does not come to that");
}

export async function statusOf({ work }: Pick<Working, "work">, runId: string): Promise<string> {
  const shown = await work.show(runId);
  return shown.ok ? shown.value.run.status : shown.error.code;
}

/** The sandbox of this machine, with a way to the network that somebody stands in for. */
export const realSandboxes = ({ root }: Pick<World, "root">, egress: EgressGateway): Sandboxes =>
  createSandboxes({
    settings: { backend: "subprocess", workDir: join(root, "data/sandbox/work") },
    own: [],
    host: { platform: process.platform, arch: process.arch, searchPath: "/usr/bin:/bin", node: process.execPath },
    randomness: { bytes: (count) => randomBytes(count) },
    timers: systemTimers,
    egress,
  });
