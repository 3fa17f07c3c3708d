import { basename, isAbsolute } from "node:path";
import { assert, err, ok, type Result } from "#base";
import {
  SKILL_NAME,
  type AuditActor,
  type Config,
  type KeptRequest,
  type Payload,
  type SkillInstall,
  type SkillRefusal,
  type SkillState,
  type SkillTreeRefused,
  type SkillView,
  type StoreFault,
} from "#model";
import {
  createMutex,
  type ApprovalsDoor,
  type FindSecrets,
  type Proposed,
  type ProposeRefusal,
  type SkillsDoor,
  type SkillTree,
} from "#ports";
import { readManifest } from "#work";
import { checkTree, checkView, fileOf, shownTexts, skillRules, type CheckDeps, type Checked } from "./check.ts";
import { documentIn, type InstalledSkills } from "./installed.ts";
import { settleInstall, type SettleDeps } from "./settle.ts";

type SkillsParts = Omit<SettleDeps, "space"> & {
  readonly findSecrets: FindSecrets;
  readonly config: Pick<Config, "skills" | "sandbox">;
  readonly installed: InstalledSkills;
  /** Asks for a decision. */
  readonly proposals: Pick<ApprovalsDoor, "proposePayload">;
};
type Skills = SkillsDoor & {
  /** Carries out an approved installation; answers when nothing of it is left to do. */
  settle(decision: KeptRequest): Promise<Result<void, StoreFault>>;
  /** Answers when no trial goes on. */
  close(): Promise<void>;
};
type Deps = SkillsParts & CheckDeps & SettleDeps;

/** Skills of the owner: looked at, asked about, tried, and bound to their bytes. */
export function createSkills(parts: SkillsParts): Skills {
  const { defaultMemoryMb: memoryMb, defaultCpuSeconds: cpuSeconds } = parts.config.sandbox;
  const deps: Deps = { ...parts, space: { memoryMb, cpuSeconds }, rules: skillRules(parts.config) };
  // No installation is tried twice at once.
  const inTurn = createMutex();
  return {
    check: async (place) => {
      const found = await lookAt(deps, place);
      return found.ok ? ok(checkView(found.value)) : found;
    },
    install: (place, actor) => install(deps, { place, actor }),
    list: () => list(deps),
    show: async (name) => {
      const views = await list(deps);
      if (!views.ok) return views;
      const view = views.value.find((one) => one.name === name);
      if (view === undefined) return err({ code: "skill_unknown", name });
      const found = view.state === "missing" ? null : await lookAt(deps, name);
      return ok({ view, check: found !== null && found.ok ? checkView(found.value) : null });
    },
    remove: (name, actor) => remove(deps, { name, actor }),
    settle: (decision) => inTurn(() => settleInstall(deps, decision)),
    close: () => inTurn(async () => undefined),
  };
}

/** A name is a folder among the skills; anything with a slash is a folder of this machine. */
async function lookAt(deps: Deps, place: string): Promise<Result<Checked, SkillRefusal>> {
  const isElsewhere = isAbsolute(place);
  if (!isElsewhere && !SKILL_NAME.test(place)) return err({ code: "skill_name_refused" });
  const tree: Result<SkillTree, SkillTreeRefused> = isElsewhere
    ? await deps.folders.readAt(place)
    : await deps.folders.read(place);
  if (!tree.ok)
    return !isElsewhere && tree.error.reason === "missing" ? err({ code: "skill_unknown", name: place }) : tree;
  return ok(await checkTree(deps, { folder: place, tree: tree.value }));
}

type Asking = { readonly place: string; readonly actor: AuditActor };

/** Validation, then the report on a card; nothing is asked about a skill that fails it. [INST-01] */
async function install(deps: Deps, { place, actor }: Asking): Promise<Result<Proposed, SkillRefusal | ProposeRefusal>> {
  const found = await lookAt(deps, place);
  if (!found.ok) return found;
  const { name, tree, manifest, report } = found.value;
  if (report.problems.length > 0 || manifest === null) return err({ code: "skill_invalid", name, report });
  const active = await deps.installed.load(name);
  if (active.ok && active.value.tree.digest === tree.digest) return err({ code: "skill_active", name });
  if (isAbsolute(place)) {
    const added = await addCopy(deps, { name, tree });
    if (!added.ok) return added;
  }
  const payload: Payload = {
    kind: "skill_install",
    name,
    description: manifest.description,
    tree_digest: tree.digest,
    files: tree.files.map(fileOf),
    texts: shownTexts(found.value),
    env: [...manifest.env],
    report,
  };
  return deps.proposals.proposePayload(payload, actor);
}

/** What lies there already is never replaced; the same bytes need no copy. */
async function addCopy(
  { folders }: Deps,
  { name, tree }: { readonly name: string; readonly tree: SkillTree },
): Promise<Result<void, SkillRefusal>> {
  const added = await folders.add(name, tree);
  if (!added.ok) return added;
  if (added.value) return ok();
  const there = await folders.read(name);
  return there.ok && there.value.digest === tree.digest ? ok() : err({ code: "skill_present", name });
}

async function list(deps: Deps): Promise<Result<readonly SkillView[], StoreFault>> {
  const current = await deps.store.current();
  if (!current.ok) return current;
  const installs = new Map(current.value.map((one) => [one.name, one]));
  const names = [...new Set([...installs.keys(), ...(await deps.folders.names())])].toSorted();
  const views: SkillView[] = [];
  for (const name of names) {
    const view = await viewOf(deps, { name, install: installs.get(name) ?? null });
    if (!view.ok) return view;
    views.push(view.value);
  }
  return ok(views);
}

type Standing = { readonly state: SkillState; readonly why: string };

async function viewOf(
  deps: Deps,
  { name, install: kept }: { readonly name: string; readonly install: SkillInstall | null },
): Promise<Result<SkillView, StoreFault>> {
  const tree = await deps.folders.read(name);
  const standing = await standingOf(deps, { install: kept, tree });
  if (!standing.ok) return standing;
  const manifest = tree.ok ? readManifest(documentIn(tree.value), deps.readYaml) : null;
  return ok({
    name,
    ...standing.value,
    description: manifest?.description ?? "",
    connects: manifest?.connection?.service ?? null,
    treeDigest: tree.ok ? tree.value.digest : null,
    approvedDigest: kept?.treeDigest ?? null,
    requestId: kept?.requestId ?? null,
    installedAt: kept?.at ?? null,
  });
}

type Seen = { readonly install: SkillInstall | null; readonly tree: Result<SkillTree, SkillTreeRefused> };

async function standingOf(deps: Deps, { install: kept, tree }: Seen): Promise<Result<Standing, StoreFault>> {
  if (!tree.ok) {
    const isGone = tree.error.reason === "missing" && kept !== null;
    if (isGone) return ok({ state: "missing", why: "its folder is gone" });
    return ok({ state: kept === null ? "refused" : "changed", why: `${tree.error.reason} ${tree.error.path}`.trim() });
  }
  if (kept === null) return ok({ state: "present", why: "never installed" });
  if (kept.treeDigest !== tree.value.digest) return ok({ state: "changed", why: "approve it again as a new version" });
  if (kept.state !== "active") return ok({ state: "failed", why: kept.reason ?? "" });
  const approved = await deps.installed.isApproved(kept);
  if (!approved.ok) return approved;
  return ok(approved.value ? { state: "active", why: "" } : { state: "unapproved", why: "its approval does not hold" });
}

async function remove(
  deps: Deps,
  { name, actor }: { readonly name: string; readonly actor: AuditActor },
): Promise<Result<void, SkillRefusal | StoreFault>> {
  if (!SKILL_NAME.test(name)) return err({ code: "skill_name_refused" });
  const removed = await deps.store.remove({ name, at: deps.clock.now(), actor });
  if (!removed.ok) return removed;
  const isThere = (await deps.folders.names()).includes(name);
  if (!removed.value && !isThere) return err({ code: "skill_unknown", name });
  assert(basename(name) === name, "a skill is one folder");
  return deps.folders.remove(name);
}
