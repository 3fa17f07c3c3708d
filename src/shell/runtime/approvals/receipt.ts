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
  readExecution,
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

/**
 * The receipt of an approved request: its tokens, the plan, the key, the uses, what was run on them, and what the audit
 * chain says of all of it.
 */
export const receipt = (deps: ApprovalsDeps, requestId: string): Promise<Result<string, Refused>> =>
  receiptOf(deps, { requestId, of: "request" });

type Wanted = { readonly requestId: string; readonly of: "request" | "step" };

async function receiptOf(deps: ApprovalsDeps, { requestId, of }: Wanted): Promise<Result<string, Refused>> {
  const found = await deps.store.find(requestId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId });
  const { tokenId, projection } = found.value;
  if (tokenId === null) return err({ code: "not_approved", requestId });
  const kept = await deps.store.approvalsOf(requestId);
  if (!kept.ok) return kept;
  const [own, ...also] = kept.value.map((approval) => ({ token: parseToken(approval), uses: approval.uses }));
  assert(own !== undefined, "an approved request has its approval");
  const key = await deps.registry.find(own.token.keyId);
  if (!key.ok) return key;
  assert(key.value !== null, "the key of an approval stays in the registry");
  const given = await auditLines(deps, kept.value);
  if (!given.ok) return given;
  const runs = await deps.runs.executions(requestId);
  if (!runs.ok) return runs;
  // A run that begins in the very moment of its approval is found both ways.
  const lines = new Map([...given.value, ...runs.value.flatMap((run) => run.audit)].map((line) => [line.seq, line]));
  const audit = [...lines.values()].toSorted((a, b) => a.seq - b.seq);
  const executions = runs.value.map(({ record, settlement }) => ({ record, settlement }));
  const decisions: string[] = [];
  for (const asked of executions.flatMap(({ record }) => askedIn(record))) {
    // Nothing is run on the approval of a step but that step: rows that say so are not Silas's doing, and may go in
    // circles. [T22]
    if (of === "step") return err({ code: "store_corrupt", retryable: false });
    const one = await receiptOf(deps, { requestId: asked, of: "step" });
    if (!one.ok) return one;
    decisions.push(one.value);
  }
  const { lastUsedAt: _lastUsedAt, sessionId: _sessionId, ...receiptKey } = key.value;
  return ok(renderReceipt({ ...own, projection, key: receiptKey, also, audit, executions, decisions }));
}

/** The requests of the steps of a run that the owner was asked about, in the order in which those steps began. */
const askedIn = (record: string): readonly string[] =>
  (readExecution(record)?.ledger ?? []).flatMap(({ decision }) => decision?.request_id ?? []);

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

/** The lines of the chain that name these tokens. Each was recorded in the commit of a use, at the same moment. */
async function auditLines(
  { audit }: ApprovalsDeps,
  approvals: readonly KeptApproval[],
): Promise<Result<readonly AuditRow[], StoreFault>> {
  const lines: AuditRow[] = [];
  const tokenIds = new Set<unknown>(approvals.map(({ token }) => token.tokenId));
  for (const from of new Set(approvals.flatMap(({ uses }) => uses.map(({ at }) => at)))) {
    const to = instantFromMs(msOfInstant(from) + 1);
    assert(to.ok, "a use is within the calendar");
    const entries = await audit.entries({ beforeSeq: null, from, to: to.value, limit: LIMITS.pageRows });
    if (!entries.ok) return entries;
    for (const { hash, ...entry } of entries.value) {
      if (!tokenIds.has(entry.data["token_id"])) continue;
      const text = canonicalJson(entry);
      assert(text.ok, "an entry has canonical bytes");
      lines.push({ seq: entry.seq, text: text.value, hash });
    }
  }
  return ok(lines);
}
