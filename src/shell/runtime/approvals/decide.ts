import { assert, canonicalJson, err, ok, uuidV7, type Instant, type Result } from "#base";
import {
  approvalTokenToWire,
  SCOPE_OF_KIND,
  signatureFromHex,
  signatureToHex,
  tokenSigningBytes,
  type ApprovalToken,
  type KeptRequest,
  type StoredToken,
  type UnsignedToken,
} from "#model";
import { judgeVerify, mintToken, type SignatureFact } from "#policy";
import type { DecideRefusal, KeyRegistry, OwnerAnswer } from "#ports";
import { contentOf, type ApprovalsDeps } from "./propose.ts";
import { verifySigned } from "../keys/signer.ts";

/**
 * Takes one answer. An approval is minted, signed by the owner's key, verified, and only then kept: use, attempt, closed
 * request and audit entry in one commit. Whatever fails on the way leaves the request waiting and no token. [FLOW-04]
 */
export async function decide(deps: ApprovalsDeps, answer: OwnerAnswer): Promise<Result<KeptRequest, DecideRefusal>> {
  const { store, clock } = deps;
  const at = clock.now();
  const expired = await store.expire(at);
  if (!expired.ok) return expired;
  const { requestId, shownHash, actor } = answer;
  const found = await store.find(requestId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId });
  if (answer.verdict === "declined") return store.decline({ requestId, planHash: shownHash, at, actor });
  const approved = await approve(deps, { request: found.value, answer, at });
  if (approved.ok) return approved;
  await recordRefusal(deps, { request: found.value, answer, at, reason: approved.error.code });
  return approved;
}

type Answered = { readonly request: KeptRequest; readonly answer: OwnerAnswer; readonly at: Instant };

async function approve(deps: ApprovalsDeps, answered: Answered): Promise<Result<KeptRequest, DecideRefusal>> {
  const { request, answer, at } = answered;
  const { requestId, state, decidedAt, decidedBy } = request;
  if (state !== "pending") {
    assert(decidedAt !== null, "what is decided says when");
    return err({ code: "already_decided", requestId, state, decidedAt, decidedBy });
  }
  const token = await mintSigned(deps, answered);
  if (!token.ok) return token;
  const lineage = uuidV7(at, deps.randomness.bytes(10));
  // The item that would run is read afresh from the file as it was proposed, not from what was shown.
  const content = contentOf(deps, { request, at });
  if (!content.ok) return err({ code: "decision_changed" });
  const use = judgeVerify({
    token: token.value,
    signature: await signatureFact(deps.registry, token.value),
    item: content.value,
    at,
    uses: [],
    lineage,
  });
  if (!use.ok) return use;
  const spent = await deps.store.spend({
    token: storedToken(token.value),
    workItemId: request.workItemId,
    contentHash: use.value.contentHash,
    attemptLineage: lineage,
    at,
    actor: answer.actor,
    requestId,
  });
  if (!spent.ok) return spent;
  const { tokenId } = token.value;
  return ok({ ...request, state: "approved", decidedAt: at, decidedBy: answer.actor, tokenId });
}

/** The engine mints, the owner's key signs. The key is asked for first, because the token names it. [APPR-06] */
async function mintSigned(
  { signer, randomness, settings }: ApprovalsDeps,
  { request, answer, at }: Answered,
): Promise<Result<ApprovalToken, DecideRefusal>> {
  const key = await signer.current();
  if (!key.ok) return key;
  const { shownHash, friction, actor } = answer;
  const minted = mintToken({
    decision: {
      verdict: "approved",
      approvalStrength: "tap",
      friction: [...friction],
      keyId: key.value.keyId,
      signature: null,
      shownHash,
      conditions: {},
    },
    pending: request,
    scope: SCOPE_OF_KIND[request.kind],
    at,
    nonce: Buffer.from(randomness.bytes(32)).toString("hex"),
    strongAuth: "unavailable",
    ...settings,
  });
  if (!minted.ok) return minted;
  const signed = await signer.sign(signingBytes(minted.value), { purpose: "approval", actor });
  if (!signed.ok) return signed;
  return ok({ ...minted.value, signature: signatureFromHex(signed.value.signature) });
}

const signingBytes = (token: UnsignedToken | ApprovalToken): Uint8Array => Buffer.from(tokenSigningBytes(token));

async function signatureFact(registry: KeyRegistry, token: ApprovalToken): Promise<SignatureFact> {
  const signature = signatureToHex(token.signature);
  const verified = await verifySigned(registry, { keyId: token.keyId, bytes: signingBytes(token), signature });
  if (verified.ok) return "valid";
  const { code } = verified.error;
  return code === "key_unknown" || code === "key_revoked" ? code : "invalid";
}

function storedToken(token: ApprovalToken): StoredToken {
  const { tokenId, nonce, planHash, keyId, maxExecutions } = token;
  const text = canonicalJson(approvalTokenToWire(token));
  assert(text.ok, "APPR-03 a token has one canonical text");
  return { tokenId, nonce, planHash, keyId, maxExecutions, text: text.value };
}

/** Every failed approval is in the chain. That the record fails too must not hide the refusal itself. [FLOW-05] */
async function recordRefusal(
  { audit }: ApprovalsDeps,
  { request, answer, at, reason }: Answered & { readonly reason: string },
): Promise<void> {
  const { requestId, planHash, workItemId } = request;
  await audit.append({
    event: "approval_refused",
    data: { request_id: requestId, plan_hash: planHash, work_item_id: workItemId, reason },
    at,
    actor: answer.actor,
  });
}
