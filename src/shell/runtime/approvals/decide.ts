import { err, ok, type Instant, type Result } from "#base";
import { signatureFromHex, type ApprovalToken, type KeptRequest } from "#model";
import type { DecideRefusal, OwnerAnswer } from "#ports";
import { decisionOf, recordRefusal, stillPending } from "./answer.ts";
import type { ApprovalsDeps } from "./propose.ts";
import { grantSigned, mintFor, signingBytes } from "./tokens.ts";

/**
 * Takes one answer. A decline comes from anywhere; an approval here is signed by the key in the vault, so it is for the
 * terminal of this machine. Whatever fails on the way leaves the request waiting and no token. [FLOW-04]
 */
export async function decide(deps: ApprovalsDeps, answer: OwnerAnswer): Promise<Result<KeptRequest, DecideRefusal>> {
  const { store, clock } = deps;
  const at = clock.now();
  const { requestId, shownHash, actor } = answer;
  const found = await store.find(requestId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId });
  if (answer.verdict === "declined") return store.decline({ requestId, planHash: shownHash, at, actor });
  const approved = await approve(deps, { request: found.value, answer, at });
  if (!approved.ok) await recordRefusal(deps, { request: found.value, actor, at, reason: approved.error.code });
  return approved;
}

type Answered = { readonly request: KeptRequest; readonly answer: OwnerAnswer; readonly at: Instant };

async function approve(deps: ApprovalsDeps, answered: Answered): Promise<Result<KeptRequest, DecideRefusal>> {
  const { request, answer, at } = answered;
  const open = stillPending(request);
  if (!open.ok) return open;
  const tokens = await mintSigned(deps, answered);
  if (!tokens.ok) return tokens;
  const { friction, actor } = answer;
  return grantSigned(deps, { request, tokens: tokens.value, friction, at, actor });
}

/** The engine mints, the owner's key signs. The key is asked for first, because the token names it. [APPR-06] */
async function mintSigned(
  deps: ApprovalsDeps,
  { request, answer, at }: Answered,
): Promise<Result<readonly ApprovalToken[], DecideRefusal>> {
  const key = await deps.signer.current();
  if (!key.ok) return key;
  const { shownHash, friction, actor, answer: reply } = answer;
  const { keyId } = key.value;
  // A terminal has no means of strong proof, and its word for it does not count.
  const decision = decisionOf({ shownHash, friction, keyId, answer: reply });
  const minted = mintFor(deps, { request, decision, at, strongAuth: "unavailable" });
  if (!minted.ok) return minted;
  const tokens: ApprovalToken[] = [];
  for (const token of minted.value) {
    const signed = await deps.signer.sign(signingBytes(token), { purpose: "approval", actor });
    if (!signed.ok) return signed;
    tokens.push({ ...token, signature: signatureFromHex(signed.value.signature) });
  }
  return ok(tokens);
}
