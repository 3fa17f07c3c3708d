import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { err, LIMITS, sha256Hex } from "#base";
import {
  deviceCode,
  deviceProofText,
  type DeviceOffer,
  type PublicKeyHex,
  type VaultFault,
  type WaitingDevice,
} from "#model";
import { createAuditRules } from "#policy";
import { createSeeded, createVirtualClock } from "#sim";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { systemEd25519 } from "../audit-life.ts";
import { createKeysDoor } from "../keys/door.ts";
import { createSigner } from "../keys/signer.ts";
import { createDeviceKeys } from "./device-keys.ts";
import { must } from "../must.fixture.ts";

const BY = { kind: "terminal" } as const;

type Pair = { readonly privateKey: KeyObject; readonly hex: PublicKeyHex };

function newPair(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const hex = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex") as PublicKeyHex;
  return { privateKey, hex };
}

async function createWorld() {
  const lock: { fault: VaultFault | null } = { fault: null };
  const clock = createVirtualClock(1_794_729_600_000);
  const { audit, keys: registry, sessions } = openInMemory(createAuditRules(sha256Hex, systemEd25519));
  let changes = 0;
  const review = { changed: () => void (changes += 1) };
  const randomness = createSeeded(3);
  const vault = createMemoryVault(lock);
  const signer = createSigner({ vault, registry, clock });
  must(await createKeysDoor({ vault, registry, clock, randomness, signer, audit }).prepare());
  const disk = { isFull: false };
  const add: typeof registry.add = async (...added) =>
    disk.isFull ? err({ code: "disk_full", retryable: false }) : registry.add(...added);
  const door = createDeviceKeys({ registry: { ...registry, add }, signer, audit, review, clock, randomness });
  const browserKeys = async () => must(await registry.list()).filter(({ kind }) => kind === "browser");
  const signIn = async (name: string): Promise<string> => {
    const at = clock.now();
    const sessionId = `session-${name}`;
    const session = { sessionId, deviceName: name, tokenDigest: name, createdAt: at, lastSeenAt: at, revokedAt: null };
    must(await sessions.add(session));
    return sessionId;
  };
  const offerOf = (sessionId: string, { privateKey, hex }: Pair, change: Partial<DeviceOffer> = {}): DeviceOffer => {
    const { challenge } = door.begin(sessionId);
    const proof = { challenge, name: "Kitchen", publicKey: hex, sessionId };
    const signature = new Uint8Array(sign(null, Buffer.from(deviceProofText(proof)), privateKey));
    return { ...proof, deviceName: "Firefox", signature, ...change };
  };
  const events = async (): Promise<readonly string[]> =>
    must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }))
      .toReversed()
      .filter(({ event, data }) => event.includes("key") && data["key_name"] !== "This machine")
      .map(({ event, data }) => (event === "device_key_refused" ? `${event} ${String(data["reason"])}` : event));
  return { clock, sessions, door, lock, disk, browserKeys, signIn, offerOf, events, changes: () => changes };
}

test("[KEY-01] a browser's key is offered with a proof, and counts once the terminal confirms the code both sides compute", async () => {
  const { door, signIn, offerOf, browserKeys, events } = await createWorld();
  const sessionId = await signIn("phone");
  expect(must(await door.current(sessionId))).toEqual({ state: "none", key: null, enrolment: null });
  const told: WaitingDevice[] = [];
  door.onWaiting((device) => told.push(device));
  const pair = newPair();
  const waiting = must(await door.offer(offerOf(sessionId, pair)));
  expect(waiting.code).toBe(deviceCode({ nonce: waiting.nonce, publicKey: pair.hex, sessionId }));
  expect(told).toEqual([waiting]);
  expect(door.waiting()).toEqual([waiting]);
  expect(await browserKeys()).toEqual([]);
  expect(must(await door.current(sessionId))).toEqual({ state: "waiting", key: null, enrolment: waiting });
  const key = must(await door.confirm(waiting.code, BY));
  expect(key).toMatchObject({ kind: "browser", sessionId, name: "Kitchen", publicKey: pair.hex });
  expect(await browserKeys()).toEqual([key]);
  expect(must(await door.current(sessionId))).toEqual({ state: "enrolled", key, enrolment: null });
  expect(await door.confirm(waiting.code, BY)).toMatchObject({ error: { code: "no_device_waits" } });
  expect(await events()).toEqual(["device_key_offered", "key_used", "key_enrolled"]);
});

test("[KEY-03] an offer without its own challenge, with another key's signature or of another session waits for nothing", async () => {
  const { door, signIn, offerOf, events } = await createWorld();
  const [phone, laptop] = [await signIn("phone"), await signIn("laptop")];
  const [own, other] = [newPair(), newPair()];
  const wrong: readonly [string, () => DeviceOffer][] = [
    ["proof_invalid", () => offerOf(phone, own, { publicKey: other.hex })],
    ["proof_invalid", () => offerOf(phone, own, { publicKey: "0".repeat(64) as PublicKeyHex })],
    ["proof_invalid", () => offerOf(phone, own, { name: "Another name" })],
    ["proof_invalid", () => offerOf(phone, own, { signature: new Uint8Array(64) })],
    ["challenge_unknown", () => offerOf(phone, own, { challenge: "0".repeat(64) })],
    ["challenge_unknown", () => offerOf(phone, own, { sessionId: laptop })],
  ];
  for (const [code, offer] of wrong) expect(await door.offer(offer())).toEqual({ ok: false, error: { code } });
  expect(door.waiting()).toEqual([]);
  const good = offerOf(phone, own);
  must(await door.offer(good));
  expect(await door.offer(good)).toMatchObject({ error: { code: "challenge_unknown" } });
  expect((await events()).filter((event) => event.startsWith("device_key_refused"))).toHaveLength(wrong.length + 1);
});

test("what waits ends after ten minutes, and a session has one offer and one key at a time", async () => {
  const { door, signIn, offerOf, browserKeys, clock } = await createWorld();
  const phone = await signIn("phone");
  const first = must(await door.offer(offerOf(phone, newPair())));
  const second = must(await door.offer(offerOf(phone, newPair())));
  expect(door.waiting()).toEqual([second]);
  expect(await door.confirm(first.code, BY)).toMatchObject({ error: { code: "device_code_wrong", triesLeft: 4 } });
  clock.moveMs(LIMITS.deviceKeyTtlMs);
  expect(door.waiting()).toEqual([]);
  expect(await door.confirm(second.code, BY)).toMatchObject({ error: { code: "no_device_waits" } });
  const late = offerOf(phone, newPair());
  clock.moveMs(LIMITS.deviceKeyTtlMs);
  expect(await door.offer(late)).toMatchObject({ error: { code: "challenge_unknown" } });
  const pair = newPair();
  const kept = must(await door.confirm(must(await door.offer(offerOf(phone, pair))).code, BY));
  expect(await door.offer(offerOf(phone, pair))).toMatchObject({ error: { code: "public_key_taken" } });
  const next = must(await door.confirm(must(await door.offer(offerOf(phone, newPair()))).code, BY));
  expect((await browserKeys()).map(({ keyId, revokedAt }) => [keyId, revokedAt === null])).toEqual(
    [[kept.keyId, false] as const, [next.keyId, true] as const].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
});

test("five wrong codes end everything that waits, are recorded, and a right one in between starts the count anew", async () => {
  const { door, signIn, offerOf, events } = await createWorld();
  const [phone, laptop] = [await signIn("phone"), await signIn("laptop")];
  const [one, two] = [
    must(await door.offer(offerOf(phone, newPair()))),
    must(await door.offer(offerOf(laptop, newPair()))),
  ];
  const wrong = [one, two].some(({ code }) => code === "000000") ? "000001" : "000000";
  const tryWrong = () => door.confirm(wrong, BY);
  for (const triesLeft of [4, 3, 2, 1]) {
    expect(await tryWrong()).toMatchObject({ error: { code: "device_code_wrong", triesLeft } });
  }
  must(await door.confirm(one.code, BY));
  for (const triesLeft of [4, 3, 2, 1, 0]) {
    expect(await tryWrong()).toMatchObject({ error: { code: "device_code_wrong", triesLeft } });
  }
  expect(door.waiting()).toEqual([]);
  expect(await door.confirm(two.code, BY)).toMatchObject({ error: { code: "no_device_waits" } });
  expect((await events()).filter((event) => event === "device_key_refused device_code_wrong")).toHaveLength(9);
});

test("of two confirmations at once one enrols, and a device that was signed out meanwhile gets no key", async () => {
  const { door, signIn, offerOf, sessions, browserKeys, clock } = await createWorld();
  const phone = await signIn("phone");
  const waiting = must(await door.offer(offerOf(phone, newPair())));
  const answers = await Promise.all([door.confirm(waiting.code, BY), door.confirm(waiting.code, BY)]);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  const later = must(await door.offer(offerOf(phone, newPair())));
  must(await sessions.revoke(phone, { at: clock.now(), actor: BY }));
  expect(await door.confirm(later.code, BY)).toMatchObject({ error: { code: "device_signed_out" } });
  expect((await browserKeys()).filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
});

test("however many sessions offer, only so many wait", async () => {
  const { door, signIn, offerOf } = await createWorld();
  for (let index = 0; index < LIMITS.deviceKeysWaiting + 5; index += 1) {
    must(await door.offer(offerOf(await signIn(`device-${index}`), newPair())));
  }
  expect(door.waiting()).toHaveLength(LIMITS.deviceKeysWaiting);
  expect(new Set(door.waiting().map(({ code }) => code)).size).toBe(LIMITS.deviceKeysWaiting);
});

test("a device whose key the vault cannot sign for now goes on waiting, and the same code confirms it later", async () => {
  const { door, signIn, offerOf, lock, browserKeys } = await createWorld();
  const phone = await signIn("phone");
  const waiting = must(await door.offer(offerOf(phone, newPair())));
  lock.fault = { code: "vault_locked", retryable: false, missing: "passphrase" };
  expect(await door.confirm(waiting.code, BY)).toMatchObject({ error: { code: "vault_locked" } });
  expect(await browserKeys()).toEqual([]);
  expect(door.waiting()).toEqual([waiting]);
  lock.fault = null;
  must(await door.confirm(waiting.code, BY));
  expect(await browserKeys()).toHaveLength(1);
});

test("a device whose key could not be written goes on waiting, and the same code confirms it when there is room", async () => {
  const { door, disk, signIn, offerOf, browserKeys, changes } = await createWorld();
  const waiting = must(await door.offer(offerOf(await signIn("phone"), newPair())));
  const told = changes();
  disk.isFull = true;
  expect(await door.confirm(waiting.code, BY)).toMatchObject({ error: { code: "disk_full" } });
  expect(door.waiting()).toEqual([waiting]);
  expect(changes()).toBe(told);
  disk.isFull = false;
  expect(must(await door.confirm(waiting.code, BY))).toMatchObject({ kind: "browser" });
  expect(changes()).toBe(told + 1);
  expect(await browserKeys()).toHaveLength(1);
});
