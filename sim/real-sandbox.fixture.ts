import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelGateway } from "#ports";
import { createSandboxes } from "#sandbox";
import { systemTimers } from "#runtime";
import { createMemoryVault } from "#stores";
import { inWorld } from "./disk-run.ts";
import { closeWork, openWork, type Working } from "./work-world.ts";

export type RealScene = Working & { readonly root: string; readonly dataDir: string; readonly workDir: string };

/** Everything between a plan and its result with the real sandbox, in a folder of the disk that goes away with it. */
export const inRealScene = (seed: number, look: (scene: RealScene) => Promise<void>): Promise<void> =>
  inScene({ seed }, look);

type Scene = { readonly seed: number; readonly models?: ModelGateway };

/** The same with a model that carries out work. */
export const inScene = ({ seed, models }: Scene, look: (scene: RealScene) => Promise<void>): Promise<void> =>
  inWorld(seed, async (world) => {
    // The world may lie in memory, where nothing can be granted.
    const root = realpathSync(mkdtempSync(join(tmpdir(), "silas-real-")));
    const dataDir = join(root, "data");
    const workDir = join(root, "work");
    const sandboxes = createSandboxes({
      settings: { backend: "subprocess", workDir },
      own: [dataDir],
      host: {
        platform: process.platform,
        arch: process.arch,
        searchPath: "/usr/local/bin:/usr/bin:/bin",
        node: process.execPath,
      },
      randomness: { bytes: (count) => randomBytes(count) },
      timers: systemTimers,
    });
    const model = models === undefined ? {} : { models };
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes, ...model });
    try {
      await look({ ...working, root, dataDir, workDir });
    } finally {
      await closeWork(working);
      rmSync(root, { recursive: true, force: true });
    }
  });
