import type { AuditDraft, AuditHead, AuditRow } from "#model";
import { renderAuditHeader, renderAuditLine, renderAuditTrailer } from "./audit-file.ts";
import { AUDIT_GENESIS, judgeRow, parseRow, sealEntry, type HashText } from "./chain.ts";

/** The rules of the chain with one way of hashing, as the store that keeps it needs them. */
export function createAuditRules(hash: HashText) {
  return {
    genesis: AUDIT_GENESIS,
    seal: (head: AuditHead, draft: AuditDraft) => sealEntry({ head, draft, hash }),
    judge: (head: AuditHead, row: AuditRow) => judgeRow({ head, row, hash }),
    parse: parseRow,
    renderHeader: renderAuditHeader,
    renderLine: renderAuditLine,
    renderTrailer: renderAuditTrailer,
  };
}
