import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Session, SessionStore } from "#ports";
import { createMemorySessionStore, openSessions } from "#stores";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const session = (name: string, minutes: number): Session => ({
  sessionId: `session-${name}`,
  deviceName: name,
  tokenDigest: `digest-${name}`,
  createdAt: at(minutes),
  lastSeenAt: at(minutes),
  revokedAt: null,
});

async function openReal(): Promise<SessionStore> {
  const dataDir = join(tempDir(), "data");
  const opened = must(await openSessions({ dataDir, clock: fixedClock, random: countingRandom() }));
  onTestFinished(() => opened.close());
  return opened.store;
}

describe.each([
  ["twin", async () => createMemorySessionStore()],
  ["real", openReal],
] as const)("the session store (%s)", (_name, openStore) => {
  test("a session is found by the digest of its token and listed by age", async () => {
    const store = await openStore();
    must(await store.add(session("phone", 5)));
    must(await store.add(session("laptop", 1)));
    expect(must(await store.findByDigest("digest-phone"))).toEqual(session("phone", 5));
    expect(must(await store.findByDigest("digest-tablet"))).toBeNull();
    expect(must(await store.list()).map((one) => one.deviceName)).toEqual(["laptop", "phone"]);
  });

  test("neither a session nor a digest is taken twice", async () => {
    const store = await openStore();
    must(await store.add(session("phone", 0)));
    expect((await store.add(session("phone", 1))).ok).toBe(false);
    expect((await store.add({ ...session("other", 1), tokenDigest: "digest-phone" })).ok).toBe(false);
    expect(must(await store.list())).toEqual([session("phone", 0)]);
  });

  test("a device never looks older than it is, and a revocation stays as it was first made", async () => {
    const store = await openStore();
    must(await store.add(session("phone", 0)));
    must(await store.touch("session-phone", at(9)));
    must(await store.touch("session-phone", at(3)));
    must(await store.revoke("session-phone", at(10)));
    must(await store.revoke("session-phone", at(20)));
    must(await store.revoke("session-none", at(20)));
    expect(must(await store.list())).toEqual([{ ...session("phone", 0), lastSeenAt: at(9), revokedAt: at(10) }]);
  });
});
