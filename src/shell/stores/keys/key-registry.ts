import { err, ok, type Result } from "#base";
import { ownerKeyFromWire, ownerKeyToWire, type KeyError, type OwnerKey, type OwnerKeyBody } from "#model";
import type { KeyRegistry, KeyRevocation } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";

/** The owner's keys on a migrated `silas.db`. */
export function createKeyRegistry(db: Sqlite): KeyRegistry {
  return {
    add: async (key) =>
      guardedValue(() => {
        db.run(
          `INSERT INTO owner_keys (key_id, public_key, name, kind, enrolled_at, revoked_at, last_used_at)
           VALUES (:key_id, :public_key, :name, :kind, :enrolled_at, :revoked_at, :last_used_at)`,
          ownerKeyToWire(key),
        );
      }),
    find: async (keyId) => guardedValue(() => find(db, keyId)),
    list: async () =>
      guardedValue(() =>
        db.all<OwnerKeyBody>("SELECT * FROM owner_keys ORDER BY enrolled_at, key_id").map(ownerKeyFromWire),
      ),
    recordUse: async (keyId, { at }) =>
      guardedValue(() => {
        // A clock that jumped back never makes a key look used earlier than it was.
        db.run("UPDATE owner_keys SET last_used_at = max(coalesce(last_used_at, :at), :at) WHERE key_id = :keyId", {
          keyId,
          at,
        });
      }),
    revoke: async (revocation) => guarded(() => db.transaction(() => revoke(db, revocation))),
  };
}

function find(db: Sqlite, keyId: string): OwnerKey | null {
  const row = db.get<OwnerKeyBody>("SELECT * FROM owner_keys WHERE key_id = :keyId", { keyId });
  return row === null ? null : ownerKeyFromWire(row);
}

/** In one transaction with the count, so that two revocations at once cannot leave nobody. */
function revoke(db: Sqlite, { keyId, at, lastKey }: KeyRevocation): Result<OwnerKey, KeyError> {
  const key = find(db, keyId);
  if (key === null) return err({ code: "key_unknown", keyId });
  if (key.revokedAt !== null) return ok(key);
  const others = db.get<{ readonly count: number }>(
    "SELECT count(*) AS count FROM owner_keys WHERE revoked_at IS NULL AND key_id <> :keyId",
    { keyId },
  );
  if (lastKey === "refuse" && (others?.count ?? 0) === 0) return err({ code: "last_key", keyId });
  db.run("UPDATE owner_keys SET revoked_at = :at WHERE key_id = :keyId", { keyId, at });
  return ok({ ...key, revokedAt: at });
}
