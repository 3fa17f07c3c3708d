import { err, LIMITS, ok, type Result } from "#base";
import type { KeptMessage, MessageRefusal, NonceAnswer, NonceSpending } from "#model";
import type { MessageStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { MemoryTurns } from "../turns/memory-turn-store.ts";
import { endorsedDraft, isOpen, receivedDrafts, settledDrafts } from "./drafts.ts";

export type MemoryMessageParts = {
  readonly spendNow: (spending: NonceSpending) => NonceAnswer;
  readonly recordAct: RecordAct;
  readonly beginTurn?: MemoryTurns["begin"];
};

/** The in-memory twin of the message store: the same behaviour in the plainest code. */
export function createMemoryMessageStore({ spendNow, recordAct, beginTurn }: MemoryMessageParts): MessageStore {
  const messages = new Map<string, KeptMessage>();
  const newestFirst = () => [...messages.values()].toSorted((a, b) => (a.messageId < b.messageId ? 1 : -1));
  const known = (messageId: string): Result<KeptMessage, MessageRefusal> => {
    const message = messages.get(messageId);
    return message === undefined ? err({ code: "message_unknown", messageId }) : ok(message);
  };
  const keep = (message: KeptMessage): KeptMessage => {
    messages.set(message.messageId, message);
    return message;
  };
  return {
    receive: async ({ first, replay, actor }) => {
      const message = replay === null || spendNow(replay.spending) === "fresh" ? first : replay.message;
      for (const draft of receivedDrafts(message, actor)) recordAct(draft);
      return ok(keep(message));
    },
    settle: async (settlement) => {
      const { messageId, state, text, gate } = settlement;
      const found = known(messageId);
      if (!found.ok) return found;
      if (!isOpen(found.value, state)) return err({ code: "message_settled", messageId });
      for (const draft of settledDrafts(settlement)) recordAct(draft);
      const { question, at } = settlement;
      if (state === "accepted" && question !== undefined) beginTurn?.({ message: found.value, question, at });
      return ok(keep({ ...found.value, state, text, gate }));
    },
    find: async (messageId) => ok(messages.get(messageId) ?? null),
    list: async ({ scopeId, before, limit }) =>
      ok(
        newestFirst()
          .filter((message) => message.scopeId === scopeId && (before === null || message.messageId < before))
          .slice(0, Math.min(limit, LIMITS.pageRows)),
      ),
    unsettled: async () =>
      ok(
        newestFirst()
          .filter(({ state }) => state === "received" || state === "waiting")
          .toReversed(),
      ),
    endorse: async (endorsing) => {
      const { messageId, tokenId, at } = endorsing;
      const found = known(messageId);
      if (!found.ok || found.value.endorsed !== null) return found;
      recordAct(endorsedDraft(endorsing));
      return ok(keep({ ...found.value, taint: "owner", endorsed: { token_id: tokenId, at } }));
    },
  };
}
