import { assert, instantFromMs, LIMITS, msOfInstant, ok, uuidV7, type Instant, type Result } from "#base";
import type { StoreFault, Suggestion } from "#model";
import {
  admitIdeas,
  RUN_FOR_MS,
  staleSuggestions,
  suggestAfter,
  suggestIdle,
  type Idea,
  type SuggestLimits,
} from "#work";
import type { SuggestionDeps } from "./deps.ts";
import { askedNow, loadFacts, endedRun } from "./facts.ts";

const MINUTE_MS = 60_000;

type Made = Promise<Result<readonly Suggestion[], StoreFault>>;

/** One look at everything: what does not hold any more goes, and what is worth saying is kept. [SUGG-01] [SUGG-02] */
export async function generateIdle(deps: SuggestionDeps, at: Instant): Made {
  const facts = await loadFacts(deps, at);
  if (!facts.ok) return facts;
  const ideas = suggestIdle(facts.value);
  const kept = await recent(deps, at);
  if (!kept.ok) return kept;
  const gone = staleSuggestions(kept.value, ideas).map(({ suggestionId }) => suggestionId);
  const expired = gone.length === 0 ? ok() : await deps.suggestions.expire({ suggestionIds: gone, at });
  if (!expired.ok) return expired;
  const left = kept.value.filter(({ suggestionId }) => !gone.includes(suggestionId));
  const made = await keep(deps, { ideas, kept: left, at });
  if (made.ok && gone.length > 0) deps.onChanged();
  return made;
}

/** What the end of one run suggests. [SUGG-07] */
export async function generatePostExecution(deps: SuggestionDeps, runId: string): Made {
  const at = deps.clock.now();
  const run = await deps.store.find(runId);
  if (!run.ok) return run;
  const fact = run.value === null ? ok(null) : await endedRun(deps, run.value);
  if (!fact.ok) return fact;
  if (fact.value === null) return ok([]);
  const asked = await askedNow(deps);
  if (!asked.ok) return asked;
  const kept = await recent(deps, at);
  if (!kept.ok) return kept;
  return keep(deps, { ideas: suggestAfter(fact.value, { at, asked: asked.value }), kept: kept.value, at });
}

export function recent(deps: SuggestionDeps, at: Instant): Made {
  const { dedupeMs, cooldownMs } = limitsOf(deps.config);
  return since(deps, { at, ms: Math.max(dedupeMs, cooldownMs, RUN_FOR_MS) });
}

type Lately = { readonly at: Instant; readonly ms: number };

/** What was said or answered within so long, newest first. */
export function since({ suggestions, config }: SuggestionDeps, { at, ms }: Lately): Made {
  const from = instantFromMs(Math.max(0, msOfInstant(at) - ms));
  assert(from.ok, "a moment of lately lies within the calendar");
  return suggestions.recent({ scopeId: config.ownerId, since: from.value });
}

type Keeping = { readonly ideas: readonly Idea[]; readonly kept: readonly Suggestion[]; readonly at: Instant };

async function keep(deps: SuggestionDeps, { ideas, kept, at }: Keeping): Made {
  const admitted = admitIdeas({ ideas, kept, at, limits: limitsOf(deps.config) });
  if (admitted.length === 0) return ok([]);
  const made = await deps.suggestions.add(admitted.map((idea) => suggestionOf(deps, { idea, at })));
  if (made.ok && made.value.length > 0) deps.onChanged();
  return made;
}

function suggestionOf({ config, randomness }: SuggestionDeps, { idea, at }: Thought): Suggestion {
  return {
    ...idea,
    suggestionId: uuidV7(at, randomness.bytes(10)),
    scopeId: config.ownerId,
    createdAt: at,
    state: "pending",
    handledAt: null,
    handledBy: null,
    requestId: null,
  };
}
type Thought = { readonly idea: Idea; readonly at: Instant };

const limitsOf = ({ suggestions, limits }: SuggestionDeps["config"]): SuggestLimits => ({
  dedupeMs: suggestions.dedupeWindowMinutes * MINUTE_MS,
  cooldownMs: suggestions.cooldownMinutes * MINUTE_MS,
  pendingMax: Math.min(suggestions.maxPendingPerScope, LIMITS.suggestionsRead),
  perHour: limits.suggestionsPerHourPerScope,
});
