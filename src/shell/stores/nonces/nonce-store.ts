import { ok, type Instant } from "#base";
import { messageNonceKey, type NonceAnswer, type NonceSpending } from "#model";
import type { NonceStore } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { guarded } from "../store-fault.ts";

/** Nonces of messages on a migrated `silas.db`. */
export function createNonceStore(db: Sqlite): NonceStore {
  return {
    spend: async (spending) => guarded(() => db.transaction(() => ok(spendWithin(db, spending)))),
    prune: async (before) => guarded(() => db.transaction(() => ok(pruneWithin(db, before)))),
  };
}

/** Inside the transaction of what the nonce is spent for: neither is there without the other. */
export function spendWithin(db: Sqlite, { nonce, at, earliest }: NonceSpending): NonceAnswer {
  const forgotten = db.get<{ readonly floor: string }>(
    "SELECT forgotten_before AS floor FROM message_nonce_floor WHERE forgotten_before > :earliest",
    { earliest },
  );
  if (forgotten !== null) return "used";
  const added = db.run(
    "INSERT INTO message_nonces (nonce_key, recorded_at) VALUES (:key, :at) ON CONFLICT (nonce_key) DO NOTHING",
    { key: messageNonceKey(nonce), at },
  );
  return added === 1 ? "fresh" : "used";
}

/** The floor rises with what is removed, so that a clock set back later cannot make a forgotten nonce fresh again. */
function pruneWithin(db: Sqlite, before: Instant): number {
  const removed = db.run("DELETE FROM message_nonces WHERE recorded_at < :before", { before });
  if (removed > 0) {
    db.run(
      `INSERT INTO message_nonce_floor (only_row, forgotten_before) VALUES (1, :before)
       ON CONFLICT (only_row) DO UPDATE SET forgotten_before = max(forgotten_before, excluded.forgotten_before)`,
      { before },
    );
  }
  return removed;
}
