import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import {
  enrolmentStatement,
  type EnrolledKey,
  type KeyId,
  type OwnerKey,
  type PublicKeyHex,
  type SignatureHex,
} from "#model";
import { isVouchedFor } from "./enrolment.ts";

/** In place of Ed25519: only `signBy` makes what `check` accepts for a public key. */
const signBy = (publicKey: string, text: string) => sha256Hex(`${publicKey}\n${text}`) as string as SignatureHex;
const check = ({ publicKey, text, signature }: { publicKey: string; text: string; signature: string }) =>
  signature === signBy(publicKey, text);

function keyOf(name: string): OwnerKey {
  const publicKey = sha256Hex(name) as string as PublicKeyHex;
  const keyId = sha256Hex(Buffer.from(publicKey, "hex")).slice(0, 32) as KeyId;
  const enrolledAt = "2026-11-15T08:00:00.000Z" as Instant;
  return { keyId, publicKey, name, kind: "vault", sessionId: null, enrolledAt, revokedAt: null, lastUsedAt: null };
}

/** Who signs for the next key, as a part of those in use, and who is revoked after it. */
type Act = { readonly signer: number; readonly revoked: number | null };
const acts = fc.array(fc.record({ signer: fc.nat(), revoked: fc.option(fc.nat()) }), { maxLength: 12 });

function signed(key: OwnerKey, { by, seq }: { readonly by: OwnerKey; readonly seq: number }): EnrolledKey {
  const signature = signBy(by.publicKey, enrolmentStatement(key));
  return { key, signed: { keyId: by.keyId, signature, seq }, revokedSeq: null };
}

const genesis = signed(keyOf("key 0"), { by: keyOf("key 0"), seq: 1 });

/** An honest chain: the first key signs for itself, every later one is signed by a key that is in use. */
function chainOf(history: readonly Act[]): EnrolledKey[] {
  const chain: EnrolledKey[] = [genesis];
  for (const [index, { signer, revoked }] of history.entries()) {
    const seq = 10 * (index + 1);
    const inUse = chain.filter(({ revokedSeq }) => revokedSeq === null);
    const by = inUse[signer % inUse.length];
    if (by === undefined) break;
    chain.push(signed(keyOf(`key ${index + 1}`), { by: by.key, seq }));
    const gone = revoked === null ? undefined : chain[revoked % chain.length];
    if (gone !== undefined) chain[chain.indexOf(gone)] = { ...gone, revokedSeq: gone.revokedSeq ?? seq + 5 };
  }
  return chain;
}

const factsOf = (chain: readonly EnrolledKey[], vaultKeyId: KeyId | null = null) => ({
  check,
  rootKeyId: genesis.key.keyId,
  vaultKeyId,
  find: (keyId: KeyId) => chain.find(({ key }) => key.keyId === keyId) ?? null,
});

test("[KEY-01] every key that a key in use signed for counts, however often the signers were replaced", () => {
  fc.assert(
    fc.property(acts, (history) => {
      const chain = chainOf(history);
      for (const enrolled of chain) expect(isVouchedFor(enrolled, factsOf(chain))).toBe(true);
    }),
  );
});

test("[KEY-03] no row and entry that somebody without a key in use writes makes a key count", () => {
  const stranger = keyOf("stranger");
  const last = 1_000;
  fc.assert(
    fc.property(acts, fc.nat(), (history, pick) => {
      const chain = chainOf(history);
      const owner = chain[pick % chain.length] ?? genesis;
      const forged: readonly EnrolledKey[] = [
        { key: stranger, signed: null, revokedSeq: null },
        signed(stranger, { by: stranger, seq: last }),
        // Named as signed by one of the owner's keys, with whatever the forger can make or copy.
        { key: stranger, signed: owner.signed, revokedSeq: null },
        {
          key: stranger,
          signed: { keyId: owner.key.keyId, signature: signBy(stranger.publicKey, "any"), seq: last },
          revokedSeq: null,
        },
        // The owner's id over another public key, and every field of the row that the signature covers.
        { ...owner, key: { ...owner.key, publicKey: stranger.publicKey } },
        { ...owner, key: { ...owner.key, name: "Another name" } },
        { ...owner, key: { ...owner.key, sessionId: "another session" } },
        { ...owner, key: { ...owner.key, kind: "browser" } },
        { ...owner, key: { ...owner.key, enrolledAt: "2026-11-16T08:00:00.000Z" as Instant } },
      ];
      for (const enrolled of forged) {
        const world = [...chain.filter(({ key }) => key.keyId !== enrolled.key.keyId), enrolled];
        expect(isVouchedFor(enrolled, factsOf(world))).toBe(false);
      }
    }),
  );
});

test("[KEY-03] a signer that is not enrolled, or whose public key was exchanged, signs for nobody", () => {
  const [stranger, phone] = [keyOf("stranger"), keyOf("phone")];
  const unknown = signed(phone, { by: stranger, seq: 10 });
  expect(isVouchedFor(unknown, factsOf([genesis, unknown]))).toBe(false);
  // The stranger's key under the id of the owner's: what it signs fits that row, and the row does not fit its id.
  const exchanged = { ...genesis, key: { ...genesis.key, publicKey: stranger.publicKey } };
  const signature = signBy(stranger.publicKey, enrolmentStatement(phone));
  const forged = { ...unknown, signed: { keyId: genesis.key.keyId, signature, seq: 10 } };
  expect(isVouchedFor(forged, factsOf([exchanged, forged]))).toBe(false);
});

test("[KEY-03] a key signs for others from its own enrolment until it is revoked, and neither before nor after", () => {
  const signer = { ...signed(keyOf("signer"), { by: genesis.key, seq: 10 }), revokedSeq: 20 };
  for (const [seq, counts] of [
    [9, false],
    [10, false],
    [11, true],
    [19, true],
    [20, false],
    [21, false],
  ] as const) {
    const enrolled = signed(keyOf("phone"), { by: signer.key, seq });
    expect([seq, isVouchedFor(enrolled, factsOf([genesis, signer, enrolled]))]).toEqual([seq, counts]);
  }
});

test("[KEY-01] the key that the vault holds counts without any other, and vouches for those it signed", () => {
  const vault = signed(keyOf("new machine"), { by: keyOf("new machine"), seq: 50 });
  const phone = signed(keyOf("phone"), { by: vault.key, seq: 60 });
  const chain = [...chainOf([]), vault, phone];
  for (const enrolled of [vault, phone]) {
    expect(isVouchedFor(enrolled, factsOf(chain))).toBe(false);
    expect(isVouchedFor(enrolled, factsOf(chain, vault.key.keyId))).toBe(true);
  }
  const exchanged = { ...vault, key: { ...vault.key, publicKey: phone.key.publicKey } };
  expect(isVouchedFor(exchanged, factsOf(chain, vault.key.keyId))).toBe(false);
});
