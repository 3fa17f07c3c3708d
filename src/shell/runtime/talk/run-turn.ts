import { estimateTokens, ok, type Result } from "#base";
import { isTurnOver, type KeptMessage, type StoreFault, type Turn, type TurnFailure } from "#model";
import { deriveTaint } from "#policy";
import { messageItem, plannerPrompt, plannerSystem, renderContext } from "#turn";
import { askStructured } from "./ask-model.ts";
import { conclude } from "./conclude.ts";
import { hasRoom } from "./day-tokens.ts";
import type { TalkDeps } from "./deps.ts";
import { gather } from "./gather.ts";

/** `later`: nothing was done that cannot be done again, and it is not the fault of the turn. */
type Went = "over" | "later" | "broken";

/**
 * Takes one turn from where it is kept to its end. INVARIANT: the model is asked for a turn once. The turn says so before
 * anything leaves; one that is found there again has lost its answer, and is told so rather than asked again.
 */
export async function runTurn(deps: TalkDeps, messageId: string): Promise<Went> {
  const found = await deps.turns.find(messageId);
  if (!found.ok) return faulty(found.error);
  const turn = found.value;
  if (turn === null || isTurnOver(turn)) return "over";
  switch (turn.state) {
    case "asking":
      return fail(deps, { turn, failure: "turn_interrupted" });
    case "answered":
      return wentBy(await conclude(deps, { turn, how: "replayed" }));
    default:
      return begin(deps, turn);
  }
}

const faulty = ({ retryable }: StoreFault): Went => (retryable ? "later" : "broken");
const wentBy = (done: Result<unknown, StoreFault>): Went => (done.ok ? "over" : faulty(done.error));

async function begin(deps: TalkDeps, turn: Turn): Promise<Went> {
  if (await deps.isStopped()) return "later";
  const message = await deps.messages.find(turn.messageId);
  if (!message.ok) return faulty(message.error);
  // Whatever its row says now, only what passed its gates is shown to anybody.
  if (message.value === null || message.value.state !== "accepted") return "broken";
  const question = await prepare(deps, { turn, message: message.value });
  if (!question.ok) return faulty(question.error);
  const { asking, reserved, leftOut } = question.value;
  if (!(await hasRoom(deps, { tokens: reserved, tokensPerDay: deps.settings.tokensPerDay })))
    return fail(deps, { turn, failure: "model_budget_spent" });
  const at = deps.clock.now();
  const asked: Turn = { ...turn, state: "asking", askedAt: at, taint: asking.taint, leftOut, tokensUsed: reserved };
  const moved = await deps.turns.move({ from: "waiting", turn: asked, at });
  if (!moved.ok) return "retryable" in moved.error ? faulty(moved.error) : "over";
  deps.onChanged();
  const answer = await askStructured(deps, asking);
  if (!answer.ok) {
    const { code, tokens: tokensUsed } = answer.error;
    const failure = deps.halting.isStopped(turn.messageId) ? "turn_stopped" : code;
    return fail(deps, { turn: { ...asked, tokensUsed }, failure });
  }
  const kept: Turn = {
    ...asked,
    state: "answered",
    tokensUsed: answer.value.tokens,
    answer: JSON.stringify(answer.value.response),
  };
  const answered = await deps.turns.move({ from: "asking", turn: kept, at: deps.clock.now() });
  if (!answered.ok) return "retryable" in answered.error ? faulty(answered.error) : "over";
  return wentBy(await conclude(deps, { turn: kept, how: "fresh" }));
}

type Preparing = { readonly turn: Turn; readonly message: KeptMessage };

/** The whole question, how far what is made of it can be trusted, and what it may cost at most. */
async function prepare(deps: TalkDeps, { turn, message }: Preparing) {
  const { constitution, context, outputTokensMax } = deps.settings;
  const gathered = await gather(deps, message);
  if (!gathered.ok) return gathered;
  const now = messageItem({ message, turnNumber: turn.turnNumber });
  const system = plannerSystem(constitution);
  const shown = renderContext(gathered.value.items, context);
  const prompt = plannerPrompt(shown.text, now);
  const missing = shown.leftOut.length;
  const leftOut = [
    ...gathered.value.leftOut,
    ...(missing === 0 ? [] : [`${missing} older ${missing === 1 ? "part" : "parts"} of the conversation (no room)`]),
  ];
  return ok({
    asking: { messageId: message.messageId, system, prompt, taint: deriveTaint([shown, now]), outputTokensMax },
    // Twice, in case it has to be asked once more.
    reserved: 2 * (estimateTokens(system.length + prompt.length) + outputTokensMax),
    leftOut,
  });
}

/** Ends a turn at the owner's wish: one that waits at once, one that asks through what asks for it. */
export async function stopTurn(
  deps: TalkDeps,
  messageId: string,
): Promise<Result<"stopped" | "not_answering", StoreFault>> {
  const found = await deps.turns.find(messageId);
  if (!found.ok) return found;
  const turn = found.value;
  if (turn?.state !== "waiting" && turn?.state !== "asking") return ok("not_answering");
  deps.halting.stop(messageId);
  if (turn.state === "waiting") {
    await fail(deps, { turn, failure: "turn_stopped" });
    deps.feed.ended(messageId);
  }
  return ok("stopped");
}

type Failing = { readonly turn: Turn; readonly failure: TurnFailure };

/** There is no reply, and the reason is kept: nobody waits for what does not come. */
export async function fail(deps: TalkDeps, { turn, failure }: Failing): Promise<Went> {
  const found = await deps.turns.find(turn.messageId);
  if (!found.ok) return faulty(found.error);
  const at = deps.clock.now();
  const failed: Turn = { ...turn, state: "failed", failure, endedAt: at };
  const moved = await deps.turns.move({ from: found.value?.state ?? "waiting", turn: failed, at });
  deps.onChanged();
  return !moved.ok && "retryable" in moved.error ? faulty(moved.error) : "over";
}
