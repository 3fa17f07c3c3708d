import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SecretText, VaultFault } from "#model";
import type { Randomness } from "#ports";
import { err, ok, type Result } from "#base";
import { faultOf } from "#engine";
import { type FileDocument, type KeyDerivation, type Sealed, damaged } from "./vault-document.ts";
import { ensurePrivateDir, writePrivateFile } from "../private-files.ts";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createCipheriv, createDecipheriv, scrypt } = process.getBuiltinModule("node:crypto");

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed value is and where it belongs; it opens under no other name and in no other vault. */
type SealedPlace = { readonly vaultId: string; readonly slot: "check" | `entry:${string}` };

/** References hold no line break, so no two places give the same bytes. */
const associatedData = ({ vaultId, slot }: SealedPlace): Buffer => Buffer.from(`silas-vault-v1\n${vaultId}\n${slot}`);

type Sealing = { readonly key: Uint8Array; readonly place: SealedPlace; readonly random: Randomness };

export function seal(secret: Uint8Array, { key, place, random }: Sealing): Sealed {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associatedData(place));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return { nonce: Buffer.from(nonce).toString("hex"), sealed: sealed.toString("hex") };
}

/** Null when the key, the place or a single bit is another than when it was sealed. */
export function openSealed(
  sealed: Sealed,
  { key, place }: { readonly key: Uint8Array; readonly place: SealedPlace },
): Uint8Array | null {
  const bytes = Buffer.from(sealed.sealed, "hex");
  const tag = bytes.subarray(bytes.length - TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.nonce, "hex"), { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(place)).setAuthTag(tag);
  const plain = decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    // The one thing `final` throws for: the tag does not fit. What was deciphered so far is not a secret but is not kept.
    plain.fill(0);
    return null;
  }
}

/** The strength against guessing; OWASP's first choice for scrypt. */
const PASSPHRASE_COST = { n: 131_072, r: 8, p: 1 } as const;
/** 256 random bits cannot be guessed, so stretching them would only cost time. */
const KEY_FILE_COST = { n: 1024, r: 8, p: 1 } as const;

export function createDerivation(opensWith: FileDocument["opens_with"], random: Randomness): KeyDerivation {
  const cost = opensWith === "passphrase" ? PASSPHRASE_COST : KEY_FILE_COST;
  return { name: "scrypt", ...cost, salt: Buffer.from(random.bytes(16)).toString("hex") };
}

/** The secret that opens a vault, as bytes; a passphrase typed on another keyboard has the same. */
export const bytesOfPassphrase = (passphrase: SecretText): Uint8Array =>
  Buffer.from(passphrase.reveal().normalize("NFC"), "utf8");

const MEMORY_SPARE_BYTES = 1024 * 1024;

/** Uses up `opener`: its bytes are overwritten. */
export async function deriveKey(opener: Uint8Array, { n, r, p, salt }: KeyDerivation): Promise<Uint8Array> {
  const options = { N: n, r, p, maxmem: 128 * r * (n + p + 2) + MEMORY_SPARE_BYTES };
  try {
    return await new Promise<Uint8Array>((resolve, reject) =>
      scrypt(opener, Buffer.from(salt, "hex"), KEY_BYTES, options, (error, key) =>
        error === null ? resolve(key) : reject(error),
      ),
    );
  } finally {
    opener.fill(0);
  }
}

const { createHmac } = process.getBuiltinModule("node:crypto");

export type KeyKeeper = {
  /** The key that this opener gives; derived once and given again for the same one. Uses up `opener`. */
  keyFor(opener: Uint8Array, kdf: KeyDerivation): Promise<Uint8Array>;
  /** Overwrites the key: what opened the vault is gone, or was the wrong one. */
  forget(): void;
};

export type Derive = (opener: Uint8Array, kdf: KeyDerivation) => Promise<Uint8Array>;

/**
 * Keeps the key of the last derivation, for as long as the same passphrase or key file is given. A passphrase costs a third
 * of a second to stretch, and every signature asks for it. The opener itself is not kept: it is told again by a keyed
 * digest that is worth nothing outside of this process.
 */
export function createKeyKeeper(random: Randomness, derive: Derive = deriveKey): KeyKeeper {
  let secret: Uint8Array | null = null;
  let kept: { readonly name: string; readonly key: Uint8Array } | null = null;
  const forget = () => {
    kept?.key.fill(0);
    kept = null;
  };
  return {
    async keyFor(opener, kdf) {
      const { n, r, p, salt } = kdf;
      secret ??= random.bytes(32);
      const name = createHmac("sha256", secret).update(`${n} ${r} ${p} ${salt} `).update(opener).digest("hex");
      if (kept?.name === name) {
        opener.fill(0);
        return kept.key;
      }
      forget();
      const key = await derive(opener, kdf);
      kept = { name, key };
      return key;
    },
    forget,
  };
}

/** The random bytes that open a vault without a passphrase; null when the file is not there. */
export function loadKeyFile(path: string): Result<Uint8Array | null, VaultFault> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    return isAbsent ? ok(null) : err(faultOf(cause));
  }
  return /^[0-9a-f]{64}\n?$/.test(text) ? ok(Buffer.from(text.trim(), "hex")) : damaged("key_file_unreadable");
}

/** On the disk before anything is sealed with it; one left by a start that was cut off is used again. */
export function ensureKeyFile(path: string, random: Randomness): Result<Uint8Array, VaultFault> {
  const found = loadKeyFile(path);
  if (!found.ok) return found;
  if (found.value !== null) return ok(found.value);
  const bytes = random.bytes(KEY_BYTES);
  try {
    ensurePrivateDir(dirname(path));
    writePrivateFile(path, `${Buffer.from(bytes).toString("hex")}\n`);
    return ok(bytes);
  } catch (cause) {
    return err(faultOf(cause));
  }
}
