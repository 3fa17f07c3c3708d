import { join } from "node:path";
import { assert } from "#base";
import type { KeptRequest } from "#model";
import { createMemoryVault } from "#stores";
import { BY, openTrust, PLAN, RUNTIME_FILE, type Trust } from "./approval-world.ts";
import { checkIntegrity, createCutDisk, lookAtAll, type PickStates } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";

/** One act on the file of trust that is cut at every write. */
export type Act = {
  readonly name: string;
  prepare(world: World, trust: Trust): Promise<void>;
  run(world: World, trust: Trust): Promise<boolean>;
};

type Acts<A extends Act> = {
  readonly acts: readonly A[];
  readonly pick?: PickStates | undefined;
  /** Looks at what a cut left, ends the act, and looks again. */
  readonly check: (cut: Cut<A>) => Promise<void>;
};
export type Cut<A extends Act> = {
  readonly act: A;
  readonly world: World;
  readonly trust: Trust;
  readonly dir: string;
};

/** Does every act undisturbed, and opens each state of the file on the way as a crash would have left it. */
export function cutActs<A extends Act>(seed: number, { acts, ...how }: Acts<A>): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let states = 0;
    for (const act of acts) states += await cutAct(act, { world, ...how });
    return { states };
  });
}

type How<A extends Act> = Omit<Acts<A>, "acts"> & { readonly world: World };

async function cutAct<A extends Act>(act: A, { world, check, pick }: How<A>): Promise<number> {
  const dataDir = join(world.root, act.name);
  const vault = createMemoryVault();
  const disk = createCutDisk({ dataDir, file: RUNTIME_FILE, into: join(world.root, `cuts ${act.name}`) });
  const trust = await openTrust(world, { dataDir, vault, onStatement: disk.onStatement });
  await act.prepare(world, trust);
  disk.start();
  assert(await act.run(world, trust), `to ${act.name} succeeds when nothing disturbs it`);
  disk.finish();
  trust.stores.close();
  return lookAtAll(disk.states(), {
    file: RUNTIME_FILE,
    into: world.root,
    pick,
    look: async (dir) => {
      const left = await openTrust(world, { dataDir: dir, vault });
      await check({ act, world, trust: left, dir });
      left.stores.close();
      checkIntegrity(join(dir, RUNTIME_FILE));
    },
  });
}

/** The one request there is; it is proposed when it is not there. */
export async function requestIn({ stores, approvals }: Trust, text = PLAN): Promise<KeptRequest> {
  const all = await stores.approvals.list(["pending", "approved", "declined", "expired"]);
  assert(all.ok, "requests can be read");
  const [found] = all.value;
  if (found !== undefined) return found;
  const proposed = await approvals.propose(text, BY);
  assert(proposed.ok, "a plan is proposed");
  return proposed.value.request;
}
