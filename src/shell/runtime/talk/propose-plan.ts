import { ok, type Result } from "#base";
import { carriesPlan, planProposalText, wordsFor, type AgentResponse, type StoreFault, type Turn } from "#model";
import type { ProposeRefusal } from "#ports";
import type { TalkDeps } from "./deps.ts";

type PlanAction = NonNullable<AgentResponse["plan_action"]>;
export type Wanted = {
  readonly action: PlanAction;
  readonly turn: Turn;
  /** `replayed`: this may have been done before, and Silas was stopped in between. */
  readonly how: "fresh" | "replayed";
};

/**
 * Asks the owner about the plan of an answer, by the same way as any plan: it is read, weighed and shown, and nothing of
 * it runs before it is signed. What the answer says about approval changes nothing. [FLOW-07] [ROLE-11]
 */
export async function proposePlan(
  deps: TalkDeps,
  wanted: Wanted,
): Promise<Result<NonNullable<Turn["plan"]>, StoreFault>> {
  const { action, how, turn } = wanted;
  if (!carriesPlan(action)) return ok(refused(WITHOUT_PLAN[action.action]));
  const plan = action.plan_markdown;
  // Several parts in one text would bring terms of their own along; an answer has one plan and no terms.
  if (!plan.startsWith("---")) return ok(refused("it does not begin with front matter"));
  const continues = action.continuation_of ?? undefined;
  if (continues !== undefined) {
    const before = await deps.work.doneBefore(continues, deps.clock.now());
    if (!before.ok) return before;
    if (before.value === null) return ok(refused("it goes on with work that has no results here"));
  }
  const text = planProposalText({ plan, tasks: [], standing: null, ...(continues === undefined ? {} : { continues }) });
  if (how === "replayed") {
    const known = await deps.approvals.all();
    if (!known.ok) return known;
    const same = known.value.findLast(({ markdown, createdAt }) => markdown === text && createdAt >= turn.beganAt);
    if (same !== undefined) return ok({ request_id: same.requestId, refused: null });
  }
  const asked = await deps.approvals.propose(text, { kind: "model", taint: turn.taint ?? "external" });
  if (asked.ok) return ok({ request_id: asked.value.request.requestId, refused: null });
  const fault = faultIn(asked.error);
  return fault === null ? ok(refused(wordsFor(asked.error))) : { ok: false, error: fault };
}

/** Only an approval begins anything, and nobody but the owner ends what runs. [FLOW-10] */
const WITHOUT_PLAN = {
  execute_next: "it says to go on, and nothing goes on without an approval of yours",
  abort: "it says to do nothing further",
} as const;

const refused = (reason: string) => ({ request_id: null, refused: reason });

const faultIn = (error: ProposeRefusal): StoreFault | null => ("retryable" in error ? error : null);
