import { err, ok, sha256Hex, type Result } from "#base";
import { readPayload, type AuditActor, type KeptRequest, type StoreFault } from "#model";
import { signedToken } from "../messages/endorsement.ts";
import type { MemoryDeps } from "./deps.ts";

/**
 * Carries out an approved promotion: the signature is checked again, over exactly the words that were shown. The decision is
 * the truth, kept with its one use; settling it twice changes nothing. [TAINT-08]
 */
export async function settlePromotion(deps: MemoryDeps, request: KeptRequest): Promise<Result<void, StoreFault>> {
  const { requestId, projection, planHash } = request;
  const read = readPayload("memory_promotion", projection);
  const payload = read.ok && read.value.payload.kind === "memory_promotion" ? read.value.payload : null;
  // The item is a message.
  if (payload !== null && payload.memory === undefined) return ok();
  if (payload?.memory === undefined || sha256Hex(projection) !== planHash) {
    deps.log.error("memory_promotion_unreadable", { request_id: requestId });
    return ok();
  }
  const tokenId = await signedToken(deps, { request, scope: "memory_promotion" });
  if (!tokenId.ok) return err(tokenId.error);
  if (tokenId.value === null) {
    deps.log.error("memory_promotion_unsigned", { request_id: requestId });
    return ok();
  }
  return deps.store.promote({
    scopeId: payload.memory.scope_id,
    memoryId: payload.item_id,
    requestId,
    tokenId: tokenId.value,
    itemDigest: payload.item_digest,
    at: deps.clock.now(),
    actor: request.decidedBy ?? { kind: "system" },
  });
}

type Withdrawn = { readonly memoryId: string; readonly actor: AuditActor };

/** What waits about words that are gone is declined by whoever let them go. A fault leaves a card that does nothing. */
export async function withdrawPromotions(deps: MemoryDeps, { memoryId, actor }: Withdrawn): Promise<void> {
  const waiting = await deps.decisions.list(["pending"]);
  if (!waiting.ok) return deps.log.error("memory_promotion_not_withdrawn", waiting.error);
  for (const { kind, workItemId, requestId, planHash: shownHash } of waiting.value) {
    if (kind !== "memory_promotion" || workItemId !== memoryId) continue;
    const declined = await deps.approvals.decide({ requestId, verdict: "declined", shownHash, friction: [], actor });
    if (!declined.ok) deps.log.error("memory_promotion_not_withdrawn", declined.error);
  }
}
