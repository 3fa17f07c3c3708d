import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeyId, OwnerKey, PublicKeyHex, SignatureHex } from "#model";
import type { AuditLog, KeyRegistry, Session, SessionStore } from "#ports";
import { createAuditRules } from "#policy";
import { openMigratedRuntime } from "#sim";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const session = (name: string, minutes: number): Session => ({
  sessionId: `session-${name}`,
  deviceName: name,
  tokenDigest: `digest-${name}`,
  createdAt: at(minutes),
  lastSeenAt: at(minutes),
  revokedAt: null,
});

const enrol = (keys: KeyRegistry, key: OwnerKey) =>
  keys.add(key, { actor: BY, signed: { keyId: key.keyId, signature: "0".repeat(128) as SignatureHex } });

const keyOf = (name: string, digit: string): OwnerKey => ({
  keyId: digit.repeat(32) as KeyId,
  publicKey: digit.repeat(64) as PublicKeyHex,
  name: `key of ${name}`,
  kind: "browser",
  sessionId: `session-${name}`,
  enrolledAt: at(1),
  revokedAt: null,
  lastUsedAt: null,
});

type Opened = { readonly store: SessionStore; readonly keys: KeyRegistry; readonly audit: AuditLog };

const auditRules = createAuditRules(sha256Hex);

async function openFile(): Promise<Opened> {
  const dataDir = join(tempDir(), "data");
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  onTestFinished(() => opened.close());
  return { store: opened.sessions, keys: opened.keys, audit: opened.audit };
}

async function openMemory(): Promise<Opened> {
  const { sessions: store, keys, audit } = openInMemory();
  return { store, keys, audit };
}

const BY = { kind: "terminal" } as const;

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the session store (%s)", (_name, openStore) => {
  test("a session is found by the digest of its token and listed by age", async () => {
    const { store } = await openStore();
    must(await store.add(session("phone", 5)));
    must(await store.add(session("laptop", 1)));
    expect(must(await store.findByDigest("digest-phone"))).toEqual(session("phone", 5));
    expect(must(await store.findByDigest("digest-tablet"))).toBeNull();
    expect(must(await store.list()).map((one) => one.deviceName)).toEqual(["laptop", "phone"]);
  });

  test("neither a session nor a digest is taken twice", async () => {
    const { store } = await openStore();
    must(await store.add(session("phone", 0)));
    expect((await store.add(session("phone", 1))).ok).toBe(false);
    expect((await store.add({ ...session("other", 1), tokenDigest: "digest-phone" })).ok).toBe(false);
    expect(must(await store.list())).toEqual([session("phone", 0)]);
  });

  test("a device never looks older than it is, and a revocation stays as it was first made", async () => {
    const { store } = await openStore();
    must(await store.add(session("phone", 0)));
    must(await store.touch("session-phone", at(9)));
    must(await store.touch("session-phone", at(3)));
    must(await store.revoke("session-phone", { at: at(10), actor: BY }));
    must(await store.revoke("session-phone", { at: at(20), actor: BY }));
    must(await store.revoke("session-none", { at: at(20), actor: BY }));
    expect(must(await store.list())).toEqual([{ ...session("phone", 0), lastSeenAt: at(9), revokedAt: at(10) }]);
  });

  test("[AUD-01] signing in and out is recorded with who did it; a second time is no act and no entry", async () => {
    const { store, audit } = await openStore();
    must(await store.add(session("phone", 0)));
    expect((await store.add(session("phone", 1))).ok).toBe(false);
    must(await store.revoke("session-phone", { at: at(10), actor: BY }));
    must(await store.revoke("session-phone", { at: at(20), actor: BY }));
    const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 10 }));
    const data = { session_id: "session-phone", device_name: "phone" };
    expect(entries.map(({ event, at: when, actor, data: said }) => [event, when, actor, said])).toEqual([
      ["device_revoked", at(10), BY, data],
      ["device_enrolled", at(0), { kind: "owner", session_id: "session-phone" }, data],
    ]);
  });

  test("signing a device out takes its key out of use in the same act, and a device has one key at a time", async () => {
    const { store, keys, audit } = await openStore();
    must(await store.add(session("phone", 0)));
    must(await store.add(session("laptop", 0)));
    must(await enrol(keys, keyOf("phone", "a")));
    must(await enrol(keys, keyOf("laptop", "b")));
    must(await enrol(keys, keyOf("phone", "c")));
    must(await store.revoke("session-phone", { at: at(5), actor: BY }));
    must(await store.revoke("session-phone", { at: at(9), actor: BY }));
    const ends = must(await keys.list()).map(({ keyId, revokedAt }) => [keyId.slice(0, 1), revokedAt]);
    expect(ends).toEqual([
      ["a", at(1)],
      ["b", null],
      ["c", at(5)],
    ]);
    expect(await enrol(keys, keyOf("phone", "d"))).toEqual({
      ok: false,
      error: { code: "device_signed_out", sessionId: "session-phone" },
    });
    expect(await enrol(keys, keyOf("tablet", "e"))).toMatchObject({ error: { code: "device_signed_out" } });
    const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 20 }));
    expect(
      entries.toReversed().map(({ event, data }) => `${event} ${String(data["key_id"] ?? "").slice(0, 1)}`),
    ).toEqual([
      "device_enrolled ",
      "device_enrolled ",
      "key_enrolled a",
      "key_enrolled b",
      "key_revoked a",
      "key_enrolled c",
      "device_revoked ",
      "key_revoked c",
    ]);
    expect(entries.find(({ event }) => event === "key_enrolled")?.data).toMatchObject({ session_id: "session-phone" });
  });
});
