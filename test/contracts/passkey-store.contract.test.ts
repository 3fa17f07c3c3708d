import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import { passkeyIdOf, type Passkey } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, PasskeyStore, SessionStore } from "#ports";
import { openMigratedRuntime } from "#sim";
import type { RuntimeStores } from "#stores";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

type Opened = { readonly store: PasskeyStore; readonly sessions: SessionStore; readonly audit: AuditLog };

const auditRules = createAuditRules(sha256Hex);
const BY = { kind: "owner", session_id: "laptop" } as const;

const passkey = (name: string, { sessionId = "laptop", minutes = 0, counter = 0 } = {}): Passkey => ({
  passkeyId: passkeyIdOf(`credential-${name}`),
  credentialId: `credential-${name}`,
  publicKey: "pQECAyYgASFYIA",
  counter,
  sessionId,
  rpId: "localhost",
  name,
  createdAt: at(minutes),
  lastUsedAt: null,
});

async function signIn(sessions: SessionStore): Promise<void> {
  for (const sessionId of ["laptop", "phone"]) {
    const times = { createdAt: at(0), lastSeenAt: at(0), revokedAt: null };
    must(await sessions.add({ sessionId, deviceName: sessionId, tokenDigest: `digest-${sessionId}`, ...times }));
  }
}

async function openFile(): Promise<Opened> {
  const dataDir = join(tempDir(), "data");
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  onTestFinished(() => opened.close());
  return signedIn(opened);
}

const openMemory = (): Promise<Opened> => signedIn(openInMemory());

async function signedIn({ passkeys: store, sessions, audit }: RuntimeStores): Promise<Opened> {
  await signIn(sessions);
  return { store, sessions, audit };
}

/** What the chain says of passkeys, oldest first. */
async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 }));
  return entries
    .toReversed()
    .filter(({ event }) => event.startsWith("passkey_"))
    .map(({ event, data }) => [event, data["passkey_name"] ?? data["purpose"]].join(" "));
}

const names = async (store: PasskeyStore) => must(await store.list()).map(({ name }) => name);
const use = (name: string, counter: number, minutes = 5) =>
  ({ passkeyId: passkeyIdOf(`credential-${name}`), counter, purpose: "approval", at: at(minutes), actor: BY }) as const;

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the passkey store (%s)", (_name, open) => {
  test("passkeys are listed as they were added, oldest first, and recorded", async () => {
    const { store, audit } = await open();
    must(await store.add(passkey("b", { minutes: 5 }), BY));
    must(await store.add(passkey("a", { minutes: 9, sessionId: "phone" }), BY));
    must(await store.add(passkey("c", { minutes: 1 }), BY));
    expect(must(await store.list())).toEqual([
      passkey("c", { minutes: 1 }),
      passkey("b", { minutes: 5 }),
      passkey("a", { minutes: 9, sessionId: "phone" }),
    ]);
    expect(await recorded(audit)).toEqual(["passkey_added b", "passkey_added a", "passkey_added c"]);
  });

  test("a credential is taken once, also after it was removed, and a device has room for a few", async () => {
    const { store, audit } = await open();
    must(await store.add(passkey("a"), BY));
    expect(await store.add(passkey("a", { sessionId: "phone" }), BY)).toMatchObject({
      error: { code: "passkey_known" },
    });
    must(await store.remove({ passkeyId: passkey("a").passkeyId, at: at(1), actor: BY }));
    expect(await store.add(passkey("a"), BY)).toMatchObject({ error: { code: "passkey_known" } });
    const max = LIMITS.passkeysPerDevice;
    for (let each = 0; each < max; each += 1) must(await store.add(passkey(`k${each}`), BY));
    expect(await store.add(passkey("more"), BY)).toMatchObject({ error: { code: "passkeys_full", max } });
    must(await store.add(passkey("elsewhere", { sessionId: "phone" }), BY));
    expect(await recorded(audit)).toHaveLength(2 + max + 1);
  });

  test("a counter that does not rise is refused and not recorded; an authenticator without one always counts", async () => {
    const { store, audit } = await open();
    must(await store.add(passkey("counting", { counter: 3 }), BY));
    must(await store.add(passkey("plain", { minutes: 1 }), BY));
    for (const counter of [0, 2, 3]) {
      expect(await store.recordUse(use("counting", counter))).toMatchObject({
        error: { code: "passkey_refused", reason: "counter_went_back" },
      });
    }
    must(await store.recordUse(use("counting", 4)));
    expect((await store.recordUse(use("counting", 4))).ok).toBe(false);
    must(await store.recordUse(use("plain", 0)));
    must(await store.recordUse(use("plain", 0, 2)));
    const [counting, plain] = must(await store.list());
    expect([counting?.counter, counting?.lastUsedAt]).toEqual([4, at(5)]);
    expect([plain?.counter, plain?.lastUsedAt]).toEqual([0, at(5)]);
    expect((await recorded(audit)).slice(2)).toEqual(Array(3).fill("passkey_used approval"));
  });

  test("a removed passkey is neither listed nor used nor removed again", async () => {
    const { store, audit } = await open();
    must(await store.add(passkey("a"), BY));
    const { passkeyId } = passkey("a");
    expect(must(await store.remove({ passkeyId, at: at(1), actor: BY }))).toEqual(passkey("a"));
    expect(await names(store)).toEqual([]);
    expect(await store.recordUse(use("a", 9))).toMatchObject({ error: { reason: "unknown_credential" } });
    expect(await store.remove({ passkeyId, at: at(2), actor: BY })).toMatchObject({
      error: { code: "passkey_unknown", passkeyId },
    });
    expect(await recorded(audit)).toEqual(["passkey_added a", "passkey_removed a"]);
  });

  test("a passkey of a device that signed out counts no more", async () => {
    const { store, sessions } = await open();
    must(await store.add(passkey("a"), BY));
    must(await store.add(passkey("b", { sessionId: "phone" }), BY));
    must(await sessions.revoke("laptop", { at: at(3), actor: BY }));
    expect(await names(store)).toEqual(["b"]);
    expect((await store.recordUse(use("a", 9))).ok).toBe(false);
    expect((await store.remove({ passkeyId: passkey("a").passkeyId, at: at(4), actor: BY })).ok).toBe(false);
  });
});

test("not even whoever writes to the file changes a passkey, sets its counter back or takes it off the record", async () => {
  const dataDir = join(tempDir(), "data");
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  await signIn(opened.sessions);
  must(await opened.passkeys.add(passkey("a", { counter: 3 }), BY));
  opened.close();
  const db = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => db.close());
  for (const change of [
    "UPDATE passkeys SET counter = 2",
    "UPDATE passkeys SET public_key = 'other'",
    "UPDATE passkeys SET session_id = 'phone'",
    "UPDATE passkeys SET rp_id = 'evil.example'",
    "DELETE FROM passkeys",
  ]) {
    expect(() => db.exec(change), change).toThrow(/never/);
  }
  db.exec("UPDATE passkeys SET removed_at = '2026-11-15T21:00:00.000Z'");
  expect(() => db.exec("UPDATE passkeys SET removed_at = NULL")).toThrow(/never/);
});
