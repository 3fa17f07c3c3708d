import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeyId, OwnerKey, PublicKeyHex, SecretRef, VaultFault } from "#model";
import { createAuditRules } from "#policy";
import { createKeysDoor, createSigner, keyIdOf, systemEd25519, systemRandomness } from "#runtime";
import { openMigratedRuntime } from "#sim";
import { createMemoryVault } from "#stores";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const BY = { kind: "terminal" } as const;
const REF = "owner-signing-key" as SecretRef;
const DIGEST = sha256Hex("a file");
const auditRules = createAuditRules(sha256Hex, systemEd25519);

let dataDir: string;
let lock: { fault: VaultFault | null };
let vault: ReturnType<typeof createMemoryVault>;
beforeEach(() => {
  dataDir = join(tempDir(), "data");
  lock = { fault: null };
  vault = createMemoryVault(lock);
});

/** A process: whatever it remembers of keys is gone with it. */
async function open() {
  const stores = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  let isOpen = true;
  const close = () => {
    if (isOpen) stores.close();
    isOpen = false;
  };
  onTestFinished(close);
  const deps = { vault, registry: stores.keys, clock: fixedClock };
  const signer = createSigner(deps);
  const door = createKeysDoor({ ...deps, signer, randomness: systemRandomness, audit: stores.audit });
  const standing = async (keyId: string) => {
    const key = must(await stores.keys.find(keyId as KeyId));
    return key === null ? "no row" : must(await stores.keys.onRecord(key));
  };
  const enrolments = async () =>
    must(await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 }))
      .toReversed()
      .filter(({ event }) => event === "key_enrolled")
      .map(({ data }) => data);
  return { ...stores, door, standing, enrolments, close };
}

const strangerKey = (digit: string): OwnerKey => {
  const publicKey = digit.repeat(64) as PublicKeyHex;
  const times = { enrolledAt: at(0), revokedAt: null, lastUsedAt: null };
  return { keyId: keyIdOf(publicKey), publicKey, name: "Other", kind: "vault", sessionId: null, ...times };
};

function inFile(sql: string, ...values: readonly (string | null)[]): void {
  const db = new DatabaseSync(join(dataDir, "silas.db"));
  db.prepare(sql).run(...values);
  db.close();
}

const addRow = ({ keyId, publicKey, name, enrolledAt }: OwnerKey): void =>
  inFile(
    "INSERT INTO owner_keys (key_id, public_key, name, kind, enrolled_at) VALUES (?, ?, ?, 'vault', ?)",
    keyId,
    publicKey,
    name,
    enrolledAt,
  );

/** As the versions before wrote it: a row and an entry without a signature. */
async function enrolUnsigned({ audit }: Awaited<ReturnType<typeof open>>, key: OwnerKey): Promise<void> {
  addRow(key);
  const data = { key_id: key.keyId, key_name: key.name };
  must(await audit.append({ event: "key_enrolled", data, at: key.enrolledAt, actor: BY }));
}

/** An installation from before, with the key of its vault and another one. */
async function openFromBefore() {
  const made = await open();
  const own = must(await made.door.prepare());
  if (own === null) throw new Error("expected a first key");
  made.close();
  // The key itself is taken over; the chain begins anew without its signature.
  dataDir = join(tempDir(), "data");
  const before = await open();
  const other = strangerKey("1");
  await enrolUnsigned(before, own);
  await enrolUnsigned(before, other);
  return { ...before, own, other };
}

test("[KEY-01] keys from before count once the vault has signed for them: its own first, each once, and none the chain does not know", async () => {
  const { door, standing, enrolments, keys, own, other } = await openFromBefore();
  const unknown = strangerKey("2");
  addRow(unknown);
  expect([await standing(own.keyId), await standing(other.keyId)]).toEqual(["unknown", "unknown"]);
  expect(must(await keys.root())).toBeNull();
  expect(must(await door.prepare())).toBeNull();
  expect([await standing(own.keyId), await standing(other.keyId)]).toEqual(["enrolled", "enrolled"]);
  expect(await standing(unknown.keyId)).toBe("unknown");
  expect(must(await keys.root())).toBe(own.keyId);
  must(await door.vouch());
  const signed = (await enrolments()).slice(2);
  expect(signed).toMatchObject([
    { key_id: own.keyId, signed_by: own.keyId, countersigned: true },
    { key_id: other.keyId, signed_by: own.keyId, countersigned: true },
  ]);
  must(await door.signFile(DIGEST, BY));
});

test("[KEY-01] a revoked key from before is not signed for, and whoever enrols later needs a signature", async () => {
  const before = await openFromBefore();
  const { door, keys, other, standing, enrolments } = before;
  must(await keys.revoke({ keyId: other.keyId, at: at(1), actor: BY, lastKey: "refuse" }));
  must(await door.vouch());
  expect((await enrolments()).slice(2)).toHaveLength(1);
  expect(await standing(other.keyId)).toBe("revoked");
  const late = strangerKey("3");
  await enrolUnsigned(before, late);
  must(await door.vouch());
  expect(await standing(late.keyId)).toBe("unknown");
});

test("[KEY-01] without its vault, with the vault of somebody else, or with a broken chain no key from before is signed for", async () => {
  const { door, enrolments, standing, own } = await openFromBefore();
  lock.fault = { code: "vault_locked", retryable: false, missing: "passphrase" };
  expect(await door.prepare()).toEqual({ ok: false, error: lock.fault });
  lock.fault = null;
  const seed = Uint8Array.from(must(await vault.get(REF)));
  must(await vault.put(REF, systemRandomness.bytes(32)));
  expect(await door.prepare()).toMatchObject({ error: { code: "signer_not_enrolled" } });
  must(await vault.put(REF, seed));
  inFile("DROP TRIGGER audit_entries_remain");
  inFile("DELETE FROM audit_entries WHERE seq = 1");
  expect(await door.prepare()).toMatchObject({ error: { code: "chain_broken" } });
  expect(await standing(own.keyId)).toBe("unknown");
  expect((await enrolments()).filter((data) => data["countersigned"] === true)).toEqual([]);
});

test("[KEY-01] after the vault was lost a new key signs for itself, and counts wherever the vault says that it holds it", async () => {
  const first = await open();
  const root = must(await first.door.prepare());
  must(await vault.remove(REF));
  const next = must(await first.door.enrol("New machine", BY));
  expect(await first.standing(next.keyId)).toBe("enrolled");
  must(await first.door.signFile(DIGEST, BY));
  expect((await first.enrolments()).at(-1)).toMatchObject({ key_id: next.keyId, signed_by: next.keyId });
  first.close();

  const later = await open();
  expect(await later.standing(next.keyId)).toBe("unknown");
  lock.fault = { code: "vault_unavailable", retryable: true };
  expect(await later.door.vouch()).toEqual({ ok: false, error: lock.fault });
  expect((await later.door.report(BY)).offRecord).toEqual([next.keyId]);
  lock.fault = null;
  must(await later.door.vouch());
  expect([await later.standing(root?.keyId ?? ""), await later.standing(next.keyId)]).toEqual(["enrolled", "enrolled"]);
  const third = must(await later.door.enrol("Newer machine", BY));
  expect((await later.enrolments()).at(-1)).toMatchObject({ key_id: third.keyId, signed_by: next.keyId });
  expect((await later.door.report(BY)).offRecord).toEqual([]);
});

test("[KEY-05] a new key is not enrolled while the vault that would sign for it does not open", async () => {
  const { door, keys } = await open();
  const first = must(await door.prepare());
  lock.fault = { code: "vault_wrong_key", retryable: false };
  expect(await door.enrol("Another", BY)).toEqual({ ok: false, error: lock.fault });
  expect(must(await keys.list()).map(({ keyId }) => keyId)).toEqual([first?.keyId]);
});

test("[KEY-03] a row that was changed in any part is not the key that was enrolled, also while it is remembered", async () => {
  const { door, standing } = await open();
  const key = must(await door.prepare());
  const keyId = key?.keyId ?? "";
  expect(await standing(keyId)).toBe("enrolled");
  for (const [column, value, was] of [
    ["name", "Renamed", key?.name],
    ["enrolled_at", at(9), key?.enrolledAt],
  ] as const) {
    inFile(`UPDATE owner_keys SET ${column} = ?`, value);
    expect(await standing(keyId)).toBe("unknown");
    inFile(`UPDATE owner_keys SET ${column} = ?`, was ?? null);
    expect(await standing(keyId)).toBe("enrolled");
  }
});
