/**
 * sim: a seeded world in which Silas is cut at every place it could be cut.
 *
 * Decides nothing for the product; nothing in `src` imports it. Holds the seeded randomness and clock, the store whose
 * n-th call fails, the real disk whose every write boundary is kept, and the checks of what must hold afterwards.
 * May import every room.
 * Invariants: the same seed gives the same bytes; a failing run names its seed; JOURNAL-10, JOURNAL-11, JOURNAL-12,
 * AUD-01, APPR-17, APPR-19 and WSTORE-06 hold in every state a crash, a torn write or a failing disk can leave.
 */
export { answerTo, BY, NO_PASSKEYS, NO_SKILLS, NOTHING_FOLLOWS, openTrust, PLAN } from "./approval-world.ts";
export { inWorld } from "./disk-run.ts";
export { layMigrated, openMigratedRuntime } from "./laid/migrated.ts";
export { grantPlan, openWork, OUTSIDE, playSandboxes, type Working } from "./work-world.ts";
export { daySpent } from "./model/day-tokens.ts";
export { createSeeded, createVirtualClock, createVirtualTimers } from "./seeded.ts";
export {
  failEachStatement,
  failingStatements,
  loggedFaults,
  settled,
  type CallUnderFault,
  type DoorCall,
} from "./faults/every-statement.ts";
export { QUEUE_STATES } from "./two-workers/queue-states.ts";
export { openDatabase } from "./two-workers/database.ts";
