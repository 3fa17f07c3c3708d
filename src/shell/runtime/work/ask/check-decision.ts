import { canonicalJson, err, ok, sha256Hex, type Result } from "#base";
import {
  isPayloadKind,
  readPayload,
  replyOf,
  SCOPE_OF_KIND,
  type KeptRequest,
  type RunQuestion,
  type ShownPayload,
  type StepReply,
  type StoreFault,
} from "#model";
import { judgeCheck } from "#policy";
import { isAskingCall, toolOf, type ToolCall } from "#tools";
import { readToken, signatureFact } from "../../approvals/tokens.ts";
import type { EntryRefusal, GateDeps } from "../entry-gate.ts";

/** The token it holds by, and what the owner said if a step asked for more than yes. */
type Confirmed = { readonly tokenId: string; readonly reply?: StepReply };
type Deciding = { readonly question: RunQuestion; readonly call: ToolCall };

/**
 * Whether the owner approved exactly this call. Everything is read again: the request, the text that was signed, the
 * token, its one use and the key. It spends nothing: the use was spent by the commit that took the answer. [WORK-24]
 */
export async function checkDecision(
  deps: GateDeps,
  { question, call }: Deciding,
): Promise<Result<Confirmed, EntryRefusal | StoreFault>> {
  const { requestId, operationId, contentHash } = question;
  const found = await deps.approvals.find(requestId);
  if (!found.ok) return found;
  const request = found.value;
  if (request === null || request.state !== "approved" || request.tokenId === null)
    return err({ code: "approval_missing" });
  const payload = payloadAbout(request, { call, contentHash });
  if (payload === null) return err({ code: "approval_hash_differs" });
  const kept = await deps.approvals.findApproval(request.tokenId);
  if (!kept.ok) return kept;
  const token = kept.value === null ? null : readToken(kept.value.token);
  if (kept.value === null || token === null) return err({ code: "approval_unreadable" });
  const signature = await signatureFact(deps.registry, token);
  if (!signature.ok) return signature;
  const judged = judgeCheck({
    token,
    signature: signature.value,
    item: { workItemId: operationId, contentHash },
    scope: SCOPE_OF_KIND[request.kind],
    spawn: null,
    at: deps.clock.now(),
    uses: kept.value.uses,
    lineage: operationId,
    isVoid: kept.value.isVoid,
  });
  if (!judged.ok) return judged;
  const { tokenId } = token;
  if (!isAskingCall(call)) return ok({ tokenId });
  // The answer is nowhere but under the signature that has just been checked.
  const reply = replyOf({ payload, answer: token.conditions["answer"] });
  return reply === null ? err({ code: "answer_refused" }) : ok({ tokenId, reply });
}

type Signed = { readonly call: ToolCall; readonly contentHash: string };

type Asked = Pick<KeptRequest, "kind" | "projection">;

/** What was signed, if it is about this call to the last byte: the tool with its arguments, or what the plan asks. */
function payloadAbout({ kind, projection }: Asked, { call, contentHash }: Signed): ShownPayload | null {
  if (sha256Hex(projection) !== contentHash || !isPayloadKind(kind)) return null;
  const read = readPayload(kind, projection);
  if (!read.ok) return null;
  const { payload } = read.value;
  const { tool, args } = call;
  return isSame(signedOf(payload), toolOf(call).asks?.signed(args) ?? { tool, args }) ? payload : null;
}

function signedOf(payload: ShownPayload): object | null {
  switch (payload.kind) {
    case "step_approval":
    case "permission_escalation":
      return { tool: payload.tool, args: payload.args };
    case "decision": {
      const { question, options, allow_freetext, file } = payload;
      return { question, options: options.map(({ label, value }) => ({ label, value })), allow_freetext, file };
    }
    case "draft_review":
      return { context: payload.context, file: payload.file };
    default:
      return null;
  }
}

function isSame(signed: object | null, runs: object): boolean {
  const [one, other] = [canonicalJson(signed), canonicalJson(runs)];
  return signed !== null && one.ok && other.ok && one.value === other.value;
}
