import {
  assert,
  canonicalJson,
  err,
  instantFromMs,
  LIMITS,
  msOfInstant,
  ok,
  parseStrictJson,
  type Result,
} from "#base";
import {
  approvalTokenSchema,
  type ApprovalToken,
  type AuditRow,
  type KeptApproval,
  type RequestRefusal,
  type StoreFault,
} from "#model";
import { renderReceipt } from "#policy";
import type { ReceiptRefusal } from "#ports";
import type { ApprovalsDeps } from "./propose.ts";
import { verifyWith } from "../keys/ed25519.ts";

type Refused = RequestRefusal | ReceiptRefusal | StoreFault;

/** The receipt of an approved request: the token, the plan, the key, its uses, and what the audit chain says of them. */
export async function receipt(deps: ApprovalsDeps, requestId: string): Promise<Result<string, Refused>> {
  const found = await deps.store.find(requestId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId });
  const { tokenId, projection } = found.value;
  if (tokenId === null) return err({ code: "not_approved", requestId });
  const kept = await deps.store.findApproval(tokenId);
  if (!kept.ok) return kept;
  assert(kept.value !== null, "an approved request has its approval");
  const token = parseToken(kept.value);
  const key = await deps.registry.find(token.keyId);
  if (!key.ok) return key;
  assert(key.value !== null, "the key of an approval stays in the registry");
  const audit = await auditLines(deps, kept.value);
  if (!audit.ok) return audit;
  const { lastUsedAt: _lastUsedAt, sessionId: _sessionId, ...receiptKey } = key.value;
  return ok(renderReceipt({ token, projection, key: receiptKey, uses: kept.value.uses, audit: audit.value }));
}

/** Ed25519 for whoever checks a receipt: the claim is all it needs. */
export const receiptTools = {
  verifySignature: ({ publicKey, bytes, signature }: SignatureClaim): boolean =>
    verifyWith(publicKey, { bytes: Buffer.from(bytes), signature: Buffer.from(signature).toString("hex") }).ok,
};
type SignatureClaim = { readonly publicKey: string; readonly bytes: string; readonly signature: Uint8Array };

function parseToken({ token }: KeptApproval): ApprovalToken {
  const json = parseStrictJson(token.text);
  const parsed = approvalTokenSchema.safeParse(json.ok ? json.value : null);
  assert(parsed.success, "APPR-02 a kept token is one");
  return parsed.data;
}

/** The lines of the chain that name this token. Each was recorded in the commit of its use, at the same moment. */
async function auditLines(
  { audit }: ApprovalsDeps,
  { token, uses }: KeptApproval,
): Promise<Result<readonly AuditRow[], StoreFault>> {
  const lines: AuditRow[] = [];
  for (const from of new Set(uses.map(({ at }) => at))) {
    const to = instantFromMs(msOfInstant(from) + 1);
    assert(to.ok, "a use is within the calendar");
    const entries = await audit.entries({ beforeSeq: null, from, to: to.value, limit: LIMITS.pageRows });
    if (!entries.ok) return entries;
    for (const { hash, ...entry } of entries.value) {
      if (entry.data["token_id"] !== token.tokenId) continue;
      const text = canonicalJson(entry);
      assert(text.ok, "an entry has canonical bytes");
      lines.push({ seq: entry.seq, text: text.value, hash });
    }
  }
  return ok(lines.toSorted((a, b) => a.seq - b.seq));
}
