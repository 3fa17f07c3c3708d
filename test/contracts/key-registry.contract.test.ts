import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeyId, OwnerKey, PublicKeyHex, SignatureHex } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, KeyRegistry } from "#ports";
import { openMigratedRuntime } from "#sim";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const BY = { kind: "terminal" } as const;

const key = (digit: string, minutes: number): OwnerKey => ({
  keyId: digit.repeat(32) as KeyId,
  publicKey: digit.repeat(64) as PublicKeyHex,
  name: `key ${digit}`,
  kind: "vault",
  sessionId: null,
  enrolledAt: at(minutes),
  revokedAt: null,
  lastUsedAt: null,
});

type Opened = { readonly registry: KeyRegistry; readonly audit: AuditLog };

const auditRules = createAuditRules(sha256Hex);

async function openFile(): Promise<Opened> {
  const dataDir = join(tempDir(), "data");
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  onTestFinished(() => opened.close());
  return { registry: opened.keys, audit: opened.audit };
}

async function openMemory(): Promise<Opened> {
  const { keys: registry, audit } = openInMemory();
  return { registry, audit };
}

/** The store records the signature; whether it holds is asked where a key counts. */
const enrol = (registry: KeyRegistry, enrolled: OwnerKey) =>
  registry.add(enrolled, { actor: BY, signed: { keyId: enrolled.keyId, signature: "0".repeat(128) as SignatureHex } });

/** What the chain says, oldest first. */
async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 }));
  return entries.toReversed().map(({ event, data }) => `${event} ${String(data["key_id"]).slice(0, 1)}`);
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the key registry (%s)", (_name, open) => {
  test("a key is found by its id and listed by age", async () => {
    const { registry } = await open();
    must(await enrol(registry, key("b", 5)));
    must(await enrol(registry, key("a", 9)));
    expect(must(await registry.find(key("a", 9).keyId))).toEqual(key("a", 9));
    expect(must(await registry.find("0".repeat(32) as KeyId))).toBeNull();
    expect(must(await registry.list())).toEqual([key("b", 5), key("a", 9)]);
  });

  test("neither an id nor a public key is enrolled twice, and what was refused is not recorded", async () => {
    const { registry, audit } = await open();
    must(await enrol(registry, key("a", 0)));
    expect((await enrol(registry, { ...key("b", 1), keyId: key("a", 0).keyId })).ok).toBe(false);
    expect((await enrol(registry, { ...key("b", 1), publicKey: key("a", 0).publicKey })).ok).toBe(false);
    expect(must(await registry.list())).toEqual([key("a", 0)]);
    expect(await recorded(audit)).toEqual(["key_enrolled a"]);
  });

  test("each use is recorded, and a clock that jumps back takes nothing away", async () => {
    const { registry, audit } = await open();
    const { keyId } = key("a", 0);
    must(await enrol(registry, key("a", 0)));
    must(await registry.recordUse(keyId, { purpose: "file", at: at(9), actor: BY }));
    must(await registry.recordUse(keyId, { purpose: "self_test", at: at(3), actor: BY }));
    expect(must(await registry.find(keyId))).toMatchObject({ lastUsedAt: at(9) });
    expect(await recorded(audit)).toEqual(["key_enrolled a", "key_used a", "key_used a"]);
  });

  test("a key that is unknown or revoked is not used", async () => {
    const { registry, audit } = await open();
    must(await enrol(registry, key("a", 0)));
    must(await enrol(registry, key("b", 0)));
    must(await registry.revoke({ keyId: key("a", 0).keyId, at: at(1), actor: BY, lastKey: "refuse" }));
    const use = { purpose: "file", at: at(2), actor: BY } as const;
    expect(await registry.recordUse(key("a", 0).keyId, use)).toMatchObject({ error: { code: "key_revoked" } });
    expect(await registry.recordUse(key("c", 0).keyId, use)).toMatchObject({ error: { code: "key_unknown" } });
    expect(await recorded(audit)).toEqual(["key_enrolled a", "key_enrolled b", "key_revoked a"]);
  });

  test("a revocation stays as it was first made, and the last key goes only when that is meant", async () => {
    const { registry, audit } = await open();
    must(await enrol(registry, key("a", 0)));
    must(await enrol(registry, key("b", 0)));
    const revoke = (digit: string, minutes: number, lastKey: "refuse" | "revoke") =>
      registry.revoke({ keyId: key(digit, 0).keyId, at: at(minutes), actor: BY, lastKey });
    expect(must(await revoke("a", 1, "refuse"))).toEqual({ ...key("a", 0), revokedAt: at(1) });
    expect(must(await revoke("a", 5, "revoke"))).toEqual({ ...key("a", 0), revokedAt: at(1) });
    expect(await revoke("b", 2, "refuse")).toMatchObject({ ok: false, error: { code: "last_key" } });
    expect(await revoke("c", 2, "refuse")).toMatchObject({ ok: false, error: { code: "key_unknown" } });
    expect(must(await registry.find(key("b", 0).keyId))).toEqual(key("b", 0));
    must(await revoke("b", 3, "revoke"));
    expect(await recorded(audit)).toEqual(["key_enrolled a", "key_enrolled b", "key_revoked a", "key_revoked b"]);
  });
});
