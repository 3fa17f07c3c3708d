import { err, type Instant, type Result } from "#base";
import { defaultSandboxConfig, sandboxWords, type SandboxConfig, type WorkItem } from "#model";
import type { Sandboxes, SandboxSpace, WorkStore } from "#ports";
import { changedBetween, type CheckFiles, type RunPlan, type StepEnd } from "#work";
import type { ArtifactFiles } from "./artifact-files.ts";
import { keepArtifacts } from "./artifacts.ts";
import { readCheckFiles } from "./check-files.ts";
import { assertCleared, type ClearedRun } from "./entry-gate.ts";
import { layInputs, readInputs, type Linked } from "./inputs.ts";
import { openTree } from "./repository-tree.ts";

export type SpaceSettings = {
  readonly memoryMb: number;
  readonly cpuSeconds: number;
  readonly store: Pick<WorkStore, "doneBefore" | "find">;
  readonly artifacts: ArtifactFiles;
};
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
  /** Why results of other work that a plan takes over cannot be had; null when they can. Nothing is opened for it. */
  linkageProblem(plan: Linked, before: Instant): Promise<string | null>;
  /** Keeps what a step left, and says what it is. */
  artifactsIn(space: SandboxSpace): (places: Readonly<Record<string, string>>) => Promise<StepEnd["artifacts"]>;
  /** What the steps changed in it that checks may rely on. */
  changedIn(space: SandboxSpace, plan: RunPlan): Promise<readonly string[]>;
};
export type StepsPlan = RunPlan & Linked & Pick<WorkItem, "repository">;

export function createRunSpaces(sandboxes: Sandboxes, settings: SpaceSettings): RunSpaces {
  const { memoryMb, cpuSeconds } = settings;
  const usual = defaultSandboxConfig({ memoryMb, cpuSeconds });
  const configOf = (plan: RunPlan, given: Pick<SandboxConfig, "readPaths" | "writePaths">): SandboxConfig => {
    const seconds = [...plan.steps, ...plan.verify].map(({ timeout }) => timeout);
    return { ...usual, ...given, limits: { ...usual.limits, timeoutMs: Math.max(1, ...seconds) * 1000 } };
  };
  /** What checks may rely on, as it was before the first step; a workspace that began empty held none of it. */
  const filesBefore = new WeakMap<SandboxSpace, CheckFiles>();
  const open = (config: SandboxConfig): Opened => openIn(sandboxes, config);
  /** Empty, or with the tree of a repository. */
  const openBegun = async (config: SandboxConfig, { repository, verify }: StepsPlan): Opened => {
    if (repository === null) return open(config);
    const tree = await openTree(sandboxes, { repository, usual });
    if (!tree.ok) return tree;
    const opened = await open({ ...config, workDir: tree.value.workspace });
    await tree.value.close();
    if (opened.ok) filesBefore.set(opened.value, await readCheckFiles(opened.value.workspace, verify));
    return opened;
  };
  return {
    async forSteps(run, plan) {
      assertCleared(run);
      const { read, write } = plan.files;
      const config = configOf(plan, { readPaths: read.map(inPlace), writePaths: write.map(inPlace) });
      const opened = await openBegun(config, plan);
      if (!opened.ok || plan.followUpOf === null) return opened;
      const begun = await settings.store.find(run.runId);
      const before = begun.ok ? begun.value?.startedAt : undefined;
      const { workspace } = opened.value;
      const laid =
        before === undefined
          ? err("Its beginning is not known")
          : await layInputs(settings, { plan, before, workspace });
      if (laid.ok) return opened;
      await opened.value.close();
      return laid;
    },
    forChecks(run, { plan, workspace }) {
      assertCleared(run);
      const places = [...plan.files.read, ...plan.files.write].map(inPlace);
      return open(configOf(plan, { readPaths: [{ path: workspace, as: RESULTS }, ...places], writePaths: [] }));
    },
    async linkageProblem(plan, before) {
      const found = await readInputs(settings, { plan, before });
      return found.ok ? null : found.error;
    },
    artifactsIn:
      ({ workspace }) =>
      (places) =>
        keepArtifacts(settings.artifacts, { workspace, places }),
    async changedIn(space, { verify }) {
      return changedBetween(filesBefore.get(space) ?? new Map(), await readCheckFiles(space.workspace, verify));
    },
  };
}

async function openIn(sandboxes: Sandboxes, config: SandboxConfig): Opened {
  const opened = await sandboxes.open(config);
  if (opened.ok) return opened;
  const { what, fix } = sandboxWords(opened.error);
  return err(`Nothing could run: ${what}. Fix: ${fix}`);
}

const inPlace = (path: string): SandboxConfig["readPaths"][number] => ({ path, as: path });
