/**
 * sim: a seeded world in which Silas is cut at every place it could be cut.
 *
 * Decides nothing for the product; nothing in `src` imports it. Holds the seeded randomness and clock, the store whose
 * n-th call fails, the real disk whose every write boundary is kept, and the checks of what must hold afterwards.
 * May import every room.
 * Invariants: the same seed gives the same bytes; a failing run names its seed; JOURNAL-10, JOURNAL-11, JOURNAL-12,
 * AUD-01, APPR-17, APPR-19 and WSTORE-06 hold in every state a crash, a torn write or a failing disk can leave.
 */
export { NO_PASSKEYS, NO_SKILLS } from "./approval-world.ts";
export { withAnomaly, type Anomaly, type Observed } from "./anomaly.ts";
export { cutAuditedAct, failAuditedAct } from "./audit-run.ts";
export { cutApprovals, failApproval } from "./approval-cuts.ts";
export { cutBatches } from "./batch-cuts.ts";
export { cutDevices } from "./device-cuts.ts";
export { spendFromProcesses, type Spent } from "./approval-spend.ts";
export { cutJournalCommit, cutMigrations, failJournalCommit, type Cuts } from "./disk-run.ts";
export { checkState, loadState, type JournalState } from "./journal-checks.ts";
export { runEveryAnomaly, runJournal, type JournalRun, type JournalRunOptions } from "./journal-run.ts";
export { killWhileWriting, type Kills } from "./kill-run.ts";
export { fuzz, PARSER_NAMES, type Fuzzed, type FuzzOptions, type ParserName } from "./fuzz/fuzz.ts";
export { cutRuns } from "./work-cuts.ts";
export { grantPlan, openWork, OUTSIDE, playSandboxes, type Working } from "./work-world.ts";
export { killRuns, type RunKills } from "./work-kill.ts";
export {
  createSeeded,
  createVirtualClock,
  createVirtualTimers,
  type Seeded,
  type VirtualClock,
  type VirtualTimers,
} from "./seeded.ts";
export {
  failEachStatement,
  failingStatements,
  loggedFaults,
  settled,
  type CallUnderFault,
  type DoorCall,
} from "./faults/every-statement.ts";
