import { LIMITS, msOfInstant, oneLine, type Instant } from "#base";
import {
  CARD_INTENT_CHARS,
  type RiskLevel,
  type RunStatus,
  type SuggestionOffer,
  type SuggestionProposal,
} from "#model";

/** What is known when Silas looks for something to suggest. All of it is fact; no model is asked. [SUGG-03] */
export type SuggestFacts = {
  readonly at: Instant;
  /** Requests that ended undecided and were not asked again. */
  readonly missed: readonly MissedFact[];
  /** Runs that ended, newest first. */
  readonly runs: readonly EndedRun[];
  /** Goals that are looked after and may repair by themselves. */
  readonly goals: readonly GoalFact[];
  readonly warnings: WarningFacts;
  /** Work that is asked about at this moment: nothing more is said of it. */
  readonly asked: ReadonlySet<string>;
};
export type MissedFact = Named & { readonly requestId: string; readonly endedAt: Instant };
export type EndedRun = Named & {
  readonly runId: string;
  readonly status: RunStatus;
  readonly endedAt: Instant;
  /** What whoever carried it out would do next, in its own words. */
  readonly nextSteps: readonly string[];
};
export type GoalFact = Named & { readonly goalId: string; readonly usesLeft: number; readonly until: Instant };
/** What cannot be undone waits, and nobody could confirm it with a passkey. */
type WarningFacts = { readonly irreversibleWaiting: number; readonly passkeys: number };
type Named = { readonly workItemId: string; readonly title: string; readonly riskLevel: RiskLevel };

/** Something worth saying, before it has an id and a moment. */
export type Idea = Pick<
  SuggestionProposal,
  "source" | "intent" | "rationale" | "riskLevel" | "proposedWorkItemId" | "cooldownKey"
> & { readonly offer: SuggestionOffer; readonly subject: string | null };

const HOUR_MS = 3_600_000;
/** A request that was missed a moment ago is still in sight under Missed. */
const MISSED_AFTER_MS = HOUR_MS;
const MISSED_FOR_MS = 7 * 24 * HOUR_MS;
/** For so long something is said of a run; whoever judges what was said before looks back as far. */
export const RUN_FOR_MS = 24 * HOUR_MS;
const ENDS_WITHIN_MS = 48 * HOUR_MS;

/**
 * Everything worth saying now, in the order in which it matters. INVARIANT: equal facts give equal ideas, and one thing is
 * said once: what is asked about already is not suggested. [SUGG-02] [SUGG-03]
 */
export function suggestIdle(facts: SuggestFacts): readonly Idea[] {
  const { goals, runs, missed, asked } = facts;
  const about = <T extends Named>(named: readonly T[]): readonly T[] =>
    named.filter((one) => !asked.has(one.workItemId));
  const ideas = [
    ...warningIdeas(facts.warnings),
    ...about(goals).flatMap((goal) => goalIdeas(goal, facts.at)),
    ...newestOfEach(about(runs)).flatMap((run) => runIdeas(run, { at: facts.at, source: "idle_heartbeat" })),
    ...newestOfEach(about(missed)).flatMap((one) => missedIdeas(one, facts.at)),
  ];
  // A goal, a run and a request may be about one piece of work: the first of them is said.
  const seen = new Set<string>();
  return ideas.filter(({ proposedWorkItemId: id }) => id === null || (!seen.has(id) && seen.add(id)));
}

/** What the end of one run suggests. [SUGG-07] */
export function suggestAfter(run: EndedRun, { at, asked }: Pick<SuggestFacts, "at" | "asked">): readonly Idea[] {
  return asked.has(run.workItemId) ? [] : runIdeas(run, { at, source: "post_execution" });
}

function warningIdeas({ irreversibleWaiting, passkeys }: WarningFacts): readonly Idea[] {
  if (irreversibleWaiting === 0 || passkeys > 0) return [];
  const many =
    irreversibleWaiting === 1 ? "A request that cannot be undone waits" : "Requests that cannot be undone wait";
  return [
    {
      offer: "add_passkey",
      subject: null,
      source: "idle_heartbeat",
      intent: "Add a passkey to this browser",
      rationale: `${many}, and no browser has a passkey to confirm it with.`,
      riskLevel: "low",
      proposedWorkItemId: null,
      cooldownKey: "add_passkey:browser",
    },
  ];
}

function goalIdeas({ goalId, usesLeft, until, ...named }: GoalFact, at: Instant): readonly Idea[] {
  const leftMs = msOfInstant(until) - msOfInstant(at);
  if (usesLeft > 0 && leftMs > ENDS_WITHIN_MS) return [];
  const why =
    usesLeft <= 0
      ? "Its approval in advance is used up, so it asks about every repair."
      : leftMs <= 0
        ? "Its approval in advance has ended, so it asks about every repair."
        : "Its approval in advance ends within two days.";
  return [
    {
      ...ideaOf(named, { verb: "Renew", rationale: why }),
      offer: "renew_goal",
      subject: goalId,
      source: "goal_monitor",
      cooldownKey: `renew_goal:${goalId}`,
    },
  ];
}

type Ran = { readonly at: Instant; readonly source: Idea["source"] };

function runIdeas(run: EndedRun, ran: Ran): readonly Idea[] {
  if (msOfInstant(ran.at) - msOfInstant(run.endedAt) > RUN_FOR_MS) return [];
  return [...tryAgainIdeas(run, ran), ...nextStepIdeas(run, ran)];
}

/**
 * Words of a model authorise nothing and are nobody's plan: the owner sends them, changes them or does not. Whatever is
 * proposed after that is judged for itself. [SUGG-07] [SUGG-10]
 */
function nextStepIdeas({ runId, title, nextSteps }: EndedRun, { source }: Ran): readonly Idea[] {
  const said = [...new Set(nextSteps.map((step) => shortened(oneLine(step).trim(), LIMITS.titleChars)))];
  return said
    .filter((step) => step !== "")
    .map((step, index) => ({
      offer: "next_step",
      subject: runId,
      source,
      intent: shortened(oneLine(`Next step, after: ${title}`)),
      rationale: step,
      riskLevel: "low",
      proposedWorkItemId: null,
      cooldownKey: `next_step:${runId}:${index + 1}`,
    }));
}

function tryAgainIdeas({ runId, status, ...named }: EndedRun, { source }: Ran): readonly Idea[] {
  if (status !== "failed" && status !== "stuck") return [];
  const rationale =
    status === "stuck" ? "Its last run used up its attempts without passing its checks." : "Its last run failed.";
  return [
    {
      ...ideaOf(named, { verb: "Try again", rationale }),
      offer: "run_again",
      subject: runId,
      source,
      cooldownKey: `run_again:${runId}`,
    },
  ];
}

function missedIdeas({ requestId, endedAt, ...named }: MissedFact, at: Instant): readonly Idea[] {
  const sinceMs = msOfInstant(at) - msOfInstant(endedAt);
  if (sinceMs < MISSED_AFTER_MS || sinceMs > MISSED_FOR_MS) return [];
  const rationale = "Its time ran out before you decided, and nothing was done.";
  return [
    {
      ...ideaOf(named, { verb: "Ask again", rationale }),
      offer: "ask_again",
      subject: requestId,
      source: "idle_heartbeat",
      cooldownKey: `ask_again:${requestId}`,
    },
  ];
}

type Wording = { readonly verb: string; readonly rationale: string };

function ideaOf({ title, riskLevel, workItemId }: Named, { verb, rationale }: Wording) {
  return { intent: shortened(oneLine(`${verb}: ${title}`)), rationale, riskLevel, proposedWorkItemId: workItemId };
}

/** As short as the first line of any card, or as it may be; no character is cut in two. */
function shortened(text: string, charsMax: number = CARD_INTENT_CHARS): string {
  if (text.length <= charsMax) return text;
  let kept = "";
  for (const char of text) {
    if (kept.length + char.length >= charsMax) break;
    kept += char;
  }
  return `${kept.trimEnd()}\u2026`;
}

function newestOfEach<T extends Named & { readonly endedAt: Instant }>(named: readonly T[]): readonly T[] {
  const newest = new Map<string, T>();
  for (const one of named) {
    const before = newest.get(one.workItemId);
    if (before === undefined || before.endedAt < one.endedAt) newest.set(one.workItemId, one);
  }
  return [...newest.values()];
}
