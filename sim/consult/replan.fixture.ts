import { join } from "node:path";
import { createMemoryModels, type ModelScript } from "#gateway";
import type { KeptRequest, WorkDetail } from "#model";
import { createMemoryVault } from "#stores";
import { answerTo } from "../approval-world.ts";
import { inWorld, type World } from "../disk-run.ts";
import { closeWork, grantPlan, openWork, playSandboxes, runOf, type Played, type Working } from "../work-world.ts";

type Way = { readonly id?: string; readonly title?: string; readonly front?: string; readonly step: string };

/** A plan with one step and one check. */
export const wayOf = ({ id = "task-page", title = "Make a page", front = "", step }: Way): string => `---
id: ${id}
type: task
title: ${title}
budget: { max_attempts: 3 }
${front}steps:
  - { name: write, run: ${step} }
verify:
  - { name: page is there, run: look, expect: { exit_code: 0 } }
---

# What to do

Make the page.
`;

export const FIRST = wayOf({ step: "make page" });
export const OTHER = wayOf({ id: "task-other", step: "copy page" });

export const revise = (plan_markdown: string, message = "It copies."): string =>
  JSON.stringify({ message, tool: "propose_plan", args: { plan_markdown } });

type Scene = Working & {
  readonly world: World;
  readonly sandboxes: Played;
  readonly models: ReturnType<typeof createMemoryModels>;
  readonly dataDir: string;
};

type Staged = {
  readonly says: ModelScript;
  /** Programs that succeed; every other fails. */
  readonly works?: readonly string[];
  readonly model?: "set" | "absent";
};

/** A world in which programs fail as they are told, with a model that says what it is told to. */
export function inReplanScene(staged: Staged, look: (scene: Scene) => Promise<void>): Promise<void> {
  const { says, works = [], model = "set" } = staged;
  return inWorld(5, async (world) => {
    const dataDir = join(world.root, "data");
    const sandboxes = playSandboxes(join(world.root, "spaces"), ({ argv }) => (works.includes(argv.join(" ")) ? 0 : 1));
    const models =
      model === "set" ? createMemoryModels(says) : createMemoryModels(says, { kind: "absent", reason: "key_missing" });
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes, models });
    try {
      await look({ ...working, world, sandboxes, models, dataDir });
    } finally {
      await closeWork(working);
    }
  });
}

/** Approves a plan, runs it until it has ended and nobody is asked about it any more, and shows it. */
export async function runPlan(scene: Working, text: string): Promise<WorkDetail> {
  return runGranted(scene, await grantPlan(scene, text));
}

export async function approve(scene: Working, request: KeptRequest): Promise<WorkDetail> {
  const decided = await scene.trust.approvals.decide(answerTo(request, "approved"));
  if (!decided.ok) throw new Error(`it is approved: ${JSON.stringify(decided.error)}`);
  return runGranted(scene, await runOf(scene.work, request));
}

async function runGranted({ work }: Working, runId: string): Promise<WorkDetail> {
  await work.runGranted(runId);
  const shown = await work.show(runId);
  if (!shown.ok) throw new Error("it is shown");
  return shown.value;
}

export async function waiting({ trust }: Working): Promise<readonly KeptRequest[]> {
  const inbox = await trust.approvals.inbox();
  return inbox.ok ? inbox.value : [];
}

export async function eventsOf({ trust }: Working): Promise<readonly string[]> {
  const entries = await trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 });
  return entries.ok ? entries.value.map(({ event }) => event).toReversed() : [];
}
