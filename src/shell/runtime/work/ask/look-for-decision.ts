import { msOfInstant, type Instant } from "#base";
import type { RunQuestion } from "#model";
import type { ApprovalStore, Clock, Timers } from "#ports";
import type { Verdict } from "#work";
import type { ConnectionUses } from "../../connections/uses.ts";

export type DecisionDeps = {
  readonly approvals: Pick<ApprovalStore, "find">;
  readonly timers: Timers;
  /** What became of a wider sign-in that was approved. */
  readonly connections: Pick<ConnectionUses, "outcomeOf">;
  readonly isStopped: () => Promise<boolean>;
  readonly clock: Clock;
};

/** What was decided; or, as long as nothing was, when its time is over if its time runs. */
type Decision = { readonly verdict: Verdict } | { readonly verdict: null; readonly dueAt: Instant | null };

const OPEN: Decision = { verdict: null, dueAt: null };

/**
 * What became of a question. What cannot be read now is read when something changes; an approval has no effect while
 * everything is stopped.
 */
export async function lookForDecision(deps: DecisionDeps, question: RunQuestion): Promise<Decision> {
  const found = await deps.approvals.find(question.requestId);
  if (!found.ok) return OPEN;
  // A request that is gone was decided by nobody.
  const { state, expiresAt } = found.value ?? { state: "expired", expiresAt: null };
  if (state === "pending") return { verdict: null, dueAt: expiresAt };
  if (state === "approved" && (await deps.isStopped())) return OPEN;
  if (state !== "approved" || found.value?.kind !== "permission_escalation") return { verdict: state };
  // The owner's yes begins a sign-in; the step begins when that has worked.
  const outcome = await deps.connections.outcomeOf(found.value);
  if (!outcome.ok || outcome.value === null) return OPEN;
  return { verdict: outcome.value === "failed" ? "unmet" : "approved" };
}

const WAIT_MAX_MS = 3_600_000;

/** Settles a little after a moment, or an hour before it: whoever waits looks again then. */
export function wakeAt({ timers, clock }: DecisionDeps, { dueAt, wake }: Waking): () => void {
  if (dueAt === null) return () => {};
  const ms = msOfInstant(dueAt) - msOfInstant(clock.now());
  return timers.after(Math.min(Math.max(0, ms), WAIT_MAX_MS), wake);
}
type Waking = { readonly dueAt: Instant | null; readonly wake: () => void };
