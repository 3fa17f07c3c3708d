import { join } from "node:path";
import { msOfInstant } from "#base";
import { createMemoryModels, type ModelScript } from "#gateway";
import type { WorkDetail } from "#model";
import type { ModelGateway } from "#ports";
import { createMemoryVault } from "#stores";
import { inWorld, type World } from "../disk-run.ts";
import { createVirtualTimers } from "../seeded.ts";
import { closeWork, NEVER_DUE, openWork, playSandboxes, type Script, type Working } from "../work-world.ts";

type Plan = { readonly budget?: string; readonly front?: string };

/** A plan that a model carries out, and whose check passes once it has done as it was advised. */
export const modelPlan = ({ budget = "", front = "" }: Plan = {}): string => `---
id: task-page
type: task
title: Make a page
executor: model
tools: [shell_exec]
budget: { max_attempts: 5, max_wall_time_seconds: 900${budget} }
${front}verify:
  - { name: page is there, run: look, expect: { exit_code: 0 } }
---

# What to do

Make the page.
`;

export const ADVICE = "Make it well, not fast.";
export const isPlanner = ({ system }: { readonly system: string }): boolean => system.startsWith("You are the planner");
const call = (how: string): string => JSON.stringify({ tool: "shell_exec", args: { argv: ["make", how] } });
const END = JSON.stringify({ summary: "made", artifact_refs: [], next_steps: [] });

/** Makes the page in the one way it knows, and in the other once it is advised so. */
const working: ModelScript = ({ prompt }) => {
  if (!prompt.includes("Nothing was called yet")) return END;
  return call(prompt.includes(ADVICE) ? "well" : "fast");
};
export const advising =
  (message: string): ModelScript =>
  (question) =>
    isPlanner(question) ? JSON.stringify({ message }) : working(question);

/** What was made well passes the check. */
export function pageScript(): Script {
  let isWell = false;
  return ({ argv }) => {
    if (argv.join(" ") === "make well") isWell = true;
    if (argv[0] === "make") return 0;
    return isWell ? 0 : 1;
  };
}

export type AdviceScene = Working & {
  readonly world: World;
  readonly models: ReturnType<typeof createMemoryModels>;
  readonly dataDir: string;
  readonly vault: ReturnType<typeof createMemoryVault>;
  /** Lets time pass up to here, timer by timer. */
  readonly passMs: (ms: number) => void;
};
type Staged = {
  readonly says: ModelScript;
  /** Between the models and whoever asks them. */
  readonly around?: (models: ModelGateway) => ModelGateway;
};

/** A world whose time only passes when it is told to, with a model that says what it is told to. */
export function inAdviceScene(
  { says, around = (models) => models }: Staged,
  look: (scene: AdviceScene) => Promise<void>,
): Promise<void> {
  return inWorld(11, async (world) => {
    const dataDir = join(world.root, "data");
    const vault = createMemoryVault();
    const timers = createVirtualTimers(world.clock);
    const models = createMemoryModels(says);
    const sandboxes = playSandboxes(join(world.root, "spaces"), pageScript());
    const scheduling = { ...NEVER_DUE, timers };
    const opened = await openWork(world, { dataDir, vault, sandboxes, models: around(models), scheduling });
    const passMs = (ms: number): void => {
      const endMs = msOfInstant(world.clock.now()) + ms;
      while (timers.next(endMs));
      world.clock.moveMs(Math.max(0, endMs - msOfInstant(world.clock.now())));
    };
    try {
      await look({ ...opened, world, models, dataDir, vault, passMs });
    } finally {
      await closeWork(opened);
    }
  });
}

export async function shown({ work }: Pick<Working, "work">, runId: string): Promise<WorkDetail> {
  const detail = await work.show(runId);
  if (!detail.ok) throw new Error("it is shown");
  return detail.value;
}

/** Holds the planner's answers back until they are let go. */
export function holdPlanner() {
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const around = (models: ModelGateway): ModelGateway => ({
    ...models,
    async ask(question) {
      const answer = await models.ask(question);
      if (!isPlanner({ system: question.system.join("\n\n") })) return answer;
      asked.resolve();
      await gone.promise;
      return answer;
    },
  });
  return { around, asked: asked.promise, go: () => gone.resolve() };
}
