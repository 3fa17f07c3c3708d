import { err, LIMITS, ok, parseStrictJson, type Instant, type Result } from "#base";
import type {
  ApprovalUse,
  AuditDraft,
  KeptApproval,
  KeptRequest,
  RequestRefusal,
  SpendRefusal,
  StoredToken,
} from "#model";
import type { AlsoGranted, ApprovalStore, KeyRegistry, MadeDecision, Proposed, Spending } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { outcomeDrafts, undoKeptDraft } from "../batches/drafts.ts";
import { declinedDraft, expiredDraft, requestedDraft, spentDraft, standingDraft } from "./drafts.ts";
import { stillOpen } from "./judge-decision.ts";
import { digestOf } from "./memory-digest.ts";
import { sameToken } from "./rows.ts";

type Kept = {
  readonly requests: Map<string, KeptRequest>;
  readonly tokens: StoredToken[];
  readonly uses: ApprovalUse[];
  readonly tokensByRequest: Map<string, readonly string[]>;
  readonly recordAct: RecordAct;
};

/** The in-memory twin of the approval store: the same behaviour in the plainest code. */
export function createMemoryApprovalStore(recordAct: RecordAct, keys: Pick<KeyRegistry, "find">): ApprovalStore {
  const kept: Kept = { requests: new Map(), tokens: [], uses: [], tokensByRequest: new Map(), recordAct };
  const { requests } = kept;
  return {
    propose: async (request) => propose(kept, request),
    find: async (requestId) => ok(requests.get(requestId) ?? null),
    heading: async (requestId) => {
      const found = requests.get(requestId);
      if (found === undefined) return ok(null);
      const { kind, planHash, card, projection } = found;
      const parsed = parseStrictJson(projection);
      const isProject = parsed.ok && (parsed.value as { readonly type?: unknown } | null)?.type === "project";
      return ok({ kind, planHash, intent: card.intent, projection: isProject ? projection : null });
    },
    list: async (states) => {
      const listed = inOrder(kept).filter(({ state }) => states.includes(state));
      return ok(listed.slice(-LIMITS.pageRows));
    },
    activate: async (requestId, { at, expiresAt }) => {
      const found = requests.get(requestId);
      if (found?.state !== "pending" || found.activeSince !== null) return ok(false);
      requests.set(requestId, { ...found, activeSince: at, expiresAt });
      return ok(true);
    },
    digest: async (limits) => ok(digestOf(inOrder(kept), limits)),
    countPending: async () => ok(waiting(kept).length),
    expire: async (at) => ok(expire(kept, at)),
    decline: async (made) => decline(kept, made),
    replace: async (made, request) => {
      const ended = decline(kept, { ...made, outcome: "edited" });
      return ended.ok ? propose(kept, request) : ended;
    },
    spend: async (spending) => {
      const { keyId } = spending.token;
      const key = await keys.find(keyId);
      if (!key.ok) return key;
      if (key.value === null) return err({ code: "key_unknown", keyId });
      return key.value.revokedAt === null ? spend(kept, spending) : err({ code: "key_revoked", keyId });
    },
    findApproval: async (tokenId) => ok(approvalOf(kept, tokenId)),
    approvalsOf: async (requestId) =>
      ok((kept.tokensByRequest.get(requestId) ?? []).flatMap((tokenId) => approvalOf(kept, tokenId) ?? [])),
    titlesOf: async (ids) => ok(new Map(ids.flatMap((id) => titleOf(kept, id)))),
  };
}

/** None when it was used under several. */
function titleOf({ requests }: Kept, id: string): readonly (readonly [string, string])[] {
  const of = [...requests.values()].filter(({ workItemId }) => workItemId === id);
  const titles = new Set(of.map(({ projection, card }) => signedTitle(projection) ?? card.intent));
  const [title] = titles;
  return title === undefined || titles.size > 1 ? [] : [[id, title]];
}

function signedTitle(projection: string): string | null {
  const { title } = JSON.parse(projection) as { readonly title?: unknown };
  return typeof title === "string" ? title : null;
}

function approvalOf({ tokens, uses }: Kept, tokenId: string): KeptApproval | null {
  const token = tokens.find((one) => one.tokenId === tokenId);
  return token === undefined ? null : { token, uses: uses.filter(({ nonce }) => nonce === token.nonce) };
}

const inOrder = ({ requests }: Kept): readonly KeptRequest[] =>
  [...requests.values()].toSorted((a, b) => (a.createdAt + a.requestId < b.createdAt + b.requestId ? -1 : 1));
const waiting = (kept: Kept): readonly KeptRequest[] => inOrder(kept).filter(({ state }) => state === "pending");

function propose(kept: Kept, request: KeptRequest): Result<Proposed, RequestRefusal> {
  const { planHash, againOf } = request;
  const same =
    waiting(kept).find((one) => one.planHash === planHash) ??
    inOrder(kept).find((one) => againOf !== null && one.againOf === againOf);
  if (same !== undefined) return ok({ request: same, isNew: false });
  if (waiting(kept).length >= LIMITS.pendingDecisions) {
    return err({ code: "too_many_pending", max: LIMITS.pendingDecisions });
  }
  kept.requests.set(request.requestId, request);
  kept.recordAct(requestedDraft(request));
  return ok({ request, isNew: true });
}

function expire(kept: Kept, at: Instant): readonly string[] {
  const over = waiting(kept)
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= at)
    .toSorted((a, b) => ((a.expiresAt ?? "") + a.requestId < (b.expiresAt ?? "") + b.requestId ? -1 : 1));
  for (const request of over) {
    kept.requests.set(request.requestId, { ...request, state: "expired", decidedAt: request.expiresAt });
    kept.recordAct(expiredDraft(request, at));
  }
  return over.map(({ requestId }) => requestId);
}

function decline(
  kept: Kept,
  { outcome = "declined", ...made }: MadeDecision & { readonly outcome?: "declined" | "edited" },
): Result<KeptRequest, RequestRefusal> {
  const open = stillOpen(kept.requests.get(made.requestId) ?? null, made);
  if (!open.ok) return open;
  const declined = { ...open.value, state: "declined", decidedAt: made.at, decidedBy: made.actor } as const;
  kept.requests.set(made.requestId, declined);
  kept.recordAct(declinedDraft(open.value, made));
  for (const draft of outcomeDrafts(open.value, { outcome, ...made })) kept.recordAct(draft);
  return ok(declined);
}

/** What is to be added; it is added once nothing is refused any more. */
type Added = { readonly tokens: StoredToken[]; readonly uses: ApprovalUse[]; readonly drafts: AuditDraft[] };

function spend(kept: Kept, spending: Spending): Result<ApprovalUse, RequestRefusal | SpendRefusal> {
  const { token, requestId, at, actor, also } = spending;
  const { tokenId, planHash } = token;
  const open = requestId === null ? null : stillOpen(kept.requests.get(requestId) ?? null, { requestId, planHash, at });
  if (open !== null && !open.ok) return open;
  const added: Added = { tokens: [], uses: [], drafts: [] };
  const first = spendOne(kept, { added, spending });
  if (!first.ok) return first;
  if (open !== null) added.drafts.push(...outcomeDrafts(open.value, { outcome: "approved", at, actor }));
  for (const granted of also) {
    const further = keepFurther(kept, { added, spending, granted });
    if (!further.ok) return further;
  }
  kept.tokens.push(...added.tokens);
  kept.uses.push(...added.uses);
  if (open !== null) {
    const { value: request } = open;
    const approved = { ...request, state: "approved", decidedAt: at, decidedBy: actor, tokenId } as const;
    kept.requests.set(request.requestId, approved);
    kept.tokensByRequest.set(request.requestId, [tokenId, ...also.map((granted) => granted.token.tokenId)]);
  }
  for (const draft of added.drafts) kept.recordAct(draft);
  return first;
}

type Using = { readonly added: Added; readonly spending: Spending };

function spendOne(kept: Kept, { added, spending }: Using): Result<ApprovalUse, SpendRefusal> {
  const { token, contentHash, attemptLineage, at } = spending;
  const { nonce, maxExecutions } = token;
  const known = keepToken(kept, { added, token });
  if (!known.ok) return known;
  const useNumber = [...kept.uses, ...added.uses].filter((use) => use.nonce === nonce).length + 1;
  if (useNumber > maxExecutions) return err({ code: "uses_exhausted", maxExecutions });
  const use = { nonce, useNumber, contentHash, attemptLineage, at };
  added.uses.push(use);
  added.drafts.push(spentDraft(spending, use));
  return ok(use);
}

function keepFurther(
  kept: Kept,
  { added, spending, granted }: Using & { readonly granted: AlsoGranted },
): Result<unknown, SpendRefusal> {
  const { token, workItemId, use } = granted;
  if (use !== null) return spendOne(kept, { added, spending: { ...spending, ...use, token, workItemId } });
  const known = keepToken(kept, { added, token });
  const draft = granted.undo === undefined ? standingDraft : undoKeptDraft;
  if (known.ok) added.drafts.push(draft(spending, granted));
  return known;
}

type Keeping = { readonly added: Added; readonly token: StoredToken };

function keepToken(kept: Kept, { added, token }: Keeping): Result<void, SpendRefusal> {
  const { tokenId, nonce } = token;
  const known = [...kept.tokens, ...added.tokens].filter((one) => one.tokenId === tokenId || one.nonce === nonce);
  if (known.some((one) => !sameToken(one, token))) return err({ code: "token_differs", tokenId });
  if (known.length === 0) added.tokens.push(token);
  return ok();
}
