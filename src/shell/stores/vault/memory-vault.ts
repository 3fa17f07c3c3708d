import { err, LIMITS, ok } from "#base";
import type { SecretRef, VaultFault } from "#model";
import type { Vault } from "#ports";

/** The in-memory twin of the vault: the same behaviour in the plainest code. */
export function createMemoryVault(lock: { fault: VaultFault | null } = { fault: null }): Vault {
  const secrets = new Map<SecretRef, Uint8Array>();
  return {
    status: async () => ({
      backend: "encrypted_file",
      opensWith: "key_file",
      state: lock.fault?.code ?? (secrets.size === 0 ? "empty" : "unlocked"),
    }),
    put: async (ref, secret) => {
      if (lock.fault !== null) return err(lock.fault);
      const isFull = secret.length > LIMITS.secretBytes || (!secrets.has(ref) && secrets.size >= LIMITS.vaultSecrets);
      if (isFull) return err({ code: "vault_full", retryable: false });
      secrets.set(ref, Uint8Array.from(secret));
      return ok();
    },
    get: async (ref) => {
      const secret = secrets.get(ref);
      if (secret === undefined) return err({ code: "secret_missing", ref });
      return lock.fault === null ? ok(Uint8Array.from(secret)) : err(lock.fault);
    },
    remove: async (ref) => {
      if (lock.fault !== null && secrets.has(ref)) return err(lock.fault);
      secrets.delete(ref);
      return ok();
    },
    list: async () => ok([...secrets.keys()].toSorted()),
  };
}
