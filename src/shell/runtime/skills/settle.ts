import { err, ok, type Result } from "#base";
import { readPayload, type KeptRequest, type StoreFault } from "#model";
import type { Clock, Log, SkillFolders, SkillStore } from "#ports";
import { readManifest, type ReadYaml } from "#work";
import { documentIn, isApproved, type InstalledDeps } from "./installed.ts";
import { tryScripts, type TrialDeps } from "./trial.ts";

export type SettleDeps = TrialDeps & {
  readonly store: SkillStore;
  readonly folders: SkillFolders;
  readonly approvals: InstalledDeps["approvals"];
  readonly registry: InstalledDeps["registry"];
  readonly readYaml: ReadYaml;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Carries out an approved installation: the approval is verified again, the scripts are tried, and only then the version is
 * active. The decision is the truth, kept with its signature and its one use; settling it twice changes nothing.
 * [INST-01] [INST-07]
 */
export async function settleInstall(deps: SettleDeps, request: KeptRequest): Promise<Result<void, StoreFault>> {
  const read = readPayload("skill_install", request.projection);
  if (!read.ok || read.value.payload.kind !== "skill_install" || request.tokenId === null) {
    deps.log.error("skill_unreadable", { request_id: request.requestId });
    return ok();
  }
  const { name, tree_digest: treeDigest } = read.value.payload;
  const install = {
    requestId: request.requestId,
    name,
    treeDigest,
    tokenId: request.tokenId,
    actor: request.decidedBy ?? { kind: "system" as const },
  };
  const approved = await isApproved(deps, install);
  if (!approved.ok) return approved;
  const reason = approved.value ? await whyInactive(deps, install) : "unapproved";
  const state = reason === null ? "active" : "failed";
  const settled = await deps.store.settle({ ...install, state, reason, at: deps.clock.now() });
  return settled.ok ? ok() : err(settled.error);
}

/** Null when nothing keeps it from being active. */
async function whyInactive(
  deps: SettleDeps,
  { name, treeDigest }: { readonly name: string; readonly treeDigest: string },
): Promise<string | null> {
  const tree = await deps.folders.read(name);
  if (!tree.ok) return `folder_refused: ${tree.error.reason}`;
  if (tree.value.digest !== treeDigest) return "changed_since: its files are not those that were approved";
  const manifest = readManifest(documentIn(tree.value), deps.readYaml);
  return manifest === null ? "document_unreadable" : tryScripts(deps, { name, tree: tree.value, manifest });
}
