import type { Randomness } from "#ports";
import type { KeyDerivation } from "./vault-document.ts";
import { deriveKey } from "./vault-seal.ts";

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
