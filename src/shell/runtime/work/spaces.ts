import { err, type Result } from "#base";
import { defaultSandboxConfig, sandboxWords, type SandboxConfig } from "#model";
import type { Sandboxes, SandboxSpace } from "#ports";
import type { RunPlan } from "#work";
import { assertCleared, type ClearedRun } from "./entry-gate.ts";

export type SpaceSettings = { readonly memoryMb: number; readonly cpuSeconds: number };
/** Refused with the words of what kept it closed. */
type Opened = Promise<Result<SandboxSpace, string>>;

/** Where a check finds what the steps left, and cannot change it. [VER-05] */
export const RESULTS = "/results";

/** The only way of a run into a sandbox. */
export type RunSpaces = {
  /** A fresh workspace for one attempt, with exactly the places the plan names. */
  forSteps(run: ClearedRun, plan: RunPlan): Opened;
  /** Another sandbox, which shares nothing with the first: it sees the workspace and every place, all to read only. */
  forChecks(run: ClearedRun, checking: { readonly plan: RunPlan; readonly workspace: string }): Opened;
};

export function createRunSpaces(sandboxes: Sandboxes, settings: SpaceSettings): RunSpaces {
  const configOf = (plan: RunPlan, given: Pick<SandboxConfig, "readPaths" | "writePaths">): SandboxConfig => {
    const usual = defaultSandboxConfig(settings);
    const seconds = [...plan.steps, ...plan.verify].map(({ timeout }) => timeout);
    return { ...usual, ...given, limits: { ...usual.limits, timeoutMs: Math.max(1, ...seconds) * 1000 } };
  };
  const open = async (config: SandboxConfig): Opened => {
    const opened = await sandboxes.open(config);
    if (opened.ok) return opened;
    const { what, fix } = sandboxWords(opened.error);
    return err(`Nothing could run: ${what}. Fix: ${fix}`);
  };
  return {
    forSteps(run, plan) {
      assertCleared(run);
      const { read, write } = plan.files;
      return open(configOf(plan, { readPaths: read.map(inPlace), writePaths: write.map(inPlace) }));
    },
    forChecks(run, { plan, workspace }) {
      assertCleared(run);
      const places = [...plan.files.read, ...plan.files.write].map(inPlace);
      return open(configOf(plan, { readPaths: [{ path: workspace, as: RESULTS }, ...places], writePaths: [] }));
    },
  };
}

const inPlace = (path: string): SandboxConfig["readPaths"][number] => ({ path, as: path });
