import { mkdir, writeFile, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { constants } from "node:fs";
import { err, ok, type Instant, type Result } from "#base";
import {
  defaultSandboxConfig,
  sandboxWords,
  type ExecutionEnvelope,
  type SandboxConfig,
  type WorkItem,
  type Artifacts,
  type VerificationCheck,
} from "#model";
import type { Sandboxes, SandboxSpace, WorkStore } from "#ports";
import { SKILLS_PLACE } from "#tools";
import { changedBetween, type CheckFiles, type RunPlan, type StepSeen, isCheckProgram, mayDecideCheck } from "#work";
import { withConnection } from "../connections/step-space.ts";
import type { ConnectionUses } from "../connections/uses.ts";
import { createGuards, type RunCredentials } from "../credentials/run-credentials.ts";
import { type ArtifactFiles, keepArtifacts, type Places as ArtifactPlaces } from "./artifacts.ts";
import type { InstalledSkills } from "../skills/installed.ts";
import { createRunSkills, type RunSkills, type SkillPlan } from "../skills/run-skills.ts";
import { assertCleared, type ClearedRun } from "./entry-gate.ts";
import { readDraft } from "./ask/read-draft.ts";
import { openTree } from "./repository-tree.ts";

export type SpaceSettings = {
  readonly memoryMb: number;
  readonly cpuSeconds: number;
  readonly store: Pick<WorkStore, "doneBefore" | "find">;
  readonly artifacts: ArtifactFiles;
  readonly credentials: RunCredentials;
  readonly skills: Pick<InstalledSkills, "load">;
  readonly connections: ConnectionUses;
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
  /** Asked right before a step: what the script of a skill reads, or why nothing of the step runs. */
  inputFor: RunSkills["inputFor"];
  /** The space as one step finds it, with the secrets and the connection that its plan names for it. */
  asStep(space: SandboxSpace, step: { readonly envelope: ExecutionEnvelope }): SandboxSpace;
  /** Keeps what a step left, and says what it is; refused with words when that shows a secret. */
  artifactsIn(space: SandboxSpace): (places: ArtifactPlaces) => Promise<LeftBehind>;
  /** A text that a step left, to be shown; refused with words when it is none, is too long, or shows a secret. */
  draftIn(space: SandboxSpace, place: string): Promise<Result<string, string>>;
  /** What the steps changed in it that checks may rely on. */
  changedIn(space: SandboxSpace, plan: RunPlan): Promise<readonly string[]>;
};
type LeftFiles = Extract<StepSeen, { readonly stdout: string }>["artifacts"];
export type LeftBehind = Result<LeftFiles, string>;
type StepsPlan = RunPlan & Linked & SkillPlan & Pick<WorkItem, "repository">;

export function createRunSpaces(sandboxes: Sandboxes, settings: SpaceSettings): RunSpaces {
  const { memoryMb, cpuSeconds } = settings;
  const usual = defaultSandboxConfig({ memoryMb, cpuSeconds });
  const configOf = (plan: RunPlan, given: Pick<SandboxConfig, "readPaths" | "writePaths">): SandboxConfig => {
    const seconds = [...plan.steps, ...plan.verify].map(({ timeout }) => timeout);
    return { ...usual, ...given, limits: { ...usual.limits, timeoutMs: Math.max(1, ...seconds) * 1000 } };
  };
  /** The files that checks may rely on, as they were before the first step. */
  const filesBefore = new WeakMap<SandboxSpace, CheckFiles>();
  const guards = createGuards(settings.credentials);
  const skills = createRunSkills(settings.skills);
  return {
    async forSteps(run, plan) {
      assertCleared(run);
      const { read, write } = plan.files;
      const config = configOf(plan, { readPaths: read.map(inPlace), writePaths: write.map(inPlace) });
      const begin = () => withSkills(skills, { plan, sandboxes, usual, config });
      const opened = await guards.open({ ...run, ...plan }, begin);
      if (opened.ok) filesBefore.set(opened.value, await checkFilesOf(opened.value, plan));
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
      const config = configOf(plan, { readPaths: [{ path: workspace, as: RESULTS }, ...places], writePaths: [] });
      return guards.open({ ...run, ...plan }, () => openIn(sandboxes, config));
    },
    async linkageProblem(plan, before) {
      const found = await readInputs(settings, { plan, before });
      return found.ok ? null : found.error;
    },
    inputFor: skills.inputFor,
    asStep: (space, step) => withConnection(settings, { space: guards.asStep(space, step), step }),
    artifactsIn: (space) => async (places) => {
      const problem = await guards.problemIn(space, places);
      if (problem !== null) return err(problem);
      return ok(await keepArtifacts(settings.artifacts, { workspace: space.workspace, places }));
    },
    async draftIn(space, place) {
      const problem = await guards.problemIn(space, { draft: place });
      return problem === null ? readDraft(space.workspace, place) : err(problem);
    },
    async changedIn(space, plan) {
      const before = filesBefore.get(space) ?? new Map();
      return guards.clearNames(space, changedBetween(before, await checkFilesOf(space, plan)));
    },
  };
}

const checkFilesOf = ({ workspace }: SandboxSpace, { files, verify }: Pick<RunPlan, "files" | "verify">) =>
  readCheckFiles({ workspace, granted: files.write, checks: verify });

type WithSkills = Beginning & { readonly sandboxes: Sandboxes };

/** The listed skills lie beside the workspace, to read only, and go with it. [WORK-08] */
async function withSkills(skills: RunSkills, { sandboxes, config, usual, plan }: WithSkills): Opened {
  const laid = await skills.lay(plan, { in: sandboxes, usual });
  if (!laid.ok) return laid;
  const { value: beside } = laid;
  if (beside === null) return openBegun(sandboxes, { config, usual, plan });
  const readPaths = [...config.readPaths, { path: beside.workspace, as: SKILLS_PLACE }];
  const opened = await openBegun(sandboxes, { config: { ...config, readPaths }, usual, plan });
  if (!opened.ok) await beside.close();
  return opened.ok ? ok(closingWith(opened.value, beside)) : opened;
}

const closingWith = (space: SandboxSpace, beside: SandboxSpace): SandboxSpace => ({
  ...space,
  async close() {
    await space.close();
    await beside.close();
  },
});

type Beginning = { readonly config: SandboxConfig; readonly usual: SandboxConfig; readonly plan: StepsPlan };

/** Empty, or with the tree of a repository. */
async function openBegun(sandboxes: Sandboxes, { config, usual, plan: { repository } }: Beginning): Opened {
  if (repository === null) return openIn(sandboxes, config);
  const tree = await openTree(sandboxes, { repository, usual });
  if (!tree.ok) return tree;
  const opened = await openIn(sandboxes, { ...config, workDir: tree.value.workspace });
  await tree.value.close();
  return opened;
}

async function openIn(sandboxes: Sandboxes, config: SandboxConfig): Opened {
  const opened = await sandboxes.open(config);
  if (opened.ok) return opened;
  const { what, fix } = sandboxWords(opened.error);
  return err(`Nothing could run: ${what}. Fix: ${fix}`);
}

const inPlace = (path: string): SandboxConfig["readPaths"][number] => ({ path, as: path });

/** Where a workspace holds what was taken over from other work. */
const INPUTS = "inputs";

type Linked = Pick<WorkItem, "followUpOf" | "inputArtifactsFrom">;
type InputDeps = { readonly store: Pick<WorkStore, "doneBefore">; readonly artifacts: ArtifactFiles };
type Asked = { readonly plan: Linked; readonly before: Instant };

/**
 * Results that a plan takes over: those it names of the last run of that work which was done before. What is not there is
 * said in words, and nothing begins then. [WORK-15] [WORK-16]
 */
async function findInputs({ store }: InputDeps, { plan, before }: Asked): Promise<Result<Artifacts, string>> {
  const { followUpOf: item, inputArtifactsFrom: wanted } = plan;
  if (item === null) return ok({});
  const found = await store.doneBefore(item, before);
  if (!found.ok) return err(`The results of ${item} cannot be read`);
  if (found.value === null) return err(`It follows ${item}, which is not done`);
  const { artifacts } = found.value;
  if (wanted.includes("*")) return ok(artifacts);
  const missing = wanted.filter((name) => !Object.hasOwn(artifacts, name));
  if (missing.length > 0) return err(`It takes over results that ${item} does not have: ${missing.join(", ")}`);
  return ok(
    Object.fromEntries(wanted.flatMap((name) => (artifacts[name] === undefined ? [] : [[name, artifacts[name]]]))),
  );
}

/** The same with their bytes, each as its digest says. */
async function readInputs(deps: InputDeps, asked: Asked): Promise<Result<ReadonlyMap<string, Uint8Array>, string>> {
  const found = await findInputs(deps, asked);
  if (!found.ok) return found;
  const inputs = new Map<string, Uint8Array>();
  for (const [name, { sha256 }] of Object.entries(found.value)) {
    const bytes = await deps.artifacts.read(sha256);
    if (bytes === null) return err(`The bytes of ${name} were not kept, or are damaged`);
    inputs.set(name, bytes);
  }
  return ok(inputs);
}

type Laying = Asked & { readonly workspace: string };

/** Puts them into a workspace in which nothing runs yet. A folder of that name that came with a repository is not touched. */
async function layInputs(deps: InputDeps, { workspace, ...asked }: Laying): Promise<Result<void, string>> {
  const inputs = await readInputs(deps, asked);
  if (!inputs.ok) return inputs;
  if (inputs.value.size === 0) return ok();
  try {
    // Not recursive: whatever lies there already, a link too, is a reason to stop.
    await mkdir(join(workspace, INPUTS), { mode: 0o700 });
  } catch {
    return err(`The repository has a folder ${INPUTS} of its own, where results are to be laid`);
  }
  for (const [name, bytes] of inputs.value) {
    await writeFile(join(workspace, INPUTS, name), bytes, { flag: "wx", mode: 0o600 });
  }
  return ok();
}

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");
const FILES_MOST = 5_000;
/** A granted folder may be as large as a home. */
const FOLDERS_MOST = 20_000;
const BYTES_MOST = 16 * 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

type CheckPlaces = {
  readonly workspace: string;
  /** Folders outside that the run may change; their files are named by their whole paths. */
  readonly granted: readonly string[];
  readonly checks: readonly VerificationCheck[];
};

/**
 * The files of a workspace and of granted folders that checks may rely on. Programs made what lies there: no link is
 * followed, and what is too large or too much to read counts as another each time, so that it is reported rather than
 * passed over.
 */
export async function readCheckFiles({ workspace, granted, checks }: CheckPlaces): Promise<CheckFiles> {
  const found = new Map<string, string>();
  const inWorkspace = (path: string): string | null => (mayDecideCheck(path, checks) ? path : null);
  let isWhole = await readFolder({ root: workspace, nameOf: inWorkspace, found });
  for (const root of granted) {
    const nameOf = (path: string): string | null => {
      const whole = join(root, path);
      return mayDecideCheck(path, checks) || isCheckProgram(whole, checks) ? whole : null;
    };
    isWhole &&= await readFolder({ root, nameOf, found });
  }
  return isWhole ? found : found.set("more files than can be compared", `${performance.now()}`);
}

type Reading = {
  readonly root: string;
  /** The name of a file that counts as a test; null for any other. */
  readonly nameOf: (path: string) => string | null;
  readonly found: Map<string, string>;
};

/** False when there is more than is read. */
async function readFolder({ root, nameOf, found }: Reading): Promise<boolean> {
  const folders = [""];
  for (let place = 0; place < folders.length; place += 1) {
    const folder = folders[place] ?? "";
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      // What git keeps for itself is not what a check runs.
      if (entry.isDirectory() && path !== ".git") folders.push(path);
      const name = entry.isDirectory() ? null : nameOf(path);
      if (name === null) continue;
      if (found.size >= FILES_MOST) return false;
      found.set(name, entry.isFile() ? await digestOf(join(root, path)) : "no file");
    }
    if (folders.length > FOLDERS_MOST) return false;
  }
  return true;
}

async function digestOf(path: string): Promise<string> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return "unreadable";
  try {
    const { size } = await file.stat();
    if (size > BYTES_MOST) return `too large at ${performance.now()}`;
    return createHash("sha256")
      .update(await file.readFile())
      .digest("hex");
  } finally {
    await file.close();
  }
}
