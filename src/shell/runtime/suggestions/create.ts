import { err, ok, type Result } from "#base";
import type { TimerOwner } from "#engine";
import { OUTCOME_OF_ANSWER, type StoreFault, type Suggestion, type SuggestionRefusal } from "#model";
import { createMutex, type AnsweringSuggestion, type SuggestionsDoor } from "#ports";
import type { SuggestionDeps } from "./deps.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { generateIdle, generatePostExecution, recent, since } from "./looks.ts";
import { takeUp } from "./take-up.ts";

export type Suggestions = SuggestionsDoor & {
  /** Looks by itself from now on, where that is wanted. */
  start(): Promise<void>;
  readonly timed: TimerOwner;
  close(): Promise<void>;
};

/** What Silas suggests by itself, from what is kept and by rules alone; nothing here runs anything. [SUGG-03] [SUGG-10] */
export function createSuggestions(deps: SuggestionDeps): Suggestions {
  // One at a time, so that nothing is suggested twice and nothing is asked twice.
  const inTurn = createMutex();
  let isClosed = false;
  const look: Parameters<typeof createHeartbeat>[0]["look"] = (at) =>
    inTurn(async () => (isClosed ? ok([]) : generateIdle(deps, at)));
  const heartbeat = createHeartbeat({ deps, look });
  const afterRun = async (runId: string): Promise<void> => {
    if (isClosed || (await deps.isStopped())) return;
    const made = await generatePostExecution(deps, runId);
    if (!made.ok) deps.log.error("suggestions_not_looked", made.error);
  };
  let unsubscribe: (() => void) | null = null;
  return {
    list: () => waiting(deps),
    missed: () => missed(deps),
    answer: (suggestionId, answering) => inTurn(() => answer(deps, { suggestionId, ...answering })),
    timed: heartbeat.timed,
    async start() {
      await heartbeat.start();
      if (!deps.config.suggestions.enabled) return;
      unsubscribe = deps.feed.subscribeRuns(({ runId, news }) => {
        if (ENDED.has(news)) void inTurn(() => afterRun(runId));
      });
    },
    async close() {
      isClosed = true;
      unsubscribe?.();
      await inTurn(async () => undefined);
    },
  };
}

/** News of a run after which it may be worth saying something. [SUGG-07] */
const ENDED: ReadonlySet<string> = new Set(["done", "failed", "stuck"]);

async function waiting(deps: SuggestionDeps): Promise<Result<readonly Suggestion[], StoreFault>> {
  const kept = await recent(deps, deps.clock.now());
  return kept.ok ? ok(kept.value.filter(({ state }) => state === "pending").toReversed()) : kept;
}

/** What was said again since is not missed: it waits, or somebody answered it. */
async function missed(deps: SuggestionDeps): Promise<Result<readonly Suggestion[], StoreFault>> {
  const kept = await since(deps, { at: deps.clock.now(), ms: MISSED_FOR_MS });
  if (!kept.ok) return kept;
  const newest = new Map(kept.value.toReversed().map((one) => [one.cooldownKey, one]));
  return ok(kept.value.filter((one) => one.state === "expired" && newest.get(one.cooldownKey) === one));
}

const MISSED_FOR_MS = 7 * 24 * 3_600_000;

type Answer = AnsweringSuggestion & { readonly suggestionId: string };

/** What is asked for is asked first: what is kept says what came of it, and a crash in between loses no answer. [SUGG-08] */
async function answer(
  deps: SuggestionDeps,
  { suggestionId, answer: given, actor }: Answer,
): Promise<Result<Suggestion, SuggestionRefusal | StoreFault>> {
  const found = await deps.suggestions.find(suggestionId);
  if (!found.ok) return found;
  const suggestion = found.value;
  if (suggestion === null || suggestion.scopeId !== deps.config.ownerId) {
    return err({ code: "suggestion_unknown", suggestionId });
  }
  if (suggestion.state !== "pending") return err({ code: "suggestion_closed", suggestionId, state: suggestion.state });
  const asked = given === "do_it" ? await takeUp(deps, { suggestion, actor }) : ok(null);
  if (!asked.ok) {
    return err(
      "reason" in asked.error ? { code: "suggestion_stale", suggestionId, reason: asked.error.reason } : asked.error,
    );
  }
  const outcome = OUTCOME_OF_ANSWER[given];
  const at = deps.clock.now();
  const handled = await deps.suggestions.handle({ suggestionId, outcome, requestId: asked.value, at, actor });
  if (handled.ok) deps.onChanged();
  return handled;
}
