import { askedMessage } from "#model";
import type { GivenBack, LeasedMessage } from "#ports";
import { UNUSED } from "../bus/held-leases.ts";
import { createQueueReader, type QueueReader } from "../bus/queue-reader.ts";
import type { TalkDeps } from "./deps.ts";
import { fail, runTurn, type Went } from "./run-turn.ts";

/**
 * Reads the queue of messages: the only way to an answer. Turns of a scope never overlap and keep their order; what one
 * of them does wrong is its own end, and the next is taken up all the same. [SCOPE-06] [SCOPE-08]
 */
export const createTurnReader = (deps: TalkDeps): QueueReader =>
  createQueueReader(deps, {
    name: "turn_runner",
    queue: "proxy_queue",
    act: (leased) => act(deps, leased),
    endDead: () => endDead(deps),
    halt: deps.halting.halt,
  });

/** Null when there is nothing left to do about the message. */
async function act(deps: TalkDeps, { message }: LeasedMessage): Promise<GivenBack | null> {
  const messageId = askedMessage(message);
  if (messageId === null) return { how: "hopeless", reason: "not_understood" };
  const went = await contained(deps, messageId);
  if (went === "over") return null;
  return went === "later" ? UNUSED : { how: "failed", reason: "handling_failed" };
}

async function contained(deps: TalkDeps, messageId: string): Promise<Went> {
  try {
    return await runTurn(deps, messageId);
  } catch (cause) {
    deps.log.error("turn_failed", { message_id: messageId, cause });
    return "broken";
  }
}

/** A turn about which nobody is told any more is not left as one that waits. */
async function endDead(deps: TalkDeps): Promise<void> {
  const dead = await deps.queue.deadLetters("proxy_queue");
  if (!dead.ok) return deps.log.error("queue_unreadable", dead.error);
  for (const { message } of dead.value) {
    const messageId = message === null ? null : askedMessage(message);
    const turn = messageId === null ? null : await deps.turns.find(messageId);
    if (turn === null || !turn.ok || turn.value === null || turn.value.endedAt !== null) continue;
    await fail(deps, { turn: turn.value, failure: "turn_given_up" });
  }
}
