import { err, ok, parseStrictJson, sha256Hex, type Result } from "#base";
import {
  approvalTokenSchema,
  SCOPE_OF_KIND,
  signatureToHex,
  tokenSigningBytes,
  type KeptRequest,
  type StoreFault,
} from "#model";
import type { ApprovalStore, KeyRegistry } from "#ports";
import { verifySigned } from "./signer.ts";

export type SignedDeps = {
  readonly approvals: Pick<ApprovalStore, "find" | "findApproval">;
  readonly registry: KeyRegistry;
};
/** What the owner said besides yes, as it stands in the token; undefined for nothing. */
export async function signedAnswer(
  { approvals }: Pick<SignedDeps, "approvals">,
  tokenId: string,
): Promise<Result<unknown, StoreFault>> {
  const kept = await approvals.findApproval(tokenId);
  if (!kept.ok) return kept;
  return ok(readTokenText(kept.value?.token.text ?? "")?.conditions["answer"]);
}

function readTokenText(text: string) {
  const json = parseStrictJson(text);
  const token = approvalTokenSchema.safeParse(json.ok ? json.value : null);
  return token.success ? token.data : null;
}

type Signed = {
  readonly request: Pick<KeptRequest, "kind" | "state" | "projection" | "tokenId">;
  /** What the token must name as its item. */
  readonly subjectId: string;
};

/**
 * Whether a request was signed, by a key that counts, for exactly what it holds. Read from where it is kept and checked
 * anew: a row that says "approved" is no signature. [INV-06]
 */
export async function holdsApproval(
  { approvals, registry }: SignedDeps,
  { request, subjectId }: Signed,
): Promise<Result<boolean, StoreFault>> {
  if (request.state !== "approved" || request.tokenId === null) return ok(false);
  const kept = await approvals.findApproval(request.tokenId);
  if (!kept.ok) return kept;
  const token = readTokenText(kept.value?.token.text ?? "");
  if (token === null || (kept.value?.uses.length ?? 0) === 0) return ok(false);
  const { planHash, workItemId, scope, verdict } = token;
  const isAboutThis =
    planHash === sha256Hex(request.projection) &&
    workItemId === subjectId &&
    scope === SCOPE_OF_KIND[request.kind] &&
    verdict === "approved";
  if (!isAboutThis) return ok(false);
  const verified = await verifySigned(registry, {
    keyId: token.keyId,
    bytes: Buffer.from(tokenSigningBytes(token)),
    signature: signatureToHex(token.signature),
  });
  return verified.ok || !("retryable" in verified.error) ? ok(verified.ok) : err(verified.error);
}
