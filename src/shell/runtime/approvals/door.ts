import { assert, err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import type { KeptRequest, StoreFault } from "#model";
import { withTerms } from "#policy";
import type { ApprovalsDoor } from "#ports";
import { decide } from "./decide.ts";
import { claimedByHand } from "./limits.ts";
import { createPageApprovals, type PageDeps } from "./page.ts";
import { check, propose, proposeAgain, proposePayload, type ApprovalsDeps } from "./propose.ts";
import { receipt } from "./receipt.ts";
import { selectItems } from "./select.ts";
import { summary } from "./summary.ts";

/**
 * Requests and decisions, for the terminal and for channels. Before anything is read or decided, what ran out of time is
 * ended; so no caller ever sees an open request that is over.
 */
export function createApprovalsDoor(deps: PageDeps): ApprovalsDoor {
  const { store } = deps;
  return {
    check: async (markdown) => {
      const checked = await check(deps, markdown);
      if (!checked.ok) return checked;
      const { projection, card } = checked.value;
      return ok({ projection, planHash: card.planHash });
    },
    propose: (markdown, actor) => propose(deps, { markdown, actor, againOf: null }),
    proposePayload: async (payload, actor) => {
      const claimed = claimedByHand(payload);
      return claimed === null ? proposePayload(deps, { payload, actor, againOf: null }) : err(claimed);
    },
    proposeAgain: (requestId, actor) => proposeAgain(deps, { requestId, actor }),
    inbox: () => inbox(deps),
    missed: async () => {
      const expired = await list(deps, ["expired"]);
      if (!expired.ok) return expired;
      const all = await store.list(EVERY_STATE);
      if (!all.ok) return all;
      const repeated = new Set(all.value.map(({ againOf }) => againOf));
      return ok(expired.value.filter(({ requestId }) => !repeated.has(requestId)));
    },
    all: () => list(deps, EVERY_STATE),
    show: async (requestId) => {
      const expired = await store.expire(deps.clock.now());
      if (!expired.ok) return expired;
      const activated = await activate(deps, requestId);
      if (!activated.ok) return activated;
      const found = await store.find(requestId);
      if (!found.ok) return found;
      if (found.value === null) return err({ code: "request_unknown", requestId });
      return ok(withTerms(found.value, deps.settings));
    },
    summary: () => summary(deps),
    select: (choice) => selectItems(deps, choice),
    decide: (answer) => decide(deps, answer),
    ...createPageApprovals(deps),
    receipt: (requestId) => receipt(deps, requestId),
  };
}

const EVERY_STATE = ["pending", "approved", "declined", "expired"] as const;

type Listed = Promise<Result<readonly KeptRequest[], StoreFault>>;

async function list({ store, clock, settings }: ApprovalsDeps, states: readonly KeptRequest["state"][]): Listed {
  const expired = await store.expire(clock.now());
  if (!expired.ok) return expired;
  const kept = await store.list(states);
  return kept.ok ? ok(kept.value.map((request) => withTerms(request, settings))) : kept;
}

/** The oldest is the one that is asked about now; the others wait behind it without losing time. */
async function inbox(deps: ApprovalsDeps): Listed {
  const waiting = await list(deps, ["pending"]);
  const [first] = waiting.ok ? waiting.value : [];
  if (first === undefined || first.activeSince !== null) return waiting;
  const activated = await activate(deps, first.requestId);
  return activated.ok ? list(deps, ["pending"]) : activated;
}

function activate({ store, clock, settings }: ApprovalsDeps, requestId: string): Promise<Result<boolean, StoreFault>> {
  const at = clock.now();
  return store.activate(requestId, { at, expiresAt: laterBy(at, settings.timeoutMs) });
}

function laterBy(at: Instant, ms: number): Instant {
  const later = instantFromMs(msOfInstant(at) + ms);
  assert(later.ok, "a request ends within the calendar");
  return later.value;
}
