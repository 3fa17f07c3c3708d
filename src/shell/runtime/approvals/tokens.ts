import { assert, canonicalJson, err, ok, parseStrictJson, uuidV7, type Instant, type Result } from "#base";
import {
  approvalTokenSchema,
  approvalTokenToWire,
  grantsOf,
  signatureToHex,
  tokenSigningBytes,
  type ApprovalDecision,
  type ApprovalToken,
  type AuditActor,
  type DecisionRefusal,
  type Friction,
  type Grant,
  type KeptRequest,
  type StoredToken,
  type StoreFault,
  type UnsignedToken,
} from "#model";
import { judgeIssued, judgeVerify, mintTokens, type SignatureFact, type StrongAuth } from "#policy";
import type { AlsoGranted, DecideRefusal, KeyRegistry } from "#ports";
import { verifySigned } from "../keys/signer.ts";
import { limitsOf } from "./limits.ts";
import { contentsOf, type ApprovalsDeps } from "./propose.ts";

type Minting = {
  readonly request: KeptRequest;
  readonly decision: ApprovalDecision;
  readonly at: Instant;
  readonly strongAuth: StrongAuth;
};

/** The tokens that an answer becomes: usually one; a project has one more for each task, a goal that stands one more. */
export function mintFor(
  { randomness, settings }: Pick<ApprovalsDeps, "randomness" | "settings">,
  { request, ...answered }: Minting,
): Result<readonly UnsignedToken[], DecisionRefusal> {
  const nonces = (grantsOf(request) ?? []).map(() => Buffer.from(randomness.bytes(32)).toString("hex"));
  return mintTokens({ ...answered, pending: request, nonces, ...settings });
}

type SignedAnswer = {
  readonly request: KeptRequest;
  /** In the order they were minted. */
  readonly tokens: readonly ApprovalToken[];
  readonly friction: readonly Friction[];
  readonly at: Instant;
  readonly actor: AuditActor;
};

/**
 * Verifies every signed token against what would be done, which is read afresh from what was proposed, and keeps them
 * all with their uses and attempts in one commit. INVARIANT: one that does not hold keeps all of them out. [FLOW-04]
 */
export async function grantSigned(
  deps: ApprovalsDeps,
  { request, tokens, friction, at, actor }: SignedAnswer,
): Promise<Result<KeptRequest, DecideRefusal>> {
  const contents = contentsOf(deps, { request, at });
  if (!contents.ok || contents.value.grants.length !== tokens.length) return err({ code: "decision_changed" });
  const { grants, read } = contents.value;
  const granted: AlsoGranted[] = [];
  for (const [index, token] of tokens.entries()) {
    const content = grants[index];
    assert(content !== undefined, "there are as many contents as tokens");
    const one = await verifyOne(deps, { token, content, at });
    if (!one.ok) return one;
    granted.push(one.value);
  }
  const [first, ...also] = granted;
  assert(first !== undefined && first.use !== null, "FLOW-04 the request's own approval is used at once");
  const { token, workItemId, use } = first;
  const limits = limitsOf(deps, request);
  if (!limits.ok) return limits;
  const spending = { token, workItemId, ...use, friction, at, actor, judged: request, also, ...limits.value };
  const spent = await deps.store.spend(spending);
  if (!spent.ok) return spent;
  if (read !== null) deps.decided?.keep(request.requestId, read);
  return ok({ ...request, state: "approved", decidedAt: at, decidedBy: actor, tokenId: token.tokenId });
}

type One = { readonly token: ApprovalToken; readonly content: Grant; readonly at: Instant };

async function verifyOne(
  { registry, randomness, settings }: ApprovalsDeps,
  { token, content, at }: One,
): Promise<Result<AlsoGranted, DecideRefusal>> {
  const { workItemId, planHash, scope, conditions, use: when, reverse, operationId } = content;
  const signature = await signatureFact(registry, token);
  if (!signature.ok) return signature;
  const presented = { token, signature: signature.value, item: { workItemId, contentHash: planHash }, scope, at };
  if (when === "later") {
    const issued = judgeIssued({ ...presented, conditions });
    const undo = reverse === null ? {} : { undo: { reverse, windowSeconds: settings.undoWindowSeconds } };
    return issued.ok ? ok({ token: storedToken(token), workItemId, use: null, ...undo }) : issued;
  }
  const lineage = operationId ?? uuidV7(at, randomness.bytes(10));
  const use = judgeVerify({ ...presented, spawn: null, uses: [], lineage, isVoid: false });
  if (!use.ok) return use;
  const { contentHash, attemptLineage } = use.value;
  return ok({ token: storedToken(token), workItemId, use: { contentHash, attemptLineage } });
}

export const signingBytes = (token: UnsignedToken | ApprovalToken): Uint8Array => Buffer.from(tokenSigningBytes(token));

/** A key that cannot be read right now says nothing about the signature: that is a fault, and worth another try. */
export async function signatureFact(
  registry: KeyRegistry,
  token: ApprovalToken,
): Promise<Result<SignatureFact, StoreFault>> {
  const signature = signatureToHex(token.signature);
  const verified = await verifySigned(registry, { keyId: token.keyId, bytes: signingBytes(token), signature });
  if (verified.ok) return ok("valid");
  const { error } = verified;
  if ("retryable" in error) return err(error);
  return ok(error.code === "key_unknown" || error.code === "key_revoked" ? error.code : "invalid");
}

function storedToken(token: ApprovalToken): StoredToken {
  const { tokenId, nonce, planHash, keyId, maxExecutions } = token;
  const text = canonicalJson(approvalTokenToWire(token));
  assert(text.ok, "APPR-03 a token has one canonical text");
  return { tokenId, nonce, planHash, keyId, maxExecutions, text: text.value };
}

/** The token inside the row, if the row still says what the token says. */
export function readToken(stored: StoredToken): ApprovalToken | null {
  const text = parseStrictJson(stored.text);
  const token = approvalTokenSchema.safeParse(text.ok ? text.value : null);
  if (!token.success) return null;
  return JSON.stringify(storedToken(token.data)) === JSON.stringify(stored) ? token.data : null;
}
