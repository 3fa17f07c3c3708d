import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import type { KeyId, OwnerKey, SecretRef, VaultFault } from "#model";
import { createAuditRules } from "#policy";
import type { KeyRegistry, Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { systemEd25519 } from "../audit-life.ts";
import { createKeysDoor, fileStatement, verifyFileWith } from "./door.ts";
import { keyIdOf, publicKeyOf, signWith, verifyWith } from "./ed25519.ts";
import { createSigner, verifySigned } from "./signer.ts";
import { systemRandomness } from "../system.ts";
import { must, mustFail } from "../must.fixture.ts";

const AT = "2026-11-15T08:00:00.000Z" as Instant;
const BY = { kind: "terminal" } as const;
const DIGEST = sha256Hex("a file");
const REF = "owner-signing-key" as SecretRef;

function open() {
  const lock: { fault: VaultFault | null } = { fault: null };
  const vault: Vault = createMemoryVault(lock);
  const { audit, keys: registry } = openInMemory(createAuditRules(sha256Hex, systemEd25519));
  const clock = { now: () => AT };
  const signer = createSigner({ vault, registry, clock });
  const door = createKeysDoor({ vault, registry, clock, signer, randomness: systemRandomness, audit });
  const events = async () =>
    must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 })).map(({ event }) => event);
  return { vault, registry, signer, door, lock, events, audit };
}

async function prepared() {
  const opened = open();
  const key = must(await opened.door.prepare());
  if (key === null) throw new Error("expected a first key");
  return { ...opened, key };
}

describe("the first key", () => {
  test("[KEY-01] is an Ed25519 pair: the private half goes to the vault, only the public half comes back", async () => {
    const { vault, key, door } = await prepared();
    const seed = must(await vault.get(REF));
    expect(seed.length).toBe(32);
    expect(key.publicKey).toBe(publicKeyOf(seed));
    expect(key.keyId).toBe(sha256Hex(Buffer.from(key.publicKey, "hex")).slice(0, 32));
    expect(JSON.stringify(key)).not.toContain(Buffer.from(seed).toString("hex"));
    expect(must(await door.list())).toEqual([key]);
  });

  test("is made once, and never again when the vault has lost it", async () => {
    const { vault, door, key } = await prepared();
    expect(must(await door.prepare())).toBeNull();
    must(await vault.remove(REF));
    expect(must(await door.prepare())).toBeNull();
    expect(must(await door.list())).toEqual([key]);
    expect(mustFail(await door.signFile(DIGEST, BY)).code).toBe("secret_missing");
  });

  test("of a start that was cut off is enrolled, not replaced", async () => {
    const { vault, door } = open();
    const seed = systemRandomness.bytes(32);
    must(await vault.put(REF, seed));
    expect(must(await door.prepare())?.publicKey).toBe(publicKeyOf(seed));
    expect(must(await vault.get(REF))).toEqual(Uint8Array.from(seed));
  });

  test("is not made while the vault is locked", async () => {
    const { door, lock } = open();
    lock.fault = { code: "vault_unavailable", retryable: true };
    expect(mustFail(await door.prepare()).code).toBe("vault_unavailable");
    expect(must(await door.list())).toEqual([]);
  });
});

describe("signing", () => {
  test("[KEY-02] loads the key from the vault and gives the 64 bytes of a signature over exactly these bytes", async () => {
    const { signer, key, registry } = await prepared();
    const bytes = Buffer.from("silas-test-v1\nexactly this");
    const { keyId, signature } = must(await signer.sign(bytes, { purpose: "file", actor: BY }));
    expect({ keyId, bytes: Buffer.from(signature, "hex").length }).toEqual({ keyId: key.keyId, bytes: 64 });
    expect(verifyWith(key.publicKey, { bytes, signature }).ok).toBe(true);
    expect(verifyWith(key.publicKey, { bytes: Buffer.from("exactly this"), signature }).ok).toBe(false);
    expect(must(await verifySigned(registry, { keyId, bytes, signature })).name).toBe(key.name);
  });

  test("agrees with the vectors of RFC 8032", () => {
    const seed = Buffer.from("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "hex");
    const publicKey = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025";
    expect(publicKeyOf(seed)).toBe(publicKey);
    expect(signWith(seed, Buffer.from("af82", "hex"))).toBe(
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    );
  });

  test("[KEY-05] fails with the vault's reason when it is locked, wrong, damaged or gone, and nothing is signed", async () => {
    const { door, lock, events, vault } = await prepared();
    const faults: readonly VaultFault[] = [
      { code: "vault_locked", retryable: false, missing: "passphrase" },
      { code: "vault_wrong_key", retryable: false },
      { code: "vault_damaged", retryable: false, reason: "digest_differs" },
      { code: "vault_unavailable", retryable: true },
      { code: "disk_full", retryable: true },
    ];
    for (const fault of faults) {
      lock.fault = fault;
      expect(mustFail(await door.signFile(DIGEST, BY))).toEqual(fault);
      expect((await door.report(BY)).signing).toEqual({ state: "refused", code: fault.code });
    }
    lock.fault = null;
    must(await vault.put(REF, new Uint8Array(31)));
    expect(mustFail(await door.signFile(DIGEST, BY)).code).toBe("vault_damaged");
    must(await vault.remove(REF));
    expect(mustFail(await door.signFile(DIGEST, BY)).code).toBe("secret_missing");
    expect(await events()).toEqual(["key_enrolled"]);
  });

  test("a key in the vault that is not enrolled, or is revoked, signs nothing", async () => {
    const { door, vault, key, events } = await prepared();
    must(await door.revoke({ keyId: key.keyId, lastKey: "revoke", actor: BY }));
    expect(mustFail(await door.signFile(DIGEST, BY)).code).toBe("key_revoked");
    must(await vault.put(REF, systemRandomness.bytes(32)));
    expect(mustFail(await door.signFile(DIGEST, BY)).code).toBe("signer_not_enrolled");
    expect(await events()).toEqual(["key_revoked", "key_enrolled"]);
  });

  test("a use that cannot be recorded does not happen", async () => {
    const { vault, registry, key } = await prepared();
    const mute: KeyRegistry = {
      ...registry,
      recordUse: async () => ({ ok: false, error: { code: "disk_full", retryable: true } }),
    };
    const signer = createSigner({ vault, registry: mute, clock: { now: () => AT } });
    expect(mustFail(await signer.sign(Buffer.from("x"), { purpose: "file", actor: BY })).code).toBe("disk_full");
    expect(must(await registry.find(key.keyId))?.lastUsedAt).toBeNull();
  });

  test("every use is recorded: a file, and the test of the key", async () => {
    const { door, key, events } = await prepared();
    must(await door.signFile(DIGEST, BY));
    expect((await door.report(BY)).signing).toEqual({ state: "ready", keyId: key.keyId });
    expect(await events()).toEqual(["key_used", "key_used", "key_enrolled"]);
    expect(must(await door.list())[0]?.lastUsedAt).toBe(AT);
  });
});

describe("a new key", () => {
  test("signs from then on, and the one before is good for checking until it is revoked", async () => {
    const { door, key: first } = await prepared();
    const old = must(await door.signFile(DIGEST, BY));
    const second = must(await door.enrol("laptop", BY));
    expect(must(await door.signFile(DIGEST, BY)).keyId).toBe(second.keyId);
    expect(must(await door.verifyFile({ sha256: DIGEST, ...old }))).toEqual({ keyId: first.keyId, name: first.name });
    must(await door.revoke({ keyId: first.keyId, lastKey: "refuse", actor: BY }));
    expect(mustFail(await door.verifyFile({ sha256: DIGEST, ...old })).code).toBe("key_revoked");
    expect(mustFail(await door.revoke({ keyId: second.keyId, lastKey: "refuse", actor: BY })).code).toBe("last_key");
  });

  test("that could not be stored is out of use, and the old one still signs", async () => {
    const { vault, registry, key, lock, audit } = await prepared();
    const clock = { now: () => AT };
    const full: Vault = { ...vault, put: async () => ({ ok: false, error: { code: "disk_full", retryable: true } }) };
    const signer = createSigner({ vault, registry, clock });
    const door = createKeysDoor({ vault: full, registry, clock, signer, randomness: systemRandomness, audit });
    expect(mustFail(await door.enrol("laptop", BY)).code).toBe("disk_full");
    expect(must(await door.list()).filter(({ revokedAt }) => revokedAt === null)).toMatchObject([{ keyId: key.keyId }]);
    expect(must(await door.signFile(DIGEST, BY)).keyId).toBe(key.keyId);
    expect(lock.fault).toBeNull();
  });
});

describe("checking", () => {
  test("[KEY-03] any other bytes, signature or key give a reason and never an exception", async () => {
    const { registry, signer, key } = await prepared();
    const bytes = Buffer.from("silas-test-v1\nsigned");
    const { keyId, signature } = must(await signer.sign(bytes, { purpose: "file", actor: BY }));
    const wrong = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.uint8Array({ minLength: 64, maxLength: 64 }).map((value) => Buffer.from(value).toString("hex")),
      fc.nat(511).map((bit) => flipBit(signature, bit)),
      fc.nat(127).map((length) => signature.slice(0, length)),
      fc.constant(signature.toUpperCase()),
      fc.constant(`${signature}00`),
    );
    await fc.assert(
      fc.asyncProperty(wrong, async (candidate) => {
        fc.pre(candidate !== signature);
        const error = mustFail(await verifySigned(registry, { keyId, bytes, signature: candidate }));
        expect(error.code).toBe("signature_invalid");
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (other) => {
        fc.pre(!bytes.equals(other));
        expect((await verifySigned(registry, { keyId, bytes: other, signature })).ok).toBe(false);
      }),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array({ minLength: 32, maxLength: 32 })), (candidate) => {
        const publicKey = typeof candidate === "string" ? candidate : Buffer.from(candidate).toString("hex");
        fc.pre(publicKey !== key.publicKey);
        expect(verifyWith(publicKey, { bytes, signature }).ok).toBe(false);
      }),
    );
  });

  test("[KEY-03] only an enrolled key that is not revoked counts, and each wrong signature says what is wrong", async () => {
    const { registry, signer, door, key } = await prepared();
    const bytes = Buffer.from("silas-test-v1\nsigned");
    const { keyId, signature } = must(await signer.sign(bytes, { purpose: "file", actor: BY }));
    const reason = async (given: string) => mustFail(await verifySigned(registry, { keyId, bytes, signature: given }));
    expect(await reason("")).toEqual({ code: "signature_invalid", reason: "empty" });
    expect(await reason(signature.slice(2))).toEqual({ code: "signature_invalid", reason: "wrong_length" });
    expect(await reason(`zz${signature.slice(2)}`)).toEqual({ code: "signature_invalid", reason: "not_hex" });
    expect(await reason(flipBit(signature, 9))).toEqual({ code: "signature_invalid", reason: "does_not_match" });
    const stranger = { keyId: "0".repeat(32) as KeyId, bytes, signature };
    expect(mustFail(await verifySigned(registry, stranger)).code).toBe("key_unknown");
    must(await door.enrol("next", BY));
    must(await door.revoke({ keyId: key.keyId, lastKey: "refuse", actor: BY }));
    expect(mustFail(await verifySigned(registry, { keyId, bytes, signature })).code).toBe("key_revoked");
  });

  test("a row whose key was exchanged behind our back is nobody's key", async () => {
    const { registry, key } = await prepared();
    const seed = systemRandomness.bytes(32);
    const forged: OwnerKey = { ...key, publicKey: publicKeyOf(seed) };
    const edited: KeyRegistry = { ...registry, find: async () => ({ ok: true, value: forged }) };
    const bytes = Buffer.from("approve everything");
    const claim = { keyId: key.keyId, bytes, signature: signWith(seed, bytes) };
    expect(mustFail(await verifySigned(edited, claim)).code).toBe("key_unknown");
    expect(keyIdOf(forged.publicKey)).not.toBe(key.keyId);
  });

  test("a signature over a file is none over its digest, its bytes or any other kind of statement", async () => {
    const { door, key } = await prepared();
    const { signature } = must(await door.signFile(DIGEST, BY));
    expect(verifyFileWith(key.publicKey, { sha256: DIGEST, signature }).ok).toBe(true);
    expect(Buffer.from(fileStatement(DIGEST)).toString()).toBe(`silas-file-v1\n${DIGEST}\n`);
    for (const text of [DIGEST, "a file", `silas-approval-v1\n${DIGEST}\n`, `silas-selftest-v1\n${DIGEST}\n`]) {
      expect(verifyWith(key.publicKey, { bytes: Buffer.from(text), signature }).ok).toBe(false);
    }
  });
});

function flipBit(hex: string, bit: number): string {
  const bytes = Buffer.from(hex, "hex");
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString("hex");
}
