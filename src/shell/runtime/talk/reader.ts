import { LIMITS } from "#base";
import { createReader, DONE, UNUSED, type LeasedMessage, type Outcome, type Reader } from "#engine";
import { deadWords, messageIdIn } from "#model";
import type { TalkDeps } from "./deps.ts";
import { fail, handleMessage } from "./run-turn.ts";

/**
 * Handles messages of people: the only way to a verdict of gates and to an answer. Turns of a scope never overlap and keep
 * their order; a turn that fails ends alone, and the next one goes on. [SCOPE-06] [SCOPE-08]
 */
export const createTurnReader = (deps: TalkDeps): Reader =>
  createReader(
    // A stop keeps a model from being asked; a message is judged by its gates all the same.
    { ...deps, isStopped: async () => false },
    {
      name: "main/turn_runner",
      kinds: ["user_message"],
      atOnce: LIMITS.turnsAtOnce,
      handle: (leased, lost) => handle(deps, leased, lost),
      endDead: () => endDead(deps),
      halt: deps.halting.halt,
    },
  );

async function handle(deps: TalkDeps, { message }: LeasedMessage, lost: AbortSignal): Promise<Outcome> {
  if (message.kind !== "user_message") return { how: "hopeless", reason: "not_understood" };
  const { messageId } = message.payload;
  lost.addEventListener("abort", () => deps.halting.leave(messageId));
  const went = await handleMessage(deps, messageId).catch((cause: unknown) => {
    deps.log.error("turn_failed", { message_id: messageId, cause });
    // Its records say how far it came, and so how it ends.
    return lost.aborted ? "later" : handleMessage(deps, messageId);
  });
  if (went === "over") {
    deps.feed.ended(messageId);
    return DONE;
  }
  return went === "later" ? UNUSED : { how: "failed", reason: "handling_failed" };
}

/**
 * A message that is dead on the queue is not left waiting, be it for its gates or for its answer. Its id tells which one it
 * is: its row may hold what this version cannot read.
 */
async function endDead(deps: TalkDeps): Promise<void> {
  for (const letter of deps.queue.dead()) {
    const messageId = messageIdIn(letter.id);
    if (messageId === null) continue;
    const message = await deps.messages.find(messageId);
    if (message.ok && message.value?.state === "received") {
      await deps.gating.giveUp(message.value, deadWords(letter));
      deps.feed.ended(messageId);
    }
    const turn = await deps.turns.find(messageId);
    if (!turn.ok || turn.value === null || turn.value.endedAt !== null) continue;
    await fail(deps, { turn: turn.value, failure: "turn_given_up" });
    deps.feed.ended(messageId);
  }
}
