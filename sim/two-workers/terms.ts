/** Both sides of the simulation agree on these. */
export const EFFECTS_TABLE =
  "CREATE TABLE sim_effects (position INTEGER PRIMARY KEY, message_id TEXT NOT NULL, holder TEXT NOT NULL) STRICT";
/** Nothing in the table keeps an effect from being there twice. */
export const EFFECT = "INSERT INTO sim_effects (message_id, holder) VALUES (:id, :holder)";
/** A lease expires within a second, so that a worker also takes over from one that has not started again yet. */
export const WORKER_BUS = { leaseSeconds: 1, heartbeatSeconds: 0.3, deliveriesMax: 100_000 } as const;
