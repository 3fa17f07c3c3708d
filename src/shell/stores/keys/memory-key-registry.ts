import { err, ok, type Instant } from "#base";
import type { AuditActor, KeyId, OwnerKey } from "#model";
import type { KeyRegistry } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { countersignedDraft, enrolledDraft, revokedDraft, usedDraft } from "./drafts.ts";

/** What the twin of the session store tells the twin of the registry; the real ones share a file instead. */
export type SessionKeys = {
  signedIn(sessionId: string): void;
  signedOut(sessionId: string, by: { readonly at: Instant; readonly actor: AuditActor }): void;
};

/** The in-memory twin of the key registry, without vouching: nobody writes into its memory behind its back. */
export function createMemoryKeyRegistry(recordAct: RecordAct): KeyRegistry & { readonly sessions: SessionKeys } {
  const keys = new Map<KeyId, OwnerKey>();
  const signedIn = new Set<string>();
  const revokeOf: SessionKeys["signedOut"] = (sessionId, { at, actor }) => {
    const key = [...keys.values()].find((one) => one.sessionId === sessionId && one.revokedAt === null);
    if (key === undefined) return;
    keys.set(key.keyId, { ...key, revokedAt: at });
    recordAct(revokedDraft(key, { at, actor }));
  };
  return {
    sessions: {
      signedIn: (sessionId) => void signedIn.add(sessionId),
      signedOut: (sessionId, by) => {
        signedIn.delete(sessionId);
        revokeOf(sessionId, by);
      },
    },
    add: async (key, by) => {
      const { actor } = by;
      const { sessionId, enrolledAt: at } = key;
      const isTaken = [...keys.values()].some(
        ({ keyId, publicKey }) => keyId === key.keyId || publicKey === key.publicKey,
      );
      if (sessionId !== null && !signedIn.has(sessionId)) return err({ code: "device_signed_out", sessionId });
      if (isTaken) return err({ code: "store_failed", retryable: false });
      if (sessionId !== null) revokeOf(sessionId, { at, actor });
      keys.set(key.keyId, key);
      recordAct(enrolledDraft(key, by));
      return ok();
    },
    ...vouching(keys, recordAct),
    find: async (keyId) => ok(keys.get(keyId) ?? null),
    onRecord: async ({ keyId }) => {
      const key = keys.get(keyId);
      return ok(key === undefined ? "unknown" : key.revokedAt === null ? "enrolled" : "revoked");
    },
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

/** The twin only keeps the record of it. */
const vouching = (
  keys: ReadonlyMap<KeyId, OwnerKey>,
  recordAct: RecordAct,
): Pick<KeyRegistry, "countersign" | "root" | "trustVaultKey"> => ({
  countersign: async (given, by) => {
    for (const { key, signed } of given) recordAct(countersignedDraft(key, { ...by, signed }));
    return ok();
  },
  root: async () => ok(keys.keys().next().value ?? null),
  trustVaultKey: () => {},
});
