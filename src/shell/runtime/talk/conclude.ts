import { err, ok, type Result } from "#base";
import type { StoreFault, Turn } from "#model";
import { conversationGates } from "#policy";
import { FALLBACK, readAnswer } from "#turn";
import type { TalkDeps } from "./deps.ts";
import { proposePlan, type Wanted } from "./propose-plan.ts";

type Concluding = Pick<Wanted, "turn" | "how"> & {
  /** Where the turn is; an answer of a model is kept before it is concluded. */
  readonly from?: "answered" | "waiting";
};

/**
 * What follows from an answer that is kept: its words pass the gates for answers, its plan is put to the owner, and the
 * turn ends. Doing it again after a crash finds what was done. An answer that a gate holds back starts nothing. [TURN-03]
 */
export async function conclude(
  deps: TalkDeps,
  { turn, how, from = "answered" }: Concluding,
): Promise<Result<void, StoreFault>> {
  const read = readAnswer(turn.answer ?? "");
  const response = read.ok ? read.value : FALLBACK;
  const passed = await throughGates(deps, { turn, words: response.message });
  if (!passed.ok) return passed;
  const reply = passed.value;
  const action = response.plan_action ?? null;
  const plan = reply === null || action === null ? ok(null) : await proposePlan(deps, { action, turn, how });
  if (!plan.ok) return plan;
  const at = deps.clock.now();
  // What was said before the gates is kept for as long as it could be needed, and no longer. [TURN-31]
  const said = { answer: null, reply: reply ?? HELD_BACK, plan: plan.value };
  const ended: Turn = { ...turn, ...said, state: "ended", endedAt: at };
  const moved = await deps.turns.move({ from, turn: ended, at });
  deps.onChanged();
  return !moved.ok && "retryable" in moved.error ? err(moved.error) : ok();
}

const HELD_BACK = "An answer was held back by a gate.";

type Spoken = { readonly turn: Turn; readonly words: string };

/** What the gates leave of it; null when they hold it back, and when nobody can say by which gates it is judged. */
async function throughGates(
  { gates, stream }: TalkDeps,
  { turn, words }: Spoken,
): Promise<Result<string | null, StoreFault>> {
  const looked = await stream.look();
  if (!looked.ok) return looked;
  if (looked.value.kind === "unverified") return ok(null);
  const outcome = await gates.run({
    trigger: "every_agent_response",
    context: { response: words, values: { taint: turn.taint ?? "external" } },
    itemGates: looked.value.kind === "in_force" ? conversationGates(looked.value.item) : [],
    actor: { kind: "system" },
    scopeId: turn.scopeId,
  });
  return ok(outcome.verdict === "continue" ? (outcome.context.response ?? null) : null);
}
