import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { assert } from "#base";
import type { Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { BY, RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach, type PickStates } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";
import {
  closeWork,
  grantPlan,
  heldProgram,
  openWork,
  OUTSIDE,
  playSandboxes,
  settleAll,
  statusOf,
  until,
  type Working,
} from "./work-world.ts";

/** What was asked for, in order, each once it was acknowledged. */
type Word = "paused" | "resumed" | "stopped" | "starting" | "again";
type Scene = { readonly name: string; play(played: Played): Promise<void> };
type Played = Working & {
  readonly runId: string;
  /** Settles when the first program has started; it ends when it is let go. */
  readonly started: Promise<void>;
  readonly go: () => void;
  readonly hear: (word: Word) => void;
};

const SCENES: readonly Scene[] = [
  {
    name: "pause",
    async play({ work, runId, started, go, hear }) {
      const running = work.start();
      await started;
      assert((await work.pause(runId, BY)).ok, "a run is held");
      hear("paused");
      go();
      await until(async () => (await statusOf({ work }, runId)) === "paused");
      assert((await work.resume(runId, BY)).ok, "it goes on");
      hear("resumed");
      await running;
      await until(async () => (await statusOf({ work }, runId)) === "done");
    },
  },
  {
    name: "stop",
    async play({ work, runId, started, go, hear }) {
      const running = work.start();
      await started;
      const stopping = work.stops.stop(BY);
      go();
      assert((await stopping).ok, "everything is stopped");
      hear("stopped");
      assert((await work.stops.current()).ok, "it can be read");
      // From here on it may have been taken back, also before that is acknowledged.
      hear("starting");
      assert((await work.stops.startAgain(BY)).ok, "it may begin again");
      hear("again");
      await running;
      await until(async () => (await statusOf({ work }, runId)) === "cancelled");
    },
  },
];

/** Ends the process at every statement of pausing, going on, stopping everything and starting again. */
export function cutSteering(seed: number, pick?: PickStates): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let states = 0;
    for (const scene of SCENES) states += await cutScene(world, { ...scene, pick });
    return { states };
  });
}

async function cutScene(world: World, scene: Scene & { readonly pick: PickStates | undefined }): Promise<number> {
  const dataDir = join(world.root, scene.name);
  const vault = createMemoryVault();
  const words: Word[] = [];
  const { script, started, go } = heldProgram();
  const sandboxes = playSandboxes(join(world.root, "spaces"), script);
  const into = join(world.root, `cuts-${scene.name}`);
  const see = () => ({ ran: [...sandboxes.ran], words: [...words] });
  const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see });
  const working = await openWork(world, { dataDir, vault, sandboxes, onStatement: cutting.onStatement });
  const runId = await grantPlan(working, OUTSIDE);
  cutting.start();
  await scene.play({ ...working, runId, started, go, hear: (word) => void words.push(word) });
  cutting.finish();
  await closeWork(working);
  return lookAtEach(cutting.cuts(), {
    file: RUNTIME_FILE,
    into: world.root,
    pick: scene.pick,
    look: (dir, seen) => check(world, { dir, vault, runId, ...seen }),
  });
}

type Cut = {
  readonly dir: string;
  readonly vault: Vault;
  readonly runId: string;
  readonly ran: readonly string[];
  readonly words: readonly Word[];
};

async function check(world: World, { dir, vault, runId, ran, words }: Cut): Promise<void> {
  const sandboxes = playSandboxes(join(world.root, "spaces"));
  const working = await openWork(world, { dataDir: dir, vault, sandboxes });
  const { work } = working;
  const last = words.at(-1);
  const stopped = await work.stops.current();
  assert(stopped.ok && (last !== "stopped" || stopped.value !== null), "a stop that was acknowledged stands");
  assert(last !== "again" || (stopped.ok && stopped.value === null), "and so does its end");
  await work.start();
  if (stopped.ok && stopped.value !== null) {
    await turn();
    assert(sandboxes.opened() === 0, "nothing begins while everything is stopped");
    await work.stops.startAgain(BY);
  }
  if (last === "paused") {
    await until(async () => (await statusOf({ work }, runId)) === "paused");
    assert(sandboxes.opened() === 0, "what was to be held is not taken up by a start");
  }
  if ((await statusOf({ work }, runId)) === "paused") await work.resume(runId, BY);
  const runs = await settleAll(working);
  assert(runs.length === 1 && runs[0]?.endedAt !== null, "there is one run, and it ends");
  const all = [...ran, ...sandboxes.ran];
  for (const step of ["make page", "make end"]) {
    assert(all.filter((one) => one === step).length <= 1, `T10 ${step} is done once: ${all.join(", ")}`);
  }
  const verdict = await working.trust.stores.audit.verify("genesis");
  assert(verdict.ok && verdict.value.valid, "AUD-02 the chain holds");
  await closeWork(working);
  checkIntegrity(join(dir, RUNTIME_FILE));
}
