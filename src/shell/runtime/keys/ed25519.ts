import type { KeyObject } from "node:crypto";
import { err, LIMITS, ok, type Result } from "#base";
import { publicKeySchema, type KeyError, type KeyId, type PublicKeyHex, type SignatureHex } from "#model";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createPrivateKey, createPublicKey, hash, sign, verify } = process.getBuiltinModule("node:crypto");

/** The bytes a private key is made of. */
export const SEED_BYTES = 32;
const SIGNATURE_CHARS = 128;

// Ed25519 keys in the two containers Node reads are these bytes followed by the 32 of the key (RFC 8410).
const PKCS8_LEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_LEAD = Buffer.from("302a300506032b6570032100", "hex");

export const keyIdOf = (publicKey: PublicKeyHex): KeyId =>
  hash("sha256", Buffer.from(publicKey, "hex")).slice(0, 32) as KeyId;

export function publicKeyOf(seed: Uint8Array): PublicKeyHex {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" });
  return spki.subarray(SPKI_LEAD.length).toString("hex") as PublicKeyHex;
}

export const signWith = (seed: Uint8Array, bytes: Uint8Array): SignatureHex =>
  sign(null, bytes, privateKeyOf(seed)).toString("hex") as SignatureHex;

/** Never throws: whatever is given instead of a signature or a key is an answer. [KEY-03] */
export function verifyWith(
  publicKey: string,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: string },
): Result<void, KeyError> {
  if (!isPublicKey(publicKey)) return err({ code: "public_key_invalid" });
  if (signature === "") return invalid("empty");
  if (signature.length !== SIGNATURE_CHARS) return invalid("wrong_length");
  if (!/^[0-9a-f]+$/.test(signature)) return invalid("not_hex");
  return holds(publicKey, { bytes, signature }) ? ok() : invalid("does_not_match");
}

/** One that was imported was found to be one. */
const isPublicKey = (text: string): text is PublicKeyHex =>
  imported.has(text as PublicKeyHex) || publicKeySchema.safeParse(text).success;

const invalid = (reason: Extract<KeyError, { code: "signature_invalid" }>["reason"]) =>
  err({ code: "signature_invalid", reason } as const);

function holds(
  publicKey: PublicKeyHex,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: string },
): boolean {
  try {
    return verify(null, bytes, importedKey(publicKey), Buffer.from(signature, "hex"));
  } catch {
    // 32 bytes that are no point of the curve: no signature fits such a key.
    return false;
  }
}

// A public key is imported once and not for each verification; the owner has few. An entry is found by the whole key, so
// that no other key can be taken for it.
const imported = new Map<PublicKeyHex, KeyObject>();

function importedKey(publicKey: PublicKeyHex): KeyObject {
  const known = imported.get(publicKey);
  if (known !== undefined) return known;
  const spki = Buffer.concat([SPKI_LEAD, Buffer.from(publicKey, "hex")]);
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  if (imported.size >= LIMITS.importedKeys) imported.clear();
  imported.set(publicKey, key);
  return key;
}

function privateKeyOf(seed: Uint8Array) {
  const pkcs8 = Buffer.concat([PKCS8_LEAD, seed]);
  try {
    return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  } finally {
    pkcs8.fill(0);
  }
}
