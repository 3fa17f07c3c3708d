import type { Instant, Result } from "#base";
import type { AuditBreak, AuditDraft, AuditEntry, AuditHead, AuditRow } from "../audit.ts";
import type { InvalidInput } from "../journal-errors.ts";
import type { EnrolledKey, EnrolmentFacts } from "./enrolment.ts";
import type { AuditHeadKey, HeadKey, SignedHead } from "./heads.ts";

/** How the chain is built and judged: `#policy` decides it, `compose` hands it to the store. */
export type AuditRules = {
  readonly genesis: AuditHead;
  seal(head: AuditHead, draft: AuditDraft): Result<AuditRow, InvalidInput>;
  judge(head: AuditHead, row: AuditRow): Result<AuditHead, AuditBreak>;
  /** What is wrong with a signed head; null when one of these keys signed it. */
  judgeHead(head: SignedHead, keys: readonly AuditHeadKey[]): AuditBreak | null;
  /** Whether the owner's keys, or the vault, vouch for a key. */
  isVouchedFor(key: EnrolledKey, facts: EnrolmentFacts): boolean;
  parse(row: AuditRow): Result<AuditEntry, { readonly code: "not_an_entry" }>;
  renderHeader(): string;
  renderKey(key: AuditHeadKey): string;
  renderLine(row: AuditRow): string;
  renderHead(head: SignedHead): string;
  renderTrailer(head: AuditHead): string;
};

/** What a checkpoint is made with. */
export type AuditMark = { readonly checkpointId: string; readonly at: Instant; readonly key: HeadKey | null };

/** A broken chain gets no further checkpoint. */
export type ChainBroken = { readonly code: "chain_broken"; readonly broken: AuditBreak };
/** A key is enrolled and signed no head yet: until it did, a head without a signature would prove less than it seems. */
export type HeadKeyNeeded = { readonly code: "head_key_needed" };
/** A verification of the whole chain ended without a verdict: the thread it ran in was ended, or ended by itself. */
export type ChainCheckEnded = {
  readonly code: "chain_check_ended";
  readonly retryable: true;
  readonly cause?: unknown;
};
