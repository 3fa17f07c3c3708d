import { err, LIMITS, ok, parseStrictJson, type Instant, type Result } from "#base";
import {
  beginsRun,
  dispatchOf,
  type ApprovalUse,
  type AuditDraft,
  type KeptApproval,
  type KeptRequest,
  type RequestRefusal,
  type SpendRefusal,
  type StoredToken,
} from "#model";
import type {
  AlsoGranted,
  ApprovalStore,
  KeyRegistry,
  MadeDecision,
  Proposed,
  QueueStore,
  RequestHeading,
  Spending,
} from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { limitDrafts, limitsIn, type LimitsKept } from "../autonomy/limit-drafts.ts";
import { outcomeDrafts, undoKeptDraft } from "../batches/drafts.ts";
import { declinedDraft, expiredDraft, replacedDraft, requestedDraft, spentDraft, standingDraft } from "./drafts.ts";
import { stillOpen } from "./judge-decision.ts";
import { digestOf } from "./memory-digest.ts";
import { sameToken } from "./rows.ts";

type Kept = {
  readonly requests: Map<string, KeptRequest>;
  readonly tokens: StoredToken[];
  readonly uses: ApprovalUse[];
  readonly tokensByRequest: Map<string, readonly string[]>;
  readonly limits: LimitsKept;
  readonly recordAct: RecordAct;
};

/** Whose keys count, and where runs that were granted are told of; without the queue nobody is told. */
export type MemoryApprovalParts = Pick<KeyRegistry, "find"> & { readonly queue?: Pick<QueueStore, "enqueue"> };

const isUncarried = ({ kind, state }: KeptRequest): boolean =>
  kind === "gate_approval"
    ? state === "approved" || state === "declined"
    : kind === "memory_promotion" && state === "approved";

function headingOf({ kind, planHash, card, projection }: KeptRequest): RequestHeading {
  const parsed = parseStrictJson(projection);
  const isProject = parsed.ok && (parsed.value as { readonly type?: unknown } | null)?.type === "project";
  return { kind, planHash, intent: card.intent, projection: isProject ? projection : null };
}

/** The in-memory twin of the approval store: the same behaviour in the plainest code. */
export function createMemoryApprovalStore(recordAct: RecordAct, keys: MemoryApprovalParts): ApprovalStore {
  const kept: Kept = { requests: new Map(), tokens: [], uses: [], tokensByRequest: new Map(), limits: [], recordAct };
  const { requests } = kept;
  const carried = new Set<string>();
  return {
    propose: async (request) => propose(kept, request),
    find: async (requestId) => ok(requests.get(requestId) ?? null),
    headings: async (ids) =>
      ok(new Map([...requests].filter(([id]) => ids.includes(id)).map(([id, request]) => [id, headingOf(request)]))),
    list: async (states) => {
      const listed = inOrder(kept).filter(({ state }) => states.includes(state));
      return ok(listed.slice(-LIMITS.pageRows));
    },
    uncarried: async () =>
      ok(inOrder(kept).filter((request) => isUncarried(request) && !carried.has(request.requestId))),
    carriedOut: async (requestId) => {
      carried.add(requestId);
      return ok();
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
      if (key.value.revokedAt !== null) return err({ code: "key_revoked", keyId });
      const spent = spend(kept, spending);
      if (spent.ok) await tell(kept, { spending, queue: keys.queue });
      return spent;
    },
    findApproval: async (tokenId) => ok(approvalOf(kept, tokenId)),
    approvalsOf: async (requestId) =>
      ok((kept.tokensByRequest.get(requestId) ?? []).flatMap((tokenId) => approvalOf(kept, tokenId) ?? [])),
    titlesOf: async (ids) => ok(new Map(ids.flatMap((id) => titleOf(kept, id)))),
    gateNamesOf: async (runIds) => ok([...new Set(runIds.flatMap((runId) => gateNamesIn(kept, runId)))].toSorted()),
  };
}

/** None when it was used under several. */
function titleOf({ requests }: Kept, id: string): readonly (readonly [string, string])[] {
  const of = [...requests.values()].filter(({ workItemId }) => workItemId === id);
  const titles = new Set(of.map(({ projection, card }) => signedTitle(projection) ?? card.intent));
  const [title] = titles;
  return title === undefined || titles.size > 1 ? [] : [[id, title]];
}

function gateNamesIn({ requests, tokens, uses, tokensByRequest }: Kept, runId: string): readonly string[] {
  const nonce = uses.find(({ attemptLineage }) => attemptLineage === runId)?.nonce;
  const tokenId = tokens.find((token) => token.nonce === nonce)?.tokenId;
  const decided = [...tokensByRequest].find(([, tokenIds]) => tokenId !== undefined && tokenIds.includes(tokenId));
  const projection = requests.get(decided?.[0] ?? "")?.projection;
  return projection === undefined ? [] : gatesNamed(JSON.parse(projection));
}

function gatesNamed(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(gatesNamed);
  const { gates } = value as { readonly gates?: unknown };
  const own = Array.isArray(gates) ? gates.map((gate: { readonly name?: unknown } | null) => gate?.name) : [];
  return [...own.filter((name) => typeof name === "string"), ...inside];
}

function signedTitle(projection: string): string | null {
  const { title } = JSON.parse(projection) as { readonly title?: unknown };
  return typeof title === "string" ? title : null;
}

function approvalOf({ tokens, uses }: Kept, tokenId: string): KeptApproval | null {
  const token = tokens.find((one) => one.tokenId === tokenId);
  return token === undefined ? null : { token, uses: uses.filter(({ nonce }) => nonce === token.nonce), isVoid: false };
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
  const before = againOf === null ? undefined : kept.requests.get(againOf);
  if (before !== undefined) kept.requests.set(before.requestId, { ...before, replacedBy: request.requestId });
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
  kept.recordAct((outcome === "edited" ? replacedDraft : declinedDraft)(open.value, made));
  for (const draft of outcomeDrafts(open.value, { outcome, ...made })) kept.recordAct(draft);
  return ok(declined);
}

type Telling = { readonly spending: Spending; readonly queue: MemoryApprovalParts["queue"] };

async function tell({ requests }: Kept, { spending, queue }: Telling): Promise<void> {
  const { requestId, attemptLineage: runId, workItemId, at, actor } = spending;
  const request = requestId === null ? null : requests.get(requestId);
  if (request === undefined || (request !== null && !beginsRun(request))) return;
  await queue?.enqueue({ queue: "runtime_queue", message: dispatchOf({ runId, workItemId, at, actor }), at });
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
  const limits = limitDrafts({ spending, newest: (key) => kept.limits.findLast((one) => one.key === key) ?? null });
  if (!limits.ok) return limits;
  added.drafts.push(...limits.value);
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
  kept.limits.push(...limitsIn(limits.value));
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
