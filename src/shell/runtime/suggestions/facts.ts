import { LIMITS, ok, type Instant, type Result } from "#base";
import { readPlanProposal, type KeptRequest, type RunRecord, type StoreFault } from "#model";
import type { GoalFact, MissedFact, EndedRun, SuggestFacts } from "#work";
import { findStanding } from "../goals/standing.ts";
import type { SuggestionDeps } from "./deps.ts";

type Loaded<T> = Promise<Result<T, StoreFault>>;

/** Everything a look for suggestions goes by, as it is kept now. What is damaged of one thing is left out. */
export async function loadFacts(deps: SuggestionDeps, at: Instant): Loaded<SuggestFacts> {
  const requests = await deps.approvals.list(["pending", "expired"]);
  if (!requests.ok) return requests;
  const passkeys = await deps.passkeys.list();
  if (!passkeys.ok) return passkeys;
  const runs = await endedRuns(deps);
  if (!runs.ok) return runs;
  const goals = await goalFacts(deps);
  if (!goals.ok) return goals;
  const pending = requests.value.filter(({ state }) => state === "pending");
  return ok({
    at,
    missed: requests.value.flatMap(missedFact),
    runs: runs.value,
    goals: goals.value,
    warnings: {
      irreversibleWaiting: pending.filter(({ riskLevel }) => riskLevel === "irreversible").length,
      passkeys: passkeys.value.length,
    },
    asked: new Set(pending.map(({ workItemId }) => workItemId)),
  });
}

/** What is asked about at this moment. */
export async function askedNow({ approvals }: SuggestionDeps): Loaded<ReadonlySet<string>> {
  const pending = await approvals.list(["pending"]);
  return pending.ok ? ok(new Set(pending.value.map(({ workItemId }) => workItemId))) : pending;
}

/** Plans alone: a batch is found again by whoever found it, and a question ends with its run. */
function missedFact(request: KeptRequest): readonly MissedFact[] {
  const { kind, state, decidedAt, replacedBy, requestId } = request;
  if (kind !== "plan_approval" || state !== "expired" || decidedAt === null || replacedBy !== null) return [];
  return isRepair(request) ? [] : [{ ...namesOf(request), requestId, endedAt: decidedAt }];
}

/** A repair belongs to its goal, which asks for it by itself as long as it is needed. */
function isRepair({ markdown }: KeptRequest): boolean {
  const proposal = readPlanProposal(markdown);
  return !proposal.ok || proposal.value.repair !== undefined;
}

async function endedRuns(deps: SuggestionDeps): Loaded<readonly EndedRun[]> {
  const listed = await deps.store.list({ limit: LIMITS.runsListed });
  if (!listed.ok) return listed;
  const facts: EndedRun[] = [];
  for (const run of listed.value) {
    const fact = await endedRun(deps, run);
    if (!fact.ok) return fact;
    if (fact.value !== null) facts.push(fact.value);
  }
  return ok(facts);
}

/** Null for a run that goes on, or that is a part of more: a project, a goal or a batch is asked for as a whole. */
export async function endedRun({ store, approvals }: SuggestionDeps, run: RunRecord): Loaded<EndedRun | null> {
  const { runId, planHash, status, endedAt } = run;
  if (endedAt === null) return ok(null);
  const grant = await store.grantOf(runId);
  if (!grant.ok) return grant;
  const found = await approvals.find(grant.value?.requestId ?? "");
  if (!found.ok) return found.error.retryable ? found : ok(null);
  const request = found.value;
  if (request?.kind !== "plan_approval" || request.planHash !== planHash || isRepair(request)) return ok(null);
  return ok({ ...namesOf(request), runId, status, endedAt, nextSteps: run.said?.nextSteps ?? [] });
}

async function goalFacts(deps: SuggestionDeps): Loaded<readonly GoalFact[]> {
  const listed = await deps.goals.list();
  if (!listed.ok) return listed;
  const facts: GoalFact[] = [];
  for (const { goalId, requestId, isPaused } of listed.value) {
    if (isPaused) continue;
    const standing = await findStanding(deps, requestId);
    const request = await deps.approvals.find(requestId);
    if (!standing.ok || !request.ok) continue;
    if (standing.value === null || request.value === null) continue;
    const { token, kept } = standing.value;
    const usesLeft = token.maxExecutions - kept.uses.length;
    facts.push({ ...namesOf(request.value), goalId, usesLeft, until: token.expiresAt });
  }
  return ok(facts);
}

const namesOf = ({ workItemId, card, riskLevel }: KeptRequest) => ({
  workItemId,
  title: card.intent.replace(/^[A-Z][a-z ]+: /, ""),
  riskLevel,
});
