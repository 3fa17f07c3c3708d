import { err, ok } from "#base";
import type { KeyId, OwnerKey } from "#model";
import type { KeyRegistry } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { enrolledDraft, revokedDraft, usedDraft } from "./key-registry.ts";

/** The in-memory twin of the key registry: the same behaviour in the plainest code. */
export function createMemoryKeyRegistry(recordAct: RecordAct): KeyRegistry {
  const keys = new Map<KeyId, OwnerKey>();
  return {
    add: async (key, actor) => {
      const isTaken = [...keys.values()].some(
        ({ keyId, publicKey }) => keyId === key.keyId || publicKey === key.publicKey,
      );
      if (isTaken) return err({ code: "store_failed", retryable: false });
      keys.set(key.keyId, key);
      recordAct(enrolledDraft(key, actor));
      return ok();
    },
    find: async (keyId) => ok(keys.get(keyId) ?? null),
    list: async () =>
      ok([...keys.values()].toSorted((a, b) => (a.enrolledAt + a.keyId < b.enrolledAt + b.keyId ? -1 : 1))),
    recordUse: async (keyId, use) => {
      const key = keys.get(keyId);
      if (key === undefined) return err({ code: "key_unknown", keyId });
      if (key.revokedAt !== null) return err({ code: "key_revoked", keyId });
      if (use.at > (key.lastUsedAt ?? "")) keys.set(keyId, { ...key, lastUsedAt: use.at });
      recordAct(usedDraft(keyId, use));
      return ok();
    },
    revoke: async (revocation) => {
      const { keyId, at, lastKey } = revocation;
      const key = keys.get(keyId);
      if (key === undefined) return err({ code: "key_unknown", keyId });
      if (key.revokedAt !== null) return ok(key);
      const hasOthers = [...keys.values()].some((other) => other.keyId !== keyId && other.revokedAt === null);
      if (lastKey === "refuse" && !hasOthers) return err({ code: "last_key", keyId });
      const revoked = { ...key, revokedAt: at };
      keys.set(keyId, revoked);
      recordAct(revokedDraft(key, revocation));
      return ok(revoked);
    },
  };
}
