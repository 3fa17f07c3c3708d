import { join } from "node:path";
import { assert } from "#base";
import { createMemoryVault } from "#stores";
import type { Vault } from "#ports";
import { RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach, type PickStates } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";
import {
  closeWork,
  grantPlan,
  INSIDE,
  openWork,
  OUTSIDE,
  playSandboxes,
  settleAll,
  type Script,
} from "./work-world.ts";

/** A run that is cut: its plan, what programs answer, and the steps that leave something outside. */
type Scene = { readonly name: string; readonly text: string; readonly script: () => Script };
type PickedScene = Scene & { readonly pick: PickStates | undefined };

const SCENES: readonly Scene[] = [
  { name: "inside", text: INSIDE, script: () => () => 0 },
  { name: "outside", text: OUTSIDE, script: () => () => 0 },
  // The check fails once, so that a second attempt is cut too.
  { name: "retry", text: INSIDE, script: failsOnce },
];

function failsOnce(): Script {
  let looks = 0;
  return ({ argv }) => (argv[0] === "look" && (looks += 1) === 1 ? 1 : 0);
}

/**
 * Ends the process at every statement between a granted approval and the end of its run. Each state is opened again: the
 * run goes on to an end or is in doubt, the chain holds, and what reaches outside is never done twice. [WSTORE-06]
 */
export function cutRuns(seed: number, pick?: PickStates): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let states = 0;
    for (const scene of SCENES) states += await cutScene(world, { ...scene, pick });
    return { states };
  });
}

async function cutScene(world: World, scene: PickedScene): Promise<number> {
  const dataDir = join(world.root, scene.name);
  const vault = createMemoryVault();
  const { cutting, sandboxes } = cuttingOf(world, { scene, dataDir, name: "first" });
  const working = await openWork(world, { dataDir, vault, sandboxes, onStatement: cutting.onStatement });
  const runId = await grantPlan(working, scene.text);
  cutting.start();
  await working.work.runGranted(runId);
  cutting.finish();
  const whole = await working.work.show(runId);
  assert(whole.ok && whole.value.run.status === "done" && whole.value.run.isVerified, "undisturbed it is done");
  await closeWork(working);
  const cuts = cutting.cuts();
  const look = (dir: string, ran: readonly string[]): Promise<void> => checkCut(world, { scene, dir, vault, ran });
  const states = await lookAtEach(cuts, { file: RUNTIME_FILE, into: world.root, pick: scene.pick, look });
  let again = 0;
  await lookAtEach([world.seeded.pick(cuts)], {
    file: RUNTIME_FILE,
    into: join(world.root, "once"),
    look: async (dir, ran) => {
      again = await cutAgain(world, { scene, dir, vault, ran });
    },
  });
  return states + again;
}

/** The second crash: taking the run up again is cut in the same way. */
async function cutAgain(world: World, { scene, dir, vault, ran }: Cut): Promise<number> {
  const { cutting, sandboxes } = cuttingOf(world, { scene, dataDir: dir, name: "second" });
  const working = await openWork(world, { dataDir: dir, vault, sandboxes, onStatement: cutting.onStatement });
  cutting.start();
  await settleAll(working);
  cutting.finish();
  await closeWork(working);
  return lookAtEach(cutting.cuts(), {
    file: RUNTIME_FILE,
    into: join(world.root, "twice"),
    pick: scene.pick,
    look: (second, since) => checkCut(world, { scene, dir: second, vault, ran: [...ran, ...since] }),
  });
}

type CuttingOptions = { readonly scene: Scene; readonly dataDir: string; readonly name: string };

/** A disk and sandboxes that are watched together: each state of the disk, and what had been run until then. */
function cuttingOf(world: World, { scene, dataDir, name }: CuttingOptions) {
  const sandboxes = playSandboxes(join(world.root, "spaces"), scene.script());
  const into = join(world.root, `cuts-${name}-${scene.name}`);
  const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: () => [...sandboxes.ran] });
  return { cutting, sandboxes };
}

type Cut = {
  readonly scene: PickedScene;
  readonly dir: string;
  readonly vault: Vault;
  readonly ran: readonly string[];
};

async function checkCut(world: World, { scene, dir, vault, ran }: Cut): Promise<void> {
  const sandboxes = playSandboxes(join(world.root, "spaces"));
  const working = await openWork(world, { dataDir: dir, vault, sandboxes });
  const runs = await settleAll(working);
  assert(runs.length === 1, "there is one run, and it is in sight");
  const [run] = runs;
  assert(run !== undefined && (run.status === "done" || run.status === "in_doubt"), `it ends: ${JSON.stringify(run)}`);
  const all = [...ran, ...sandboxes.ran];
  if (scene.name === "outside") {
    for (const step of ["make page", "make end"]) {
      assert(all.filter((one) => one === step).length <= 1, `T10 ${step} is done once: ${all.join(", ")}`);
    }
  } else assert(run.status === "done" && run.isVerified, "what stays inside is repeated until it is done");
  assert(run.status === "done" || run.lastError !== null, "what is in doubt says why");
  const verdict = await working.trust.stores.audit.verify("genesis");
  assert(verdict.ok && verdict.value.valid, "AUD-02 the chain holds");
  await working.work.close();
  // A second start finds nothing more to do.
  const after = playSandboxes(join(world.root, "spaces"));
  const again = await openWork(world, { dataDir: dir, vault, sandboxes: after });
  await settleAll(again);
  assert(after.opened() === 0, "what has ended stays ended");
  await closeWork(again);
  working.trust.stores.close();
  checkIntegrity(join(dir, RUNTIME_FILE));
}
