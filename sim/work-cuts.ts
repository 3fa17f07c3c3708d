import { join } from "node:path";
import { assert } from "#base";
import { createMemoryVault } from "#stores";
import type { Vault } from "#ports";
import { RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity, createCutDisk, lookAt } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";
import { grantPlan, INSIDE, openWork, OUTSIDE, playSandboxes, settleAll, type Script } from "./work-world.ts";

/** A run that is cut: its plan, what programs answer, and the steps that leave something outside. */
type Scene = { readonly name: string; readonly text: string; readonly script: () => Script };

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
export function cutRuns(seed: number): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let states = 0;
    for (const scene of SCENES) states += await cutScene(world, scene);
    return { states };
  });
}

async function cutScene(world: World, scene: Scene): Promise<number> {
  const dataDir = join(world.root, scene.name);
  const vault = createMemoryVault();
  const cutting = createCutting(world, { scene, dataDir, name: "first" });
  const working = await openWork(world, { dataDir, vault, ...cutting });
  const runId = await grantPlan(working, scene.text);
  cutting.disk.start();
  await working.work.runGranted(runId);
  cutting.disk.finish();
  const whole = await working.work.show(runId);
  assert(whole.ok && whole.value.run.status === "done" && whole.value.run.isVerified, "undisturbed it is done");
  await working.work.close();
  working.trust.stores.close();
  const states = cutting.states();
  for (const { state, ran } of states) {
    await lookAt({ state, file: RUNTIME_FILE, into: world.root }, (dir) => checkCut(world, { scene, dir, vault, ran }));
  }
  const { state, ran } = world.seeded.pick(states);
  let again = 0;
  await lookAt({ state, file: RUNTIME_FILE, into: join(world.root, "once") }, async (dir) => {
    again = await cutAgain(world, { scene, dir, vault, ran });
  });
  return states.length + again;
}

/** The second crash: taking the run up again is cut in the same way. */
async function cutAgain(world: World, { scene, dir, vault, ran }: Cut): Promise<number> {
  const cutting = createCutting(world, { scene, dataDir: dir, name: "second" });
  const working = await openWork(world, { dataDir: dir, vault, ...cutting });
  cutting.disk.start();
  await settleAll(working);
  cutting.disk.finish();
  await working.work.close();
  working.trust.stores.close();
  const states = cutting.states();
  for (const { state, ran: since } of states) {
    await lookAt({ state, file: RUNTIME_FILE, into: join(world.root, "twice") }, (second) =>
      checkCut(world, { scene, dir: second, vault, ran: [...ran, ...since] }),
    );
  }
  return states.length;
}

type CuttingOptions = { readonly scene: Scene; readonly dataDir: string; readonly name: string };

/** A disk and sandboxes that are watched together: each state of the disk, and what had been run until then. */
function createCutting(world: World, { scene, dataDir, name }: CuttingOptions) {
  const disk = createCutDisk({ dataDir, file: RUNTIME_FILE, into: join(world.root, `cuts-${name}-${scene.name}`) });
  const sandboxes = playSandboxes(join(world.root, "spaces"), scene.script());
  const ranBefore: number[] = [];
  const onStatement = (sql: string): void => {
    // What only reads leaves the file as it was.
    if (sql.trimStart().startsWith("SELECT")) return;
    disk.onStatement(sql);
    ranBefore[disk.states().length - 1] = sandboxes.ran.length;
  };
  // Every commit waits for the disk, so that the log never loses what a later effect was built on.
  const states = () =>
    disk.states().flatMap((state, index) => {
      const ran = sandboxes.ran.slice(0, ranBefore[index] ?? sandboxes.ran.length);
      return state.damage === null ? [{ state, ran }] : [];
    });
  return { disk, sandboxes, onStatement, states };
}

type Cut = { readonly scene: Scene; readonly dir: string; readonly vault: Vault; readonly ran: readonly string[] };

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
  await again.work.close();
  again.trust.stores.close();
  working.trust.stores.close();
  checkIntegrity(join(dir, RUNTIME_FILE));
}
