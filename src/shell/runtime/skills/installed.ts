import { err, ok, type Result } from "#base";
import {
  readPayload,
  SKILL_DOCUMENT,
  type SkillInstall,
  type SkillUnusable,
  type StoreFault,
  type UnusableReason,
  type WorkItem,
} from "#model";
import type { ApprovalStore, KeyRegistry, SkillFolders, SkillStore, SkillTree } from "#ports";
import { isSkillCall, type SkillToolCall, type ToolCall } from "#tools";
import { callOf, fillArguments, readManifest, resolveScript, skillFact } from "#work";
import type { ReadYaml, SkillFact, SkillManifest } from "#work";
import { holdsApproval } from "../keys/signed-request.ts";

export type InstalledDeps = {
  readonly store: SkillStore;
  readonly folders: SkillFolders;
  readonly approvals: Pick<ApprovalStore, "find" | "findApproval">;
  readonly registry: KeyRegistry;
  readonly readYaml: ReadYaml;
};

/** A skill that may be used: the bytes that were approved, and what they say. */
export type LoadedSkill = {
  readonly name: string;
  readonly tree: SkillTree;
  readonly manifest: SkillManifest;
};
type Loaded<T> = Promise<Result<T, SkillUnusable | StoreFault>>;
type SkillWork = Pick<WorkItem, "skills" | "steps">;

/** Skills that are installed and active, asked anew at every use. [INST-06] */
export type InstalledSkills = {
  load(name: string): Loaded<LoadedSkill>;
  /** Whether the approval of an installation holds. */
  isApproved(install: SkillInstall): Promise<Result<boolean, StoreFault>>;
  /** The versions of everything these plans list, if all of it can be used as they use it. */
  factsFor(works: readonly SkillWork[]): Loaded<readonly SkillFact[]>;
};

export function createInstalledSkills(deps: InstalledDeps): InstalledSkills {
  const load = (name: string) => loadSkill(deps, name);
  return {
    load,
    isApproved: (install) => isApproved(deps, install),
    async factsFor(works) {
      const skills = new Map<string, LoadedSkill>();
      for (const name of new Set(works.flatMap((work) => work.skills))) {
        const loaded = await load(name);
        if (!loaded.ok) return loaded;
        skills.set(name, loaded.value);
      }
      for (const work of works) {
        const refused = work.steps.map((step) => wrongCall(callOf(step), { work, skills })).find((one) => one !== null);
        if (refused !== undefined) return err(refused);
      }
      return ok([...skills.values()].map(({ name, tree }) => skillFact(name, tree.digest)));
    },
  };
}

/** The row, the approval it names and the folder are each read again; whichever does not hold keeps it from being used. */
async function loadSkill(deps: InstalledDeps, name: string): Loaded<LoadedSkill> {
  const found = await deps.store.find(name);
  if (!found.ok) return found;
  const install = found.value;
  if (install === null) return unusable(name, "not_installed");
  if (install.state !== "active") return unusable(name, "not_active");
  const approved = await isApproved(deps, install);
  if (!approved.ok) return approved;
  if (!approved.value) return unusable(name, "unapproved");
  const tree = await deps.folders.read(name);
  if (!tree.ok) return unusable(name, tree.error.reason === "missing" ? "missing" : "changed");
  if (tree.value.digest !== install.treeDigest) return unusable(name, "changed");
  const manifest = readManifest(documentIn(tree.value), deps.readYaml);
  return manifest === null ? unusable(name, "unreadable") : ok({ name, tree: tree.value, manifest });
}

export function documentIn({ files }: SkillTree): string {
  const file = files.find(({ path }) => path === SKILL_DOCUMENT);
  return file === undefined ? "" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.bytes);
}

/**
 * Whether this installation was signed, by a key that counts, for exactly these bytes. Read from where it is kept and
 * checked anew: a row that says "active" is no signature. [INV-06]
 */
export async function isApproved(
  { approvals, registry }: Pick<InstalledDeps, "approvals" | "registry">,
  { requestId, tokenId, treeDigest, name }: Pick<SkillInstall, "requestId" | "tokenId" | "treeDigest" | "name">,
): Promise<Result<boolean, StoreFault>> {
  const found = await approvals.find(requestId);
  if (!found.ok) return found;
  const request = found.value;
  if (request === null || request.kind !== "skill_install" || request.state !== "approved") return ok(false);
  const read = readPayload("skill_install", request.projection);
  const isThis =
    read.ok &&
    read.value.payload.kind === "skill_install" &&
    read.value.payload.name === name &&
    read.value.payload.tree_digest === treeDigest;
  if (!isThis || request.tokenId !== tokenId) return ok(false);
  return holdsApproval({ approvals, registry }, { request, subjectId: read.value.subjectId });
}

type Company = { readonly work: SkillWork; readonly skills: ReadonlyMap<string, LoadedSkill> };

/** What is wrong with one call of a script; null when it could run as it is. [EXEC-11] [SKILL-09] */
function wrongCall(call: ToolCall, { work, skills }: Company): SkillUnusable | null {
  if (!isSkillCall(call)) return null;
  const { skill: name } = call.args;
  const skill = work.skills.includes(name) ? skills.get(name) : undefined;
  if (skill === undefined) return { code: "skill_unusable", name, reason: "not_listed", about: "" };
  const input = inputFor(skill, call.args);
  return input.ok ? wrongUse(skill, call.args) : input.error;
}

/** What a plan says it uses is what the script declares, or its card would show something else than what happens. */
function wrongUse({ name, manifest }: LoadedSkill, { connection, permissions, file }: SkillToolCall["args"]) {
  const declared = new Map(Object.entries(manifest.connection?.scriptPermissions ?? {}));
  const needed = declared.get(file) ?? [];
  const used = connection === null ? [] : permissions;
  const isSame = used.length === needed.length && needed.every((one) => used.includes(one));
  const about = `${file} (${needed.join(", ") || "none"})`;
  return isSame ? null : ({ code: "skill_unusable", name, reason: "permissions_differ", about } as const);
}

/** What a script reads on its standard input, or why it is not run. */
export function inputFor(
  { name, tree, manifest }: LoadedSkill,
  { skill, file, input }: SkillToolCall["args"],
): Result<string, SkillUnusable> {
  if (!resolveScript(tree.files, { skill, file }).ok) return refused({ name, reason: "script_missing", about: file });
  const described = Object.hasOwn(manifest.scriptArgs, file) ? (manifest.scriptArgs[file] ?? {}) : {};
  const filled = fillArguments(described, input);
  if (filled.ok) return ok(`${JSON.stringify(filled.value)}\n`);
  return refused({ name, reason: "argument_refused", about: `${filled.error.name} (${filled.error.reason})` });
}

const unusable = (name: string, reason: UnusableReason) =>
  err({ code: "skill_unusable", name, reason, about: "" } as const);

const refused = (about: Omit<SkillUnusable, "code">) => err({ code: "skill_unusable", ...about } as const);
