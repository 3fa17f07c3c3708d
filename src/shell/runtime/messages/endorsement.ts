import { err, ok, parseStrictJson, sha256Hex, type Result } from "#base";
import {
  approvalTokenSchema,
  isPayloadKind,
  readPayload,
  SCOPE_OF_KIND,
  signatureToHex,
  tokenSigningBytes,
  type ApprovalScope,
  type AuditActor,
  type KeptRequest,
  type MessageRefusal,
  type StoreFault,
} from "#model";
import { endorse } from "#policy";
import type { Proposed, ProposeRefusal } from "#ports";
import { verifySigned } from "../keys/signer.ts";
import type { MessagesDeps } from "./deps.ts";
import { messageDigest } from "./gating.ts";

type Endorsed = { readonly messageId: string; readonly scopeId: string; readonly actor: AuditActor };

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
 * carries it out, and carrying it out twice changes nothing.
 */
export async function carryOut(deps: MessagesDeps, request: KeptRequest): Promise<Result<void, StoreFault>> {
  if (!isPayloadKind(request.kind)) return ok();
  const read = readPayload(request.kind, request.projection);
  if (!read.ok || sha256Hex(request.projection) !== request.planHash) return ok();
  const { payload } = read.value;
  if (payload.kind === "memory_promotion" && payload.memory === undefined)
    return raise(deps, { request, itemId: payload.item_id, digest: payload.item_digest });
  return payload.kind === "gate_approval" ? letThrough(deps, { request, digest: payload.context_digest }) : ok();
}

type Raising = { readonly request: KeptRequest; readonly itemId: string; readonly digest: string };

async function raise(deps: MessagesDeps, { request, itemId, digest }: Raising): Promise<Result<void, StoreFault>> {
  const { store, clock } = deps;
  const found = await store.find(itemId);
  if (!found.ok) return found;
  const message = found.value;
  // Exactly the item and the text that were shown; anything else is not what was signed.
  if (message === null || message.endorsed !== null || sha256Hex(message.text) !== digest) return ok();
  const tokenId = await signedToken(deps, { request, scope: "memory_promotion" });
  if (!tokenId.ok || tokenId.value === null) return tokenId.ok ? ok() : tokenId;
  const raised = endorse({ itemId: message.messageId, taint: message.taint }, { itemId, tokenId: tokenId.value });
  if (raised.taint === message.taint) return ok();
  const actor = request.decidedBy ?? SYSTEM;
  return faultOf(await store.endorse({ messageId: itemId, tokenId: tokenId.value, at: clock.now(), actor }));
}

type Letting = { readonly request: KeptRequest; readonly digest: string };

/** The owner's answer about a message that a gate stopped: it passes, or it is blocked for good. */
async function letThrough(deps: MessagesDeps, { request, digest }: Letting): Promise<Result<void, StoreFault>> {
  const { store, clock } = deps;
  const found = await store.waitingFor(request.planHash);
  if (!found.ok) return found;
  const message = found.value;
  if (message === null) return ok();
  const made = {
    messageId: message.messageId,
    text: message.text,
    at: clock.now(),
    actor: request.decidedBy ?? SYSTEM,
  };
  const block = async (reason: string) => {
    const gate = { name: "gate", plan_hash: null, ...message.gate, reason };
    const blocked = await store.settle({ ...made, state: "blocked", gate });
    deps.onChanged();
    return faultOf(blocked);
  };
  if (request.state === "declined") return block("declined_by_you");
  // Exactly the message that was asked about; a row that was changed meanwhile is another one.
  if (messageDigest(message) !== digest) return block("changed_while_waiting");
  const tokenId = await signedToken(deps, { request, scope: SCOPE_OF_KIND.gate_approval });
  if (!tokenId.ok || tokenId.value === null) return tokenId.ok ? ok() : tokenId;
  const settled = await store.settle({ ...made, state: "accepted", gate: message.gate });
  deps.onChanged();
  return faultOf(settled);
}

const SYSTEM = { kind: "system" } as const;

type SignedDeps = Pick<MessagesDeps, "registry"> & {
  readonly decisions: Pick<MessagesDeps["decisions"], "findApproval">;
};
type Signed = { readonly request: KeptRequest; readonly scope: ApprovalScope };

/**
 * The token of an approved request, when it was signed by a key that counts, for exactly this, and used. Read from where
 * it is kept and checked anew: a row that says "approved" is no signature.
 */
export async function signedToken(
  { decisions, registry }: SignedDeps,
  { request, scope }: Signed,
): Promise<Result<string | null, StoreFault>> {
  const { tokenId, state, planHash, workItemId } = request;
  if (state !== "approved" || tokenId === null) return ok(null);
  const kept = await decisions.findApproval(tokenId);
  if (!kept.ok) return kept;
  const json = parseStrictJson(kept.value?.token.text ?? "");
  const read = approvalTokenSchema.safeParse(json.ok ? json.value : null);
  if (!read.success || (kept.value?.uses.length ?? 0) === 0) return ok(null);
  const token = read.data;
  const isAboutThis = token.planHash === planHash && token.workItemId === workItemId && token.scope === scope;
  if (!isAboutThis || token.verdict !== "approved") return ok(null);
  const bytes = Buffer.from(tokenSigningBytes(token));
  const verified = await verifySigned(registry, {
    keyId: token.keyId,
    bytes,
    signature: signatureToHex(token.signature),
  });
  if (verified.ok) return ok(tokenId);
  return "retryable" in verified.error ? err(verified.error) : ok(null);
}

/** What was done already, or is not there, needs no second try. */
const faultOf = (done: Result<unknown, StoreFault | MessageRefusal>): Result<void, StoreFault> =>
  done.ok || !("retryable" in done.error) ? ok() : err(done.error);
