import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { assert, ok } from "#base";
import { parseYaml } from "#config";
import type { Config, Gate, KeptRequest, RunRecord, SandboxConfig, SandboxRun } from "#model";
import type { SandboxCommand, Sandboxes, Timers, Vault } from "#ports";
import { createReviewFeed, createSystemGates, createWork, systemTimers, withStop, type Work } from "#runtime";
import { answerTo, BY, openTrust, type Trust } from "./approval-world.ts";
import type { World } from "./disk-run.ts";

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
      return ok({
        id: `space-${opened}`,
        workspace,
        close: async () => {},
        run: async (command) => {
          ran.push(command.argv.join(" "));
          const end: SandboxRun["end"] = { kind: "exit", code: await script(command, config) };
          return ok({ end, stdout: nothing, stderr: nothing, durationMs: 1 });
        },
      });
    },
  };
}

export type Working = { readonly trust: Trust; readonly work: Work };
type Opening = {
  readonly dataDir: string;
  readonly vault: Vault;
  readonly sandboxes: Sandboxes;
  /** Gates of the configuration. */
  readonly system?: readonly Gate[];
  readonly onStatement?: (sql: string) => void;
  /** When goals are looked at; never by themselves unless this says so. */
  readonly scheduling?: { readonly timers: Timers; readonly scheduler: Config["scheduler"] };
};

const NEVER_DUE = {
  timers: systemTimers,
  scheduler: { enabled: false, timezone: "UTC", missedRunPolicy: "once", missedRunGraceMinutes: 5 },
} as const;

/** Everything between a plan and its result, on a real file. */
export async function openWork(world: World, opening: Opening): Promise<Working> {
  const { sandboxes, system = [], scheduling = NEVER_DUE } = opening;
  const trust = await openTrust(world, opening);
  const { stores } = trust;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const guarded = withStop(sandboxes, stores.stops);
  const sandbox = { defaultMemoryMb: 512, defaultCpuSeconds: 60, verifyDir: opening.dataDir };
  const settings = {
    gates: { system, llmDefaults: { timeoutSeconds: 1 } },
    limits: { maxGateEvalsPerTurn: 100 },
    sandbox,
    approval: { maxExecutions: 1 },
    scheduler: scheduling.scheduler,
  };
  const { clock } = world;
  const gates = createSystemGates({
    config: settings,
    audit: stores.audit,
    clock,
    timers: systemTimers,
    sandboxes: guarded,
  });
  const work = createWork({
    gates,
    timers: scheduling.timers,
    randomness: world.seeded,
    config: { dataDir: opening.dataDir, batchReview: { defaultSize: 10, confidence: { mediumMin: 0.5 } }, ...settings },
    stores,
    registry: stores.keys,
    sandboxes: guarded,
    review: createReviewFeed({ store: stores.approvals, log }),
    proposals: trust.approvals,
    readYaml: parseYaml,
    clock,
    log,
  });
  return { trust, work };
}

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

const TURNS_MAX = 20_000;

/** As a start does: takes up what was left and granted, until nothing is left to do. */
export async function settleAll({ work }: Working): Promise<readonly RunRecord[]> {
  await work.start();
  for (let turns = 0; turns < TURNS_MAX; turns += 1) {
    const listed = await work.list();
    assert(listed.ok, "runs can be read");
    if (listed.value.every(({ run }) => run.endedAt !== null)) return listed.value.map(({ run }) => run);
    await turn();
  }
  throw new Error("a run does not end");
}
