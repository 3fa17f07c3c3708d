import { isConsultOver, type AwaitedAdvice, type Consultation } from "#model";
import type { Clock, ConsultStore } from "#ports";
import type { Advice } from "#work";

export type AdviceDeps = {
  readonly consults: Pick<ConsultStore, "find" | "move">;
  readonly clock: Clock;
  /** Told after each change that was kept. */
  readonly onChanged: () => void;
};

const NONE: Advice = { guidance: null, tokensUsed: 0 };

/**
 * What came of asking the planner; null as long as nothing did and there is time. The time ends here, by the clock and
 * whether anybody reads the queue or not: what comes later finds a record that has ended. [CONSULT-02] [CONSULT-11]
 */
export async function lookForAdvice(deps: AdviceDeps, awaited: AwaitedAdvice): Promise<Advice | null> {
  const found = await deps.consults.find(awaited.consultationId);
  // What can be read later is; what is damaged or gone advises nothing.
  if (!found.ok) return found.error.retryable ? null : NONE;
  if (found.value === null) return NONE;
  const { guidance, tokensUsed, state: from } = found.value;
  if (isConsultOver(found.value)) return { guidance, tokensUsed };
  const at = deps.clock.now();
  if (at < awaited.dueAt) return null;
  const late: Consultation = { ...found.value, state: "failed", answer: null, failure: "advice_late", endedAt: at };
  const moved = await deps.consults.move({ from, consultation: late, at });
  deps.onChanged();
  if (moved.ok) return { guidance: null, tokensUsed };
  if ("retryable" in moved.error) return moved.error.retryable ? null : NONE;
  // It moved on in this very moment, which it does a few times and no more.
  return lookForAdvice(deps, awaited);
}
