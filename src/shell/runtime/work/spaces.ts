import { err, type Result } from "#base";
import { defaultSandboxConfig, sandboxWords, type SandboxConfig, type WorkItem } from "#model";
import type { Sandboxes, SandboxSpace } from "#ports";
import { changedBetween, type CheckFiles, type RunPlan } from "#work";
import { readCheckFiles } from "./check-files.ts";
import { assertCleared, type ClearedRun } from "./entry-gate.ts";
import { openTree } from "./repository-tree.ts";

export type SpaceSettings = { readonly memoryMb: number; readonly cpuSeconds: number };
/** Refused with the words of what kept it closed. */
type Opened = Promise<Result<SandboxSpace, string>>;

/** Where a check finds what the steps left, and cannot change it. [VER-05] */
export const RESULTS = "/results";

/** The only way of a run into a sandbox. */
export type RunSpaces = {
  /** A fresh workspace for one attempt, with exactly the places the plan names; empty, or a tree of its repository. */
  forSteps(run: ClearedRun, plan: StepsPlan): Opened;
  /** Another sandbox, which shares nothing with the first: it sees the workspace and every place, all to read only. */
  forChecks(run: ClearedRun, checking: { readonly plan: RunPlan; readonly workspace: string }): Opened;
  /** What the steps changed in it that checks may rely on. */
  changedIn(space: SandboxSpace, plan: RunPlan): Promise<readonly string[]>;
};
export type StepsPlan = RunPlan & Pick<WorkItem, "repository">;

export function createRunSpaces(sandboxes: Sandboxes, settings: SpaceSettings): RunSpaces {
  const configOf = (plan: RunPlan, given: Pick<SandboxConfig, "readPaths" | "writePaths">): SandboxConfig => {
    const usual = defaultSandboxConfig(settings);
    const seconds = [...plan.steps, ...plan.verify].map(({ timeout }) => timeout);
    return { ...usual, ...given, limits: { ...usual.limits, timeoutMs: Math.max(1, ...seconds) * 1000 } };
  };
  /** What checks may rely on, as it was before the first step; a workspace that began empty held none of it. */
  const filesBefore = new WeakMap<SandboxSpace, CheckFiles>();
  const open = async (config: SandboxConfig): Opened => {
    const opened = await sandboxes.open(config);
    if (opened.ok) return opened;
    const { what, fix } = sandboxWords(opened.error);
    return err(`Nothing could run: ${what}. Fix: ${fix}`);
  };
  return {
    async forSteps(run, plan) {
      assertCleared(run);
      const { read, write } = plan.files;
      const { repository } = plan;
      const config = configOf(plan, { readPaths: read.map(inPlace), writePaths: write.map(inPlace) });
      if (repository === null) return open(config);
      const tree = await openTree(sandboxes, { repository, usual: defaultSandboxConfig(settings) });
      if (!tree.ok) return tree;
      const opened = await open({ ...config, workDir: tree.value.workspace });
      await tree.value.close();
      if (opened.ok) filesBefore.set(opened.value, await readCheckFiles(opened.value.workspace, plan.verify));
      return opened;
    },
    forChecks(run, { plan, workspace }) {
      assertCleared(run);
      const places = [...plan.files.read, ...plan.files.write].map(inPlace);
      return open(configOf(plan, { readPaths: [{ path: workspace, as: RESULTS }, ...places], writePaths: [] }));
    },
    async changedIn(space, { verify }) {
      return changedBetween(filesBefore.get(space) ?? new Map(), await readCheckFiles(space.workspace, verify));
    },
  };
}

const inPlace = (path: string): SandboxConfig["readPaths"][number] => ({ path, as: path });
