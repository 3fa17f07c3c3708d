import type { AuditDraft, SkillInstall } from "#model";
import type { SettledInstall, SkillRemoval } from "#ports";

/** What the stores record about skills, in one place. */

export function settledDraft(settled: SettledInstall): AuditDraft {
  const { requestId, name, treeDigest, tokenId, state, reason, at, actor } = settled;
  const about = { request_id: requestId, skill: name, tree_digest: treeDigest };
  if (state === "active") return { event: "skill_installed", data: { ...about, token_id: tokenId }, at, actor };
  const code = /^[a-z][a-z0-9_]{0,63}/.exec(reason ?? "")?.[0] ?? "failed";
  return { event: "skill_install_failed", data: { ...about, reason: code }, at, actor };
}

export const removedDraft = ({ name, treeDigest }: SkillInstall, { at, actor }: SkillRemoval): AuditDraft => ({
  event: "skill_removed",
  data: { skill: name, tree_digest: treeDigest },
  at,
  actor,
});
