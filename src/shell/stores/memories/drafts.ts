import { assert } from "#base";
import type { AuditDraft, ForgottenMemory, KeptMemory, PromotedMemory } from "#model";

/** What the stores record about memories, in one place, and never a word of one. */

function standing({ item }: KeptMemory) {
  const { memoryId: memory_id, scopeId: scope_id, taint, trustLevel: trust } = item;
  assert(trust !== "verified", "TAINT-08 nothing is verified by being written down");
  return { memory_id, scope_id, taint, trust };
}

export const storedDraft = (kept: KeptMemory): AuditDraft => ({
  event: "memory_stored",
  data: { ...standing(kept), source: kept.item.sourceKind },
  at: kept.item.updatedAt,
  actor: kept.actor,
});

export const changedDraft = (kept: KeptMemory): AuditDraft => ({
  event: "memory_changed",
  data: standing(kept),
  at: kept.item.updatedAt,
  actor: kept.actor,
});

export const promotedDraft = ({ memoryId, tokenId, itemDigest, at, actor }: PromotedMemory): AuditDraft => ({
  event: "memory_promoted",
  data: { memory_id: memoryId, token_id: tokenId, item_digest: itemDigest },
  at,
  actor,
});

export const forgottenDraft = ({ memoryId, at, actor }: Omit<ForgottenMemory, "scopeId">): AuditDraft => ({
  event: "memory_forgotten",
  data: { memory_id: memoryId },
  at,
  actor,
});
