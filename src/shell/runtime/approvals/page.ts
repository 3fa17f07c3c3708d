import { assert, err, LIMITS, msOfInstant, ok, type Instant, type Result, type Sha256Hex } from "#base";
import {
  signatureToHex,
  type ApprovalToken,
  type AuditActor,
  type DeviceAnswer,
  type DeviceSignatures,
  type Friction,
  type KeptRequest,
  type OwnerKey,
  type PasskeyChallenge,
  type PreparedApproval,
  type UnsignedToken,
} from "#model";
import { frictionOfPage, judgeAnswer, type StrongAuth } from "#policy";
import type { ApprovalsDoor, DecideRefusal, Passkeys } from "#ports";
import { verifySigned } from "../keys/signer.ts";
import { decisionOf, recordRefusal, stillPending } from "./answer.ts";
import type { ApprovalsDeps } from "./propose.ts";
import { grantSigned, mintFor, signingBytes } from "./tokens.ts";

export type PageDeps = ApprovalsDeps & { readonly passkeys: Passkeys };

/** What was minted for one device and one request, until it comes back signed. A restart forgets it. */
type Held = {
  readonly tokens: readonly UnsignedToken[];
  readonly passkey: PasskeyChallenge | null;
  readonly shownHash: Sha256Hex;
  readonly friction: readonly Friction[];
  readonly answer: DeviceAnswer["answer"];
  readonly expiresMs: number;
};

type PageApprovals = Pick<ApprovalsDoor, "prepareApproval" | "completeApproval">;

/**
 * Approvals that a browser signs. The engine mints and verifies and never holds the key; what was minted stays here, so
 * that nothing a page sends back but signatures can change it. [KEY-06] [FLOW-18]
 */
export function createPageApprovals(deps: PageDeps): PageApprovals {
  const held = new Map<string, Held>();
  return {
    prepareApproval: (answer) =>
      judged(deps, { by: answer, work: (request, at) => prepare(deps, { held, request, answer, at }) }),
    completeApproval: (signed) =>
      judged(deps, { by: signed, work: (request, at) => complete(deps, { held, request, signed, at }) }),
  };
}

type Asked<T> = {
  readonly by: { readonly requestId: string; readonly sessionId: string };
  readonly work: (request: KeptRequest, at: Instant) => Promise<Result<T, DecideRefusal>>;
};

/** Both halves ask first whether the request is open, and record whatever is refused. [FLOW-05] */
async function judged<T>(deps: PageDeps, { by, work }: Asked<T>): Promise<Result<T, DecideRefusal>> {
  const { requestId, sessionId } = by;
  const at = deps.clock.now();
  const found = await deps.store.find(requestId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId });
  const open = stillPending(found.value);
  const answer = open.ok ? await work(found.value, at) : open;
  if (answer.ok) return answer;
  const actor = { kind: "owner", session_id: sessionId } as const;
  await recordRefusal(deps, { request: found.value, actor, at, reason: answer.error.code });
  return answer;
}

type Preparing = {
  readonly held: Map<string, Held>;
  readonly request: KeptRequest;
  readonly answer: DeviceAnswer;
  readonly at: Instant;
};

async function prepare(
  deps: PageDeps,
  { held, request, answer, at }: Preparing,
): Promise<Result<PreparedApproval, DecideRefusal>> {
  const { requestId, sessionId, shownHash, keyId, answer: reply } = answer;
  const key = await keyOfDevice(deps, { keyId, sessionId });
  if (!key.ok) return key;
  const available = await deps.passkeys.availableFor(sessionId);
  if (!available.ok) return available;
  const strongAuth: StrongAuth = available.value ? "available" : "unavailable";
  const friction = frictionOfPage({ performed: answer.friction, risk: request.riskLevel, strongAuth });
  const decision = decisionOf({ shownHash, friction, keyId, answer: reply });
  const minted = mintFor(deps, { request, decision, at, strongAuth });
  if (!minted.ok) return minted;
  const [first] = minted.value;
  assert(first !== undefined, "an approval is at least one token");
  const passkey = friction.includes("strong_auth")
    ? await deps.passkeys.challengeFor({ sessionId, bytes: signingBytes(first) })
    : ok(null);
  if (!passkey.ok) return passkey;
  const expiresMs = msOfInstant(at) + LIMITS.mintedTtlMs;
  const prepared = { tokens: minted.value, passkey: passkey.value };
  keep(held, { place: placeOf({ requestId, sessionId }), ...prepared, shownHash, friction, answer: reply, expiresMs });
  return ok(prepared);
}

type Completing = Omit<Preparing, "answer"> & { readonly signed: DeviceSignatures };

async function complete(
  deps: PageDeps,
  { held, request, signed, at }: Completing,
): Promise<Result<KeptRequest, DecideRefusal>> {
  const { requestId, sessionId } = signed;
  const place = placeOf(signed);
  const waiting = held.get(place);
  if (waiting === undefined || waiting.expiresMs <= msOfInstant(at)) return err({ code: "mint_missing", requestId });
  const { friction, passkey, shownHash, answer } = waiting;
  const tokens = joined(waiting.tokens, signed);
  if (!tokens.ok) return tokens;
  const [first] = tokens.value;
  assert(first !== undefined, "an approval is at least one token");
  const key = await keyOfDevice(deps, { keyId: first.keyId, sessionId });
  if (!key.ok) return key;
  const proven = await provePasskey(deps, { signed, passkey });
  if (!proven.ok) return proven;
  const strongAuth: StrongAuth = passkey === null ? "unavailable" : "available";
  // The request may have changed behind its back since it was minted for: it is judged again, whole.
  const decision = decisionOf({ shownHash, friction, keyId: first.keyId, answer });
  const { maxExecutions } = deps.settings;
  const taken = judgeAnswer({ pending: request, decision, at, strongAuth, maxExecutions });
  if (!taken.ok) return taken;
  const actor = { kind: "owner", session_id: sessionId } as const;
  const recorded = await recordSigned(deps, { tokens: tokens.value, at, actor });
  if (!recorded.ok) return recorded;
  const used = await grantSigned(deps, { request, tokens: tokens.value, friction, at, actor });
  if (used.ok) held.delete(place);
  return used;
}

/** A key counts for the session it was enrolled in, and for no other. */
async function keyOfDevice(
  { registry }: PageDeps,
  { keyId, sessionId }: Pick<DeviceAnswer, "keyId" | "sessionId">,
): Promise<Result<OwnerKey, DecideRefusal>> {
  const found = await registry.find(keyId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "key_unknown", keyId });
  if (found.value.kind !== "browser" || found.value.sessionId !== sessionId)
    return err({ code: "device_key_differs", keyId });
  return found.value.revokedAt === null ? ok(found.value) : err({ code: "key_revoked", keyId });
}

/** Every token that was minted is signed, once each, and nothing else is. */
function joined(
  tokens: readonly UnsignedToken[],
  { requestId, signatures }: DeviceSignatures,
): Result<readonly ApprovalToken[], DecideRefusal> {
  const signatureById = new Map(signatures.map(({ tokenId, signature }) => [tokenId, signature]));
  const signed = tokens.flatMap((token) => {
    const signature = signatureById.get(token.tokenId);
    return signature === undefined ? [] : [{ ...token, signature }];
  });
  const isExact = signed.length === tokens.length && signatures.length === tokens.length;
  return isExact ? ok(signed) : err({ code: "signatures_differ", requestId });
}

type Signed = { readonly tokens: readonly ApprovalToken[]; readonly at: Instant; readonly actor: AuditActor };

/** A use of the key that did happen is in the chain; signatures that do not hold are none. */
async function recordSigned(
  { registry }: PageDeps,
  { tokens, at, actor }: Signed,
): Promise<Result<void, DecideRefusal>> {
  for (const token of tokens) {
    const { keyId } = token;
    const signature = signatureToHex(token.signature);
    const verified = await verifySigned(registry, { keyId, bytes: signingBytes(token), signature });
    if (!verified.ok && verified.error.code === "signature_invalid") {
      return err({ code: "approval_signature_invalid", check: "signature" });
    }
    const used = verified.ok ? await registry.recordUse(keyId, { purpose: "approval", at, actor }) : verified;
    if (!used.ok) return used;
  }
  return ok();
}

/** Strong proof is an assertion that verifies, for the challenge these very tokens gave. [RISK-08] */
async function provePasskey(
  { passkeys }: PageDeps,
  { signed, passkey }: { readonly signed: DeviceSignatures; readonly passkey: PasskeyChallenge | null },
): Promise<Result<void, DecideRefusal>> {
  const { assertion, sessionId } = signed;
  if (passkey === null) return ok();
  if (assertion === null) return err({ code: "passkey_missing" });
  const verified = await passkeys.verify({ sessionId, challenge: passkey.challenge, assertion });
  return verified.ok ? ok() : verified;
}

const placeOf = ({ requestId, sessionId }: Pick<DeviceAnswer, "requestId" | "sessionId">): string =>
  `${sessionId} ${requestId}`;

/** A new mint takes the place of the one before; what is over or too much is forgotten, oldest first. */
function keep(held: Map<string, Held>, { place, ...minted }: Held & { readonly place: string }): void {
  held.delete(place);
  held.set(place, minted);
  for (const oldest of held.keys()) {
    if (held.size <= LIMITS.mintedApprovals) return;
    held.delete(oldest);
  }
}
