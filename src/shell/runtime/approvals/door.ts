import { assert, err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import type { AuditActor, KeptRequest, StoreFault } from "#model";
import { withTerms } from "#policy";
import type { ApprovalsDoor, Proposed, SecretsDoor } from "#ports";
import { decide } from "./decide.ts";
import { claimedByHand } from "./limits.ts";
import { askForSecrets } from "../secrets/ask-for-plans.ts";
import { createPageApprovals, type PageDeps } from "./page.ts";
import { check, propose, proposeAgain, proposePayload, type ApprovalsDeps } from "./propose.ts";
import { receipt } from "./receipt.ts";
import { selectItems } from "./select.ts";
import { summary } from "./summary.ts";

type ApprovalsDoorDeps = PageDeps & {
  /** Where a plan's missing secrets are asked for. */
  readonly secrets: Pick<SecretsDoor, "ask" | "list">;
  /** Waits for what follows from a committed decision, as far as its caller is told of that. */
  readonly follow: (decision: KeptRequest) => Promise<void>;
};

/**
 * Requests and decisions, for the terminal and for channels.
 */
export function createApprovalsDoor(deps: ApprovalsDoorDeps): ApprovalsDoor {
  const { store } = deps;
  const page = createPageApprovals(deps);
  return {
    check: async (markdown) => {
      const checked = await check(deps, markdown);
      if (!checked.ok) return checked;
      const { projection, card } = checked.value;
      return ok({ projection, planHash: card.planHash });
    },
    propose: async (markdown, actor) =>
      asking(deps, { proposed: await propose(deps, { markdown, actor, againOf: null }), actor }),
    proposePayload: async (payload, actor) => {
      const claimed = claimedByHand(payload);
      return claimed === null ? proposePayload(deps, { payload, actor, againOf: null }) : err(claimed);
    },
    proposeAgain: async (requestId, actor) =>
      asking(deps, { proposed: await proposeAgain(deps, { requestId, actor }), actor }),
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
      const activated = await activate(deps, requestId);
      if (!activated.ok) return activated;
      const found = await store.find(requestId);
      if (!found.ok) return found;
      if (found.value === null) return err({ code: "request_unknown", requestId });
      return ok(withTerms(found.value, deps.settings));
    },
    summary: () => summary(deps),
    select: (choice) => selectItems(deps, choice),
    decide: async (answer) => following(deps, await decide(deps, answer)),
    prepareApproval: page.prepareApproval,
    completeApproval: async (signed) => following(deps, await page.completeApproval(signed)),
    receipt: (requestId) => receipt(deps, requestId),
  };
}

/** The commit has sent what follows; whoever decided sees its outcome. */
async function following<E>(
  { follow }: ApprovalsDoorDeps,
  decided: Result<KeptRequest, E>,
): Promise<Result<KeptRequest, E>> {
  if (decided.ok) await follow(decided.value);
  return decided;
}

type Asked<E> = { readonly proposed: Result<Proposed, E>; readonly actor: AuditActor };

/** A model cannot make Silas ask the owner for a secret; its plan asks once the owner proposes it. */
async function asking<E>(
  { secrets }: ApprovalsDoorDeps,
  { proposed, actor }: Asked<E>,
): Promise<Result<Proposed, E | StoreFault>> {
  if (!proposed.ok || actor.kind === "model") return proposed;
  const asked = await askForSecrets(secrets, { request: proposed.value.request, actor });
  return asked.ok ? proposed : asked;
}

const EVERY_STATE = ["pending", "approved", "declined", "expired"] as const;

type Listed = Promise<Result<readonly KeptRequest[], StoreFault>>;

async function list({ store, settings }: ApprovalsDeps, states: readonly KeptRequest["state"][]): Listed {
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
