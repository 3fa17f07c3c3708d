/**
 * runtime: does what core decided, in order, and reports facts back.
 *
 * Decides nothing itself. Holds the door to the journal (read, decide, commit, then tell others), the feed of committed
 * changes, and the machine's own clock, randomness and timers. May import the core rooms and `#ports`.
 * Invariants: nothing is published before its commit, and a refused or failed commit publishes nothing (TOKEN-09); one
 * batch per change unit, from the provenance of its own commit (BATCHID-05); batches of different changes are never
 * joined (BATCHID-10); an operation id is applied once, and its second coming is answered and not applied (JOURNAL-11);
 * an import is written whole or not at all; nothing is approved but what was shown, and an approval is signed by the
 * owner's key and verified before it is kept (FLOW-04, FLOW-05); what a gate cannot check or Silas cannot record about it
 * does not pass (GATE-24); a message is kept before its gates run and used only after them (MSG-04), and only a signed
 * decision raises its trust (TAINT-08).
 */
export { createApprovalsDoor } from "./approvals/door.ts";
export { receiptTools } from "./approvals/receipt.ts";
export { approvalSettings } from "./approvals/settings.ts";
export { createActivityDoor, readActivity } from "./audit-activity.ts";
export { createDeviceKeys } from "./devices/device-keys.ts";
export { createReviewFeed, withReviewFeed } from "./review-feed.ts";
export { createAuditLife, markHead, systemEd25519, systemSha256, type AuditLife } from "./audit-life.ts";
export { createTallies } from "./audit-tallies.ts";
export { withAuditedTransfers } from "./audit-transfers.ts";
export { createChangeFeed } from "./change-feed.ts";
export { checkPlan, readPlan } from "./gates/read-plan.ts";
export type { GateCallables } from "./gates/providers.ts";
export { SHIPPED_MEANS, systemGateProblems } from "./gates/registry.ts";
export { createSystemGates } from "./gates/system-gates.ts";
export { createJournalDoor } from "./journal-door.ts";
export { createKeysDoor, verifyFileWith } from "./keys/door.ts";
export { keyIdOf } from "./keys/ed25519.ts";
export { createSigner, verifySigned } from "./keys/signer.ts";
export { createPasskeysDoor } from "./passkeys/door.ts";
export { findSecrets } from "./secrets/find-secrets.ts";
export { withoutSecrets } from "./secrets/without-secrets.ts";
export { createMessages, nonceJob, type Messages } from "./messages/create.ts";
export { createSecretsDoor } from "./secrets/secrets-door.ts";
export { createMemory } from "./memory/create.ts";
export { createDecidedPlans } from "./approvals/project-plan.ts";
export { createConnections, type Connections } from "./connections/create.ts";
export { prepareKeys } from "./keys/prepare.ts";
export { createInstalledSkills, type InstalledSkills } from "./skills/installed.ts";
export { createSkills } from "./skills/create.ts";
export { systemClock, systemRandomness, systemTimers } from "./system.ts";
export { createHoldDoor } from "./hold/hold-door.ts";
export { withStop } from "./stop/stoppable.ts";
export { createPlanner } from "./work/consult/create.ts";
export { createWork, type OtherParts, type Work } from "./work/create.ts";
