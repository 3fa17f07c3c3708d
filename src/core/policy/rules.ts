import type { AuditDraft, AuditHead, AuditHeadKey, AuditRow, EnrolledKey, EnrolmentFacts, SignedHead } from "#model";
import {
  renderAuditHeader,
  renderAuditKey,
  renderAuditLine,
  renderAuditTrailer,
  renderSignedHead,
} from "./audit-file.ts";
import { judgeSignedHead, NO_SIGNATURE_HOLDS, type CheckSignature } from "./audit-head.ts";
import { AUDIT_GENESIS, createMomentCheck, judgeRow, parseRow, sealEntry, type HashText } from "./chain.ts";
import { isVouchedFor } from "./enrolment.ts";

/** The rules of the chain with one way of hashing and of checking signatures, as the store that keeps it needs them. */
export function createAuditRules(hash: HashText, check: CheckSignature = NO_SIGNATURE_HOLDS) {
  const isMoment = createMomentCheck();
  return {
    genesis: AUDIT_GENESIS,
    seal: (head: AuditHead, draft: AuditDraft) => sealEntry({ head, draft, hash, isMoment }),
    judge: (head: AuditHead, row: AuditRow) => judgeRow({ head, row, hash }),
    judgeHead: (head: SignedHead, keys: readonly AuditHeadKey[]) => judgeSignedHead(head, { keys, check }),
    isVouchedFor: (key: EnrolledKey, facts: EnrolmentFacts) => isVouchedFor(key, { ...facts, check }),
    parse: parseRow,
    renderHeader: renderAuditHeader,
    renderKey: renderAuditKey,
    renderLine: renderAuditLine,
    renderHead: renderSignedHead,
    renderTrailer: renderAuditTrailer,
  };
}
