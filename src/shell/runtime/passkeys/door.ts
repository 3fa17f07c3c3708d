import { err, ok, sha256Hex, type Result } from "#base";
import {
  passkeyChallenge,
  passkeyIdOf,
  type AuditActor,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyChallenge,
  type PasskeyId,
  type PasskeyOptions,
  type PasskeyPurpose,
  type PasskeyRefusal,
  type StoreFault,
} from "#model";
import type {
  AuditLog,
  Clock,
  PasskeyAdding,
  PasskeyBeginning,
  PasskeyDoorRefusal,
  PasskeyRemoving,
  PasskeysDoor,
  PasskeyStore,
  Randomness,
} from "#ports";
import { createChallenges, type Challenges } from "./challenges.ts";
import { ALGORITHMS, hostOf, verifyAssertion, verifyAttestation } from "./webauthn.ts";

type PasskeysDeps = {
  readonly store: PasskeyStore;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Whether this is an address of Silas's own page. */
  readonly isOwnOrigin: (origin: string) => boolean;
};
type Parts = PasskeysDeps & { readonly challenges: Challenges };

const TERMINAL = { kind: "terminal" } as const;

/** The passkeys of signed-in browsers: asked, checked, added and taken away. What is asked is forgotten at a restart. */
export function createPasskeysDoor(deps: PasskeysDeps): PasskeysDoor {
  const parts: Parts = { ...deps, challenges: createChallenges(deps.clock) };
  return {
    list: () => deps.store.list(),
    availableFor: async (sessionId) => {
      const mine = await passkeysOf(parts, sessionId);
      return mine.ok ? ok(mine.value.length > 0) : mine;
    },
    challengeFor: ({ sessionId, bytes }) => {
      const challenge = passkeyChallenge(Buffer.from(bytes).toString("utf8"));
      return ask(parts, { sessionId, purpose: "approval", challenge, passkeyId: null });
    },
    verify: ({ sessionId, challenge, assertion }) =>
      verify(parts, { sessionId, assertion, purpose: "approval", about: challenge }),
    ask: (asking) => ask(parts, { ...asking, challenge: freshChallenge(parts) }),
    begin: (beginning) => begin(parts, beginning),
    add: (adding) => add(parts, adding),
    remove: (removing) => remove(parts, removing),
  };
}

async function passkeysOf({ store }: Parts, sessionId: string): Promise<Result<readonly Passkey[], StoreFault>> {
  const listed = await store.list();
  return listed.ok ? ok(listed.value.filter((each) => each.sessionId === sessionId)) : listed;
}

const freshChallenge = ({ randomness }: Parts): string => Buffer.from(randomness.bytes(32)).toString("base64url");
const ownerOf = (sessionId: string): AuditActor => ({ kind: "owner", session_id: sessionId });

type Question = {
  readonly sessionId: string;
  readonly purpose: PasskeyPurpose;
  readonly passkeyId: PasskeyId | null;
  readonly challenge: string;
};

async function ask(
  parts: Parts,
  { passkeyId, ...question }: Question,
): Promise<Result<PasskeyChallenge, PasskeyRefusal | StoreFault>> {
  const mine = await passkeysOf(parts, question.sessionId);
  if (!mine.ok) return mine;
  const asked = mine.value.filter((each) => passkeyId === null || each.passkeyId === passkeyId);
  if (asked.length === 0) return err({ code: "passkey_missing" });
  parts.challenges.put(question);
  return ok({ challenge: question.challenge, credentialIds: asked.map(({ credentialId }) => credentialId) });
}

type Answer = {
  readonly sessionId: string;
  readonly purpose: PasskeyPurpose;
  readonly assertion: PasskeyAssertion;
  /** The challenge the caller means; another question of this session does not count. */
  readonly about: string | null;
};
type Verified = { readonly credentialId: string; readonly passkey: Passkey };

/** Every answer that does not hold is in the chain: somebody tried. That the record fails must not hide the refusal. */
async function verify(parts: Parts, answer: Answer): Promise<Result<Verified, PasskeyRefusal | StoreFault>> {
  const verified = await judge(parts, answer);
  if (!verified.ok && verified.error.code === "passkey_refused") {
    const { sessionId, purpose } = answer;
    await parts.audit.append({
      event: "passkey_refused",
      data: { session_id: sessionId, purpose, reason: verified.error.reason },
      at: parts.clock.now(),
      actor: ownerOf(sessionId),
    });
  }
  return verified;
}

async function judge(parts: Parts, answer: Answer): Promise<Result<Verified, PasskeyRefusal | StoreFault>> {
  const { sessionId, purpose, assertion, about } = answer;
  const asked = parts.challenges.take({ sessionId, purpose });
  if (asked === null || (about !== null && asked.challenge !== about)) return refused("challenge_differs");
  const mine = await passkeysOf(parts, sessionId);
  if (!mine.ok) return mine;
  const passkey = mine.value.find(({ credentialId }) => credentialId === assertion.id);
  if (passkey === undefined) return refused("unknown_credential");
  const expected = { challenge: asked.challenge, rpId: passkey.rpId, isOwnOrigin: parts.isOwnOrigin };
  const verified = await verifyAssertion(passkey, { assertion, expected });
  if (!verified.ok) return refused(verified.error);
  const { counter } = verified.value;
  const at = parts.clock.now();
  const use = { passkeyId: passkey.passkeyId, counter, purpose, at, actor: ownerOf(sessionId) };
  const recorded = await parts.store.recordUse(use);
  return recorded.ok ? ok({ credentialId: passkey.credentialId, passkey }) : recorded;
}

/**
 * The first passkey of a browser only asks for more and needs no proof. A further one needs an answer of one that is
 * there: otherwise whoever holds the session could answer with a passkey of their own.
 */
async function begin(parts: Parts, beginning: PasskeyBeginning): Promise<Result<PasskeyOptions, PasskeyDoorRefusal>> {
  const { sessionId, origin, proof } = beginning;
  const rpId = hostOf(origin);
  if (isNumbers(rpId)) return err({ code: "passkey_needs_name", host: rpId });
  const mine = await passkeysOf(parts, sessionId);
  if (!mine.ok) return mine;
  const [first] = mine.value;
  if (first !== undefined) {
    if (proof === null) return err({ code: "passkey_proof_needed", passkeyId: first.passkeyId });
    const proven = await verify(parts, { sessionId, purpose: "add", assertion: proof, about: null });
    if (!proven.ok) return proven;
  }
  const challenge = freshChallenge(parts);
  const made = { rpId, as: first === undefined ? "first" : "vouched" } as const;
  parts.challenges.put({ sessionId, purpose: "begin", challenge, made });
  return ok(optionsFor(beginning, { rpId, challenge, mine: mine.value }));
}

/** Browsers refuse an address of numbers as the name a passkey belongs to. */
const isNumbers = (host: string): boolean => host.startsWith("[") || /^[0-9.]+$/.test(host);

type Made = { readonly rpId: string; readonly challenge: string; readonly mine: readonly Passkey[] };

function optionsFor({ sessionId, deviceName }: PasskeyBeginning, { rpId, challenge, mine }: Made): PasskeyOptions {
  return {
    rp: { id: rpId, name: "Silas" },
    // One per session: with the same one, two browsers that share an authenticator would overwrite each other's.
    user: {
      id: Buffer.from(sha256Hex(`silas-passkey-user-v1\n${sessionId}`), "hex").toString("base64url"),
      name: `Silas: ${deviceName}`,
      displayName: `Silas: ${deviceName}`,
    },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT_MS,
    attestation: "none",
    excludeCredentials: mine.map(({ credentialId }) => ({ type: "public-key", id: credentialId })),
    authenticatorSelection: { residentKey: "discouraged", userVerification: "required" },
  };
}

const TIMEOUT_MS = 120_000;

async function add(parts: Parts, adding: PasskeyAdding): Promise<Result<Passkey, PasskeyDoorRefusal>> {
  const { sessionId, name, attestation } = adding;
  const { clock, isOwnOrigin, challenges } = parts;
  const asked = challenges.take({ sessionId, purpose: "begin" });
  if (asked === null || asked.made === null) return err({ code: "passkey_not_made", reason: "challenge_differs" });
  const { challenge } = asked;
  const { rpId, as } = asked.made;
  const made = await verifyAttestation(attestation, { challenge, rpId, isOwnOrigin });
  if (!made.ok) return err({ code: "passkey_not_made", reason: made.error });
  // Asked again behind the wait: the first of a session needs no proof, so there must still be none.
  const mine = await passkeysOf(parts, sessionId);
  if (!mine.ok) return mine;
  const [first] = mine.value;
  if (as === "first" && first !== undefined) return err({ code: "passkey_proof_needed", passkeyId: first.passkeyId });
  const passkeyId = passkeyIdOf(made.value.credentialId);
  const createdAt = clock.now();
  const passkey = { ...made.value, passkeyId, sessionId, rpId, name, createdAt, lastUsedAt: null };
  const added = await parts.store.add(passkey, ownerOf(sessionId));
  return added.ok ? ok(passkey) : added;
}

/** Removal lowers what is asked of whoever holds the session, so the passkey itself must agree, or the terminal. */
async function remove(parts: Parts, { passkeyId, by }: PasskeyRemoving): Promise<Result<Passkey, PasskeyDoorRefusal>> {
  const at = parts.clock.now();
  if (by === null) return parts.store.remove({ passkeyId, at, actor: TERMINAL });
  const { sessionId, proof } = by;
  if (proof === null) return err({ code: "passkey_proof_needed", passkeyId });
  const proven = await verify(parts, { sessionId, purpose: "remove", assertion: proof, about: null });
  if (!proven.ok) return proven;
  if (proven.value.passkey.passkeyId !== passkeyId) return err({ code: "passkey_proof_needed", passkeyId });
  return parts.store.remove({ passkeyId, at, actor: ownerOf(sessionId) });
}

const refused = (reason: Extract<PasskeyRefusal, { readonly code: "passkey_refused" }>["reason"]) =>
  err({ code: "passkey_refused", reason } as const);
