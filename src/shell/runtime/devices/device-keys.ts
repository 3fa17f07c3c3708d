import { assert, err, instantFromMs, LIMITS, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  deviceCode,
  deviceProofText,
  signatureToHex,
  type AuditActor,
  type DeviceKeyRefusal,
  type DeviceKeyState,
  type DeviceOffer,
  type OwnerKey,
  type SigningError,
  type StoreFault,
  type WaitingDevice,
} from "#model";
import type { AuditLog, Clock, DeviceKeysDoor, KeyRegistry, Randomness, ReviewFeed, Signer } from "#ports";
import { enrolmentBytes } from "../keys/door.ts";
import { keyIdOf, verifyWith } from "../keys/ed25519.ts";

type DeviceKeysDeps = {
  readonly registry: KeyRegistry;
  /** Vouches for the key that the terminal confirmed. */
  readonly signer: Pick<Signer, "sign">;
  readonly audit: AuditLog;
  readonly review: Pick<ReviewFeed, "changed">;
  readonly clock: Clock;
  readonly randomness: Randomness;
};

type Begun = { readonly challenge: string; readonly expiresMs: number };
type Parts = DeviceKeysDeps & {
  readonly begun: Map<string, Begun>;
  /** By session: a device offers one key at a time. */
  readonly waiting: Map<string, WaitingDevice>;
  readonly listeners: Set<(device: WaitingDevice) => void>;
  wrongCodes: number;
};

/**
 * How a browser gets a key that counts: challenge, proof, code, and a person at the terminal who compares the codes.
 * What waits is in memory only; whoever is interrupted begins again. [KEY-06]
 */
export function createDeviceKeys(deps: DeviceKeysDeps): DeviceKeysDoor {
  const parts: Parts = { ...deps, begun: new Map(), waiting: new Map(), listeners: new Set(), wrongCodes: 0 };
  return {
    begin: (sessionId) => begin(parts, sessionId),
    offer: (offer) => takeOffer(parts, offer),
    current: (sessionId) => current(parts, sessionId),
    waiting: () => stillWaiting(parts),
    confirm: (code, actor) => confirm(parts, { code, actor }),
    onWaiting(listener) {
      parts.listeners.add(listener);
      return () => void parts.listeners.delete(listener);
    },
  };
}

function begin({ begun, clock, randomness }: Parts, sessionId: string) {
  const challenge = randomHex(randomness);
  const expiresMs = msOfInstant(clock.now()) + LIMITS.deviceKeyTtlMs;
  begun.delete(sessionId);
  begun.set(sessionId, { challenge, expiresMs });
  dropOldest(begun);
  return { challenge, expiresAt: instantAt(expiresMs) };
}

type Taken = Promise<Result<WaitingDevice, DeviceKeyRefusal | StoreFault>>;

async function takeOffer(parts: Parts, offer: DeviceOffer): Taken {
  const { sessionId, publicKey, challenge, name } = offer;
  const begun = parts.begun.get(sessionId);
  // Spent before anything is awaited: a challenge is good for one offer.
  parts.begun.delete(sessionId);
  const nowMs = msOfInstant(parts.clock.now());
  if (begun === undefined || begun.challenge !== challenge || begun.expiresMs <= nowMs) {
    return refuse(parts, { reason: "challenge_unknown", sessionId });
  }
  const bytes = Buffer.from(deviceProofText({ challenge, name, publicKey, sessionId }));
  const proven = verifyWith(publicKey, { bytes, signature: signatureToHex(offer.signature) });
  if (!proven.ok) return refuse(parts, { reason: "proof_invalid", sessionId });
  const known = await parts.registry.find(keyIdOf(publicKey));
  if (!known.ok) return known;
  if (known.value !== null) return refuse(parts, { reason: "public_key_taken", sessionId });
  const device = keepWaiting(parts, offer);
  await parts.audit.append({
    event: "device_key_offered",
    data: { key_id: keyIdOf(publicKey), key_name: name, session_id: sessionId },
    at: parts.clock.now(),
    actor: { kind: "owner", session_id: sessionId },
  });
  parts.review.changed();
  for (const listener of parts.listeners) listener(device);
  return ok(device);
}

/** Two devices never show the same code: the nonce is drawn until it is another. */
function keepWaiting(parts: Parts, { sessionId, deviceName, name, publicKey }: DeviceOffer): WaitingDevice {
  const { waiting, randomness, clock } = parts;
  waiting.delete(sessionId);
  const codes = new Set(stillWaiting(parts).map(({ code }) => code));
  for (;;) {
    const nonce = randomHex(randomness);
    const code = deviceCode({ nonce, publicKey, sessionId });
    if (codes.has(code)) continue;
    const expiresAt = instantAt(msOfInstant(clock.now()) + LIMITS.deviceKeyTtlMs);
    const enrolmentId = Buffer.from(randomness.bytes(16)).toString("hex");
    const device = { enrolmentId, sessionId, deviceName, name, publicKey, nonce, code, expiresAt };
    waiting.set(sessionId, device);
    dropOldest(waiting);
    return device;
  }
}

async function current(parts: Parts, sessionId: string): Promise<Result<DeviceKeyState, StoreFault>> {
  const listed = await parts.registry.list();
  if (!listed.ok) return listed;
  const keys = listed.value.filter((key) => key.sessionId === sessionId);
  const key = keys.find(({ revokedAt }) => revokedAt === null) ?? keys.at(-1) ?? null;
  const enrolment = stillWaiting(parts).find((device) => device.sessionId === sessionId);
  if (enrolment !== undefined) return ok({ state: "waiting", key, enrolment });
  if (key === null) return ok({ state: "none", key, enrolment: null });
  return ok({ state: key.revokedAt === null ? "enrolled" : "revoked", key, enrolment: null });
}

type Confirming = { readonly code: string; readonly actor: AuditActor };

async function confirm(
  parts: Parts,
  { code, actor }: Confirming,
): Promise<Result<OwnerKey, DeviceKeyRefusal | SigningError>> {
  const devices = stillWaiting(parts);
  if (devices.length === 0) return err({ code: "no_device_waits" });
  const device = devices.find((one) => one.code === code);
  if (device === undefined) return wrongCode(parts, actor);
  const { sessionId, publicKey, name } = device;
  // Spent before anything is awaited: of two confirmations of one code one enrols.
  parts.waiting.delete(sessionId);
  parts.wrongCodes = 0;
  const key: OwnerKey = {
    keyId: keyIdOf(publicKey),
    publicKey,
    name,
    kind: "browser",
    sessionId,
    enrolledAt: parts.clock.now(),
    revokedAt: null,
    lastUsedAt: null,
  };
  const signed = await parts.signer.sign(enrolmentBytes(key), { purpose: "key", actor });
  const added = signed.ok ? await parts.registry.add(key, { actor, signed: signed.value }) : signed;
  if (!added.ok) {
    // The device goes on waiting while the vault is locked or the disk fails, unless it made a newer offer.
    if (!parts.waiting.has(sessionId)) parts.waiting.set(sessionId, device);
    return added;
  }
  parts.review.changed();
  return ok(key);
}

/** Counted over all that waits: whoever guesses gets five tries, and not five for each device. */
async function wrongCode(parts: Parts, actor: AuditActor): Promise<Result<never, DeviceKeyRefusal>> {
  parts.wrongCodes += 1;
  const triesLeft = LIMITS.deviceCodeTries - parts.wrongCodes;
  if (triesLeft === 0) {
    parts.waiting.clear();
    parts.wrongCodes = 0;
    parts.review.changed();
  }
  await record(parts, { reason: "device_code_wrong", sessionId: null, actor });
  return err({ code: "device_code_wrong", triesLeft });
}

type Refusing = {
  readonly reason: "challenge_unknown" | "proof_invalid" | "public_key_taken";
  readonly sessionId: string;
};

async function refuse(parts: Parts, { reason, sessionId }: Refusing): Promise<Result<never, DeviceKeyRefusal>> {
  await record(parts, { reason, sessionId, actor: { kind: "owner", session_id: sessionId } });
  return err({ code: reason });
}

type Recorded = { readonly reason: string; readonly sessionId: string | null; readonly actor: AuditActor };

async function record({ audit, clock }: Parts, { reason, sessionId, actor }: Recorded): Promise<void> {
  await audit.append({
    event: "device_key_refused",
    data: { reason, session_id: sessionId },
    at: clock.now(),
    actor,
  });
}

function stillWaiting({ waiting, clock }: Parts): readonly WaitingDevice[] {
  const now = clock.now();
  return [...waiting.values()].filter(({ expiresAt }) => now < expiresAt);
}

function dropOldest(held: Map<string, unknown>): void {
  for (const oldest of held.keys()) {
    if (held.size <= LIMITS.deviceKeysWaiting) return;
    held.delete(oldest);
  }
}

const randomHex = (randomness: Randomness): string => Buffer.from(randomness.bytes(32)).toString("hex");

function instantAt(ms: number): Instant {
  const instant = instantFromMs(ms);
  assert(instant.ok, "a clock reading plus ten minutes is an instant");
  return instant.value;
}
