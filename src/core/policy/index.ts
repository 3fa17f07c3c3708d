/**
 * policy: the rules of trust. Today those of the audit chain.
 *
 * Decides what an audit entry may say, what its bytes are, how it is linked to the one before, and what is wrong with a
 * chain that was touched. May import `#model` and `#base` only; hashing with the machine's own speed arrives as a value.
 * Invariants: every field of an entry is covered by its hash, and every entry by the next (AUD-01, AUD-02); an event says
 * nothing its schema does not name (AUD-08); judging an entry needs nothing but the head before it (AUD-05).
 */
export { judgeAnswer, type Answer } from "./approval-pending.ts";
export { mintToken, tokenIdOf, tokenSigningBytes, type Mint } from "./approval-token.ts";
export { judgeCheck, judgeVerify, type Presented, type SignatureFact } from "./approval-verify.ts";
export { auditFileStart, endAuditFile, readAuditLine, type AuditFileState } from "./audit-file.ts";
export { frictionFor, judgeFriction, type StrongAuth } from "./friction.ts";
export { createAuditRules } from "./rules.ts";
export { AUDIT_GENESIS, judgeRow, sealEntry, type HashText } from "./chain.ts";
