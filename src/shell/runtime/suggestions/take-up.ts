import { assert, err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import { planProposalText, readPlanProposal, type AuditActor, type StoreFault, type Suggestion } from "#model";
import type { Proposed, ProposeRefusal } from "#ports";
import { proposeSame } from "../doubts/propose-same.ts";
import { findStanding } from "../goals/standing.ts";
import type { SuggestionDeps } from "./deps.ts";

type Taken = { readonly suggestion: Suggestion; readonly actor: AuditActor };
type Asked = Promise<Result<string | null, { readonly reason: string } | StoreFault>>;

/**
 * Asks for what was suggested, as anybody would ask for it: a request with its card, that needs an approval of its own.
 * Nothing runs here. INVARIANT: taken up twice, by a crash or two taps, it is asked once. [SUGG-10]
 */
export async function takeUp(deps: SuggestionDeps, taken: Taken): Asked {
  const { suggestion, actor } = taken;
  switch (suggestion.offer) {
    case "add_passkey":
    case "next_step":
      return ok(null);
    case "ask_again":
      return idOf(await deps.proposals.proposeAgain(suggestion.subject ?? "", actor));
    case "run_again":
      return runAgain(deps, taken);
    case "renew_goal":
      return renewGoal(deps, taken);
  }
}

async function runAgain(deps: SuggestionDeps, { suggestion, actor }: Taken): Asked {
  const run = await deps.store.find(suggestion.subject ?? "");
  if (!run.ok) return run;
  return run.value === null ? err({ reason: "run_unknown" }) : proposeSame(deps, { run: run.value, actor });
}

/** The same goal for as many repairs and as long as before, counted from when it was suggested. */
async function renewGoal(deps: SuggestionDeps, { suggestion, actor }: Taken): Asked {
  const goals = await deps.goals.list();
  if (!goals.ok) return goals;
  const goal = goals.value.find(({ goalId }) => goalId === suggestion.subject);
  const request = await deps.approvals.find(goal?.requestId ?? "");
  if (!request.ok) return request;
  const standing = await findStanding(deps, goal?.requestId ?? "");
  if (!standing.ok) return standing;
  const before = request.value === null ? null : readPlanProposal(request.value.markdown);
  if (before === null || !before.ok || standing.value === null) return err({ reason: "goal_unknown" });
  const { issuedAt, expiresAt, maxExecutions } = standing.value.token;
  const forMs = msOfInstant(expiresAt) - msOfInstant(issuedAt);
  const terms = { max_executions: maxExecutions, expires_at: laterBy(suggestion.createdAt, forMs) };
  return idOf(await deps.proposals.propose(planProposalText({ ...before.value, standing: terms }), actor));
}

function laterBy(at: Instant, ms: number): Instant {
  const later = instantFromMs(msOfInstant(at) + ms);
  assert(later.ok, "an approval in advance ends within the calendar");
  return later.value;
}

function idOf(asked: Result<Proposed, ProposeRefusal>): Awaited<Asked> {
  if (asked.ok) return ok(asked.value.request.requestId);
  const { error } = asked;
  return "retryable" in error ? err(error) : err({ reason: error.code });
}
