import { err, LIMITS, ok } from "#base";
import type { ApprovalUse, KeptRequest, StoredToken } from "#model";
import type { ApprovalStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { declinedDraft, expiredDraft, requestedDraft, spentDraft } from "./drafts.ts";
import { stillOpen } from "./judge-decision.ts";
import { sameToken } from "./rows.ts";

/** The in-memory twin of the approval store: the same behaviour in the plainest code. */
export function createMemoryApprovalStore(recordAct: RecordAct): ApprovalStore {
  const requests = new Map<string, KeptRequest>();
  const tokens: StoredToken[] = [];
  const uses: ApprovalUse[] = [];
  const change = (requestId: string, set: Partial<KeptRequest>): KeptRequest | null => {
    const found = requests.get(requestId);
    if (found === undefined) return null;
    requests.set(requestId, { ...found, ...set });
    return { ...found, ...set };
  };
  const inOrder = () =>
    [...requests.values()].toSorted((a, b) => (a.createdAt + a.requestId < b.createdAt + b.requestId ? -1 : 1));
  const waiting = () => inOrder().filter(({ state }) => state === "pending");
  return {
    propose: async (request) => {
      const { planHash, againOf } = request;
      const same =
        waiting().find((one) => one.planHash === planHash) ??
        inOrder().find((one) => againOf !== null && one.againOf === againOf);
      if (same !== undefined) return ok({ request: same, isNew: false });
      if (waiting().length >= LIMITS.pendingDecisions) {
        return err({ code: "too_many_pending", max: LIMITS.pendingDecisions });
      }
      requests.set(request.requestId, request);
      recordAct(requestedDraft(request));
      return ok({ request, isNew: true });
    },
    find: async (requestId) => ok(requests.get(requestId) ?? null),
    list: async (states) =>
      ok(
        inOrder()
          .filter(({ state }) => states.includes(state))
          .slice(-LIMITS.pageRows),
      ),
    activate: async (requestId, { at, expiresAt }) => {
      const found = requests.get(requestId);
      if (found?.state === "pending" && found.activeSince === null) change(requestId, { activeSince: at, expiresAt });
      return ok();
    },
    expire: async (at) => {
      const over = waiting()
        .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= at)
        .toSorted((a, b) => ((a.expiresAt ?? "") + a.requestId < (b.expiresAt ?? "") + b.requestId ? -1 : 1));
      for (const decision of over) {
        change(decision.requestId, { state: "expired", decidedAt: decision.expiresAt });
        recordAct(expiredDraft(decision, at));
      }
      return ok(over.map(({ requestId }) => requestId));
    },
    decline: async (made) => {
      const open = stillOpen(requests.get(made.requestId) ?? null, made);
      if (!open.ok) return open;
      const set = { state: "declined", decidedAt: made.at, decidedBy: made.actor } as const;
      change(made.requestId, set);
      recordAct(declinedDraft(open.value, made));
      return ok({ ...open.value, ...set });
    },
    spend: async (spending) => {
      const { token, requestId, contentHash, attemptLineage, at, actor } = spending;
      if (requestId !== null) {
        const open = stillOpen(requests.get(requestId) ?? null, { requestId, planHash: token.planHash, at });
        if (!open.ok) return open;
      }
      const { tokenId, nonce, maxExecutions } = token;
      const kept = tokens.filter((one) => one.tokenId === tokenId || one.nonce === nonce);
      if (kept.some((one) => !sameToken(one, token))) return err({ code: "token_differs", tokenId });
      const useNumber = uses.filter((use) => use.nonce === nonce).length + 1;
      if (useNumber > maxExecutions) return err({ code: "uses_exhausted", maxExecutions });
      if (kept.length === 0) tokens.push(token);
      const use = { nonce, useNumber, contentHash, attemptLineage, at };
      uses.push(use);
      if (requestId !== null) change(requestId, { state: "approved", decidedAt: at, decidedBy: actor, tokenId });
      recordAct(spentDraft(spending, use));
      return ok(use);
    },
    findApproval: async (tokenId) => {
      const token = tokens.find((one) => one.tokenId === tokenId);
      if (token === undefined) return ok(null);
      return ok({ token, uses: uses.filter(({ nonce }) => nonce === token.nonce) });
    },
  };
}
