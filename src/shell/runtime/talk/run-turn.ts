import { err, ok, type Result } from "#base";
import { asResult, converse } from "#engine";
import { isTurnOver, type KeptMessage, type StoreFault, type Taint, type Turn, type TurnFailure } from "#model";
import { conversationGates, deriveTaint, outputWindow, taintWithSources } from "#policy";
import {
  FALLBACK,
  isAnswered,
  messageItem,
  type Opening,
  plannerMessages,
  plannerSystem,
  PROPOSE_PLAN,
  readAnswer,
  renderContext,
  responseOf,
} from "#turn";
import type { TalkDeps } from "./deps.ts";
import { gather } from "./gather.ts";
import { LEFT, STOPPED } from "./halting.ts";
import { createReplyStream, type ReplyStream } from "./reply-stream.ts";
import { proposePlan, type Wanted } from "./propose-plan.ts";

/** `later`: nothing was done that cannot be done again, and it is not the fault of the turn. */
type Went = "over" | "later" | "broken";

/**
 * Takes one message from where it is kept to its end: its gates, then its turn. One that a gate stopped, or about which the
 * owner is asked, has no turn. [TURN-02]
 */
export async function handleMessage(deps: TalkDeps, messageId: string): Promise<Went> {
  const found = await deps.messages.find(messageId);
  if (!found.ok) return faulty(found.error);
  if (found.value === null) return "over";
  const judged = found.value.state === "received" ? await deps.gating.judge(found.value) : found;
  if (!judged.ok) return "retryable" in judged.error ? faulty(judged.error) : "later";
  return judged.value?.state === "accepted" ? runTurn(deps, judged.value) : "over";
}

/**
 * Takes the turn to its end. INVARIANT: the model is asked for a turn once. The turn says so before anything leaves; one
 * that is found there again has lost its answer, and is told so rather than asked again.
 */
async function runTurn(deps: TalkDeps, message: KeptMessage): Promise<Went> {
  const found = await deps.turns.find(message.messageId);
  if (!found.ok) return faulty(found.error);
  const turn = found.value;
  if (turn === null || isTurnOver(turn)) return "over";
  switch (turn.state) {
    case "asking":
      return fail(deps, { turn, failure: "turn_interrupted" });
    case "answered":
      return wentBy(await conclude(deps, { turn, how: "replayed" }));
    default:
      return begin(deps, { turn, message });
  }
}

const faulty = ({ retryable }: StoreFault): Went => (retryable ? "later" : "broken");
const wentBy = (done: Result<unknown, StoreFault>): Went => (done.ok ? "over" : faulty(done.error));

async function begin(deps: TalkDeps, { turn, message }: Preparing): Promise<Went> {
  const builtIn = builtInAnswer(deps, message);
  if (builtIn !== null) {
    const answer = JSON.stringify({ message: builtIn });
    const taint = taintWithSources(message.taint, message.sources);
    return wentBy(await conclude(deps, { turn: { ...turn, answer, taint }, how: "fresh", from: "waiting" }));
  }
  if (await deps.isStopped()) return "later";
  const prepared = await prepare(deps, { turn, message });
  if (!prepared.ok) return faulty(prepared.error);
  const held = await hold(deps, { turn, ...prepared.value });
  if (!held.ok) return faulty(held.error);
  const { outcome, asked, notKept, stopped, isLeft } = held.value;
  if (isLeft) return "later";
  if (outcome.kind === "not_begun") return notKept === null ? "over" : faulty(notKept);
  const { tokens: tokensUsed } = outcome;
  if (outcome.kind === "failed") {
    const { reply, failure } = stopped ?? { reply: null, failure: outcome.failure };
    return fail(deps, { turn: { ...asked, tokensUsed, reply }, failure });
  }
  const answer = JSON.stringify(responseOf(outcome));
  const kept: Turn = { ...asked, state: "answered", taint: outcome.taint, tokensUsed, answer };
  const answered = await deps.turns.move({ from: "asking", turn: kept, at: deps.clock.now() });
  if (!answered.ok) return "retryable" in answered.error ? faulty(answered.error) : "over";
  return wentBy(await conclude(deps, { turn: kept, how: "fresh" }));
}

/** What the built-in rules answer where no model is asked; null where one is. [TURN-26] */
function builtInAnswer({ models, settings }: TalkDeps, message: KeptMessage): string | null {
  if (!isAnswered(message, settings.ownerId)) return "It is not answered: it is not of your own conversation.";
  return models.setting.kind === "absent" ? "No AI model is connected, so nobody answers it yet." : null;
}

type Prepared = { readonly opening: Opening; readonly leftOut: readonly string[] };

/** Holds the conversation. The turn says that it is asked before anything leaves. */
async function hold(deps: TalkDeps, { turn, opening, leftOut }: Prepared & { readonly turn: Turn }) {
  const { messageId, scopeId } = turn;
  const { tokensPerDay } = deps.settings;
  const replies = await replyStream(deps, { turn, taint: opening.taint });
  if (!replies.ok) return replies;
  const { onText, shown } = replies.value;
  const halting = deps.halting.begin(messageId);
  let asked = turn;
  let notKept: StoreFault | null = null;
  const outcome = await asResult(
    converse(deps, {
      opening,
      subject: { subjectId: messageId, scopeId, messageId, tokensPerDay },
      signal: halting.signal,
      onText,
      async onBegin({ tokens }) {
        const { taint } = opening;
        const at = deps.clock.now();
        asked = { ...turn, state: "asking", askedAt: at, taint, leftOut: [...leftOut], tokensUsed: tokens };
        const moved = await deps.turns.move({ from: "waiting", turn: asked, at });
        if (!moved.ok && "retryable" in moved.error) notKept = moved.error;
        deps.onChanged();
        return moved.ok;
      },
    }),
  ).finally(halting.over);
  const { reason } = halting.signal;
  const stopped = reason === STOPPED ? { reply: shown() || null, failure: "turn_stopped" as const } : null;
  return outcome.ok ? ok({ outcome: outcome.value, asked, notKept, stopped, isLeft: reason === LEFT }) : outcome;
}

/** Shows the answer while it arrives, as far as the gates for answers let it. */
async function replyStream(
  { stream, gates, systemGates, feed }: TalkDeps,
  { turn, taint }: { readonly turn: Turn; readonly taint: Taint },
): Promise<Result<ReplyStream, StoreFault>> {
  const looked = await stream.look();
  if (!looked.ok) return looked;
  const itemGates = looked.value.kind === "in_force" ? conversationGates(looked.value.item) : [];
  const { messageId, scopeId } = turn;
  const window = looked.value.kind === "unverified" ? "whole" : outputWindow([...systemGates, ...itemGates]);
  const peek = (response: string) =>
    gates.peek({
      trigger: "every_agent_response",
      context: { response, values: { taint } },
      itemGates,
      actor: { kind: "system" },
      scopeId,
    });
  return ok(createReplyStream({ feed, peek, window, messageId }));
}

/** Ends a turn at the owner's wish: one that is asked through what asks for it, one that waits at once. */
export async function stopTurn(
  deps: TalkDeps,
  messageId: string,
): Promise<Result<"stopped" | "not_answering", StoreFault>> {
  if (deps.halting.stop(messageId)) return ok("stopped");
  const found = await deps.turns.find(messageId);
  if (!found.ok) return found;
  if (found.value?.state !== "waiting") return ok("not_answering");
  await fail(deps, { turn: found.value, failure: "turn_stopped" });
  deps.feed.ended(messageId);
  return ok("stopped");
}

type Preparing = { readonly turn: Turn; readonly message: KeptMessage };

/** The whole question, and how far what is made of it can be trusted. */
async function prepare(deps: TalkDeps, { turn, message }: Preparing): Promise<Result<Prepared, StoreFault>> {
  const { constitution, context, outputTokensMax } = deps.settings;
  const gathered = await gather(deps, message);
  if (!gathered.ok) return gathered;
  const now = messageItem({ message, turnNumber: turn.turnNumber });
  const { shown, taint, leftOut } = renderContext(gathered.value.items, context);
  const missing = leftOut.length;
  return ok({
    opening: {
      purpose: "planner",
      system: plannerSystem(constitution),
      messages: plannerMessages(shown, now),
      tools: [PROPOSE_PLAN],
      taint: deriveTaint([{ taint }, now]),
      outputTokensMax,
    },
    leftOut: [
      ...gathered.value.leftOut,
      ...(missing === 0 ? [] : [`${missing} older ${missing === 1 ? "part" : "parts"} of the conversation (no room)`]),
    ],
  });
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

type Concluding = Pick<Wanted, "turn" | "how"> & {
  /** Where the turn is; an answer of a model is kept before it is concluded. */
  readonly from?: "answered" | "waiting";
};

/**
 * What follows from an answer that is kept: its words pass the gates for answers, its plan is put to the owner, and the
 * turn ends. Doing it again after a crash finds what was done. An answer that a gate holds back starts nothing. [TURN-03]
 */
async function conclude(
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
