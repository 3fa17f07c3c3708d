import { instantFromMs, msOfInstant, type Instant } from "#base";
import type { Suggestion } from "#model";
import type { EndedRun, GoalFact, MissedFact, SuggestFacts } from "./suggest.ts";

export const NOW = "2026-11-10T12:00:00.000Z" as Instant;

export function ago(minutes: number): Instant {
  const at = instantFromMs(msOfInstant(NOW) - minutes * 60_000);
  if (!at.ok) throw new Error("out of the calendar");
  return at.value;
}

const named = (workItemId: string) => ({ workItemId, title: `Title of ${workItemId}`, riskLevel: "medium" as const });
export const missedOf = (id: string, over: Partial<MissedFact> = {}): MissedFact => ({
  ...named(id),
  requestId: `request-${id}`,
  endedAt: ago(90),
  ...over,
});
export const runOf = (id: string, over: Partial<EndedRun> = {}): EndedRun => ({
  ...named(id),
  runId: `run-${id}`,
  status: "stuck",
  endedAt: ago(5),
  nextSteps: [],
  ...over,
});
export const goalOf = (id: string, over: Partial<GoalFact> = {}): GoalFact => ({
  ...named(id),
  riskLevel: "high",
  goalId: id,
  usesLeft: 0,
  until: "2027-01-01T00:00:00.000Z" as Instant,
  ...over,
});

export const factsOf = (over: Partial<SuggestFacts> = {}): SuggestFacts => ({
  at: NOW,
  missed: [],
  runs: [],
  goals: [],
  warnings: { irreversibleWaiting: 0, passkeys: 0 },
  asked: new Set(),
  ...over,
});

export const keptOf = (key: string, over: Partial<Suggestion> = {}): Suggestion => ({
  suggestionId: `suggestion-${key.replaceAll(":", "-")}`,
  scopeId: "owner",
  source: "idle_heartbeat",
  intent: "Ask again: something",
  rationale: "Its time ran out.",
  riskLevel: "medium",
  proposedWorkItemId: "task-a",
  cooldownKey: key,
  createdAt: ago(0),
  offer: "ask_again",
  subject: "request-a",
  state: "pending",
  handledAt: null,
  handledBy: null,
  requestId: null,
  ...over,
});
