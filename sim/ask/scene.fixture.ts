import { join } from "node:path";
import { expect } from "vitest";
import type { KeptRequest, RunRecord } from "#model";
import type { Sandboxes } from "#ports";
import { createMemoryVault } from "#stores";
import { inWorld, type World } from "../disk-run.ts";
import { grantPlan, openWork, type Working } from "../work-world.ts";

/** Work on a real file, and what its steps were given, in order. */
export type Scene = Working & { readonly world: World; readonly given: string[] };
type Staging = {
  readonly seed: number;
  /** Steps note there what they were given. */
  readonly sandboxes: (root: string, given: string[]) => Sandboxes;
};

/** `again` is a second process over the same file. */
export const inSceneOf = (
  { seed, sandboxes }: Staging,
  look: (scene: Scene, again: () => Promise<Scene>) => Promise<void>,
): Promise<void> =>
  inWorld(seed, async (world) => {
    const vault = createMemoryVault();
    const opened: Working[] = [];
    const given: string[] = [];
    const leave = async (): Promise<void> => {
      const last = opened.pop();
      await last?.work.close();
      last?.trust.stores.close();
    };
    const open = async (): Promise<Scene> => {
      await leave();
      const played = sandboxes(join(world.root, "spaces"), given);
      const working = await openWork(world, { dataDir: join(world.root, "data"), vault, sandboxes: played });
      opened.push(working);
      return { ...working, world, given };
    };
    try {
      await look(await open(), open);
    } finally {
      await leave();
    }
  });

export async function runOf({ work }: Working, runId: string): Promise<RunRecord> {
  const shown = await work.show(runId);
  if (!shown.ok) throw new Error(shown.error.code);
  return shown.value.run;
}

export async function becomes(scene: Working, runId: string, status: RunRecord["status"]): Promise<void> {
  await expect.poll(async () => (await runOf(scene, runId)).status).toBe(status);
}

export async function onlyRequest({ trust }: Working): Promise<KeptRequest> {
  const inbox = await trust.approvals.inbox();
  const [request, ...others] = inbox.ok ? inbox.value : [];
  if (request === undefined || others.length > 0) throw new Error("one request waits");
  return request;
}

/** Begins a plan, and waits until it asks. */
export async function waitsFor(
  scene: Working,
  text: string,
): Promise<{ readonly runId: string; readonly request: KeptRequest }> {
  const runId = await grantPlan(scene, text);
  await scene.work.start();
  await becomes(scene, runId, "waiting");
  return { runId, request: await onlyRequest(scene) };
}
