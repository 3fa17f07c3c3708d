import { err, ok, sha256Hex, type Result } from "#base";
import {
  isPayloadKind,
  readPayload,
  type AuditActor,
  type KeptMessage,
  type KeptRequest,
  type MessageRefusal,
  type StoreFault,
} from "#model";
import { endorse } from "#policy";
import type { Proposed, ProposeRefusal } from "#ports";
import type { MessagesDeps } from "./deps.ts";

export type Endorsed = { readonly messageId: string; readonly scopeId: string; readonly actor: AuditActor };

/** Asks the owner to trust one message, with its whole text. Nothing changes until that is signed. [TAINT-08] */
export async function proposeEndorsement(
  { store, approvals }: MessagesDeps,
  { messageId, scopeId, actor }: Endorsed,
): Promise<Result<Proposed, MessageRefusal | ProposeRefusal>> {
  const found = await store.find(messageId);
  if (!found.ok) return found;
  const message = found.value;
  if (message === null || message.scopeId !== scopeId) return err({ code: "message_unknown", messageId });
  if (message.taint === "owner") return err({ code: "message_trusted", messageId });
  if (message.state !== "accepted") return err({ code: "message_not_accepted", messageId, state: message.state });
  const { text: content, taint: from } = message;
  return approvals.proposePayload(
    { kind: "memory_promotion", item_id: messageId, item_digest: sha256Hex(content), content, from, to: "owner" },
    actor,
  );
}

/**
 * Does what a decision about a message says, if it is one. The decision is the truth, kept with its signature; this only
 * carries it out, and carrying it out twice changes nothing. A crash in between is made up for at the next start.
 */
export async function carryOut(deps: MessagesDeps, request: KeptRequest): Promise<Result<void, StoreFault>> {
  if (!isPayloadKind(request.kind)) return ok();
  const read = readPayload(request.kind, request.projection);
  if (!read.ok || sha256Hex(request.projection) !== request.planHash) return ok();
  const { payload } = read.value;
  if (payload.kind === "memory_promotion")
    return raise(deps, { request, itemId: payload.item_id, digest: payload.item_digest });
  if (payload.kind === "gate_approval") return letThrough(deps, request);
  return ok();
}

type Raising = { readonly request: KeptRequest; readonly itemId: string; readonly digest: string };

async function raise(
  { store, decisions, clock }: MessagesDeps,
  { request, itemId, digest }: Raising,
): Promise<Result<void, StoreFault>> {
  const { tokenId, state } = request;
  if (state !== "approved" || tokenId === null) return ok();
  const found = await store.find(itemId);
  if (!found.ok) return found;
  const message = found.value;
  // Exactly the item and the text that were shown; anything else is not what was signed.
  if (message === null || message.endorsed !== null || sha256Hex(message.text) !== digest) return ok();
  const approval = await decisions.findApproval(tokenId);
  if (!approval.ok) return approval;
  if (approval.value?.token.planHash !== request.planHash || approval.value.uses.length === 0) return ok();
  const raised = endorse({ itemId: message.messageId, taint: message.taint }, { itemId, tokenId });
  if (raised.taint === message.taint) return ok();
  const actor = request.decidedBy ?? { kind: "system" };
  const done = await store.endorse({ messageId: itemId, tokenId, at: clock.now(), actor });
  return done.ok || done.error.code === "message_unknown" || done.error.code === "message_settled"
    ? ok()
    : faultOf(done.error);
}

/** The owner's answer about a message that a gate stopped: it passes, or it is blocked for good. */
async function letThrough({ store, clock }: MessagesDeps, request: KeptRequest): Promise<Result<void, StoreFault>> {
  if (request.state !== "approved" && request.state !== "declined") return ok();
  const open = await store.unsettled();
  if (!open.ok) return open;
  const message = open.value.find(({ state, gate }) => state === "waiting" && gate?.plan_hash === request.planHash);
  if (message === undefined) return ok();
  const done = await store.settle({
    ...decidedAs(message, request),
    at: clock.now(),
    actor: request.decidedBy ?? { kind: "system" },
  });
  return done.ok || !("retryable" in done.error) ? ok() : err(done.error);
}

function decidedAs({ messageId, text, gate }: KeptMessage, { state }: KeptRequest) {
  const name = gate?.name ?? "gate";
  return state === "approved"
    ? ({ messageId, text, state: "accepted", gate } as const)
    : ({
        messageId,
        text,
        state: "blocked",
        gate: { name, reason: "declined_by_you", plan_hash: gate?.plan_hash ?? null },
      } as const);
}

const faultOf = (error: StoreFault | MessageRefusal): Result<void, StoreFault> =>
  "retryable" in error ? err(error) : ok();
