import { err, ok } from "#base";
import type { Turn } from "#model";
import type { QueueStore, TurnStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { mayMove, movedDrafts, newTurn } from "./drafts.ts";
import type { Begun } from "./turn-store.ts";

type Parts = { readonly recordAct: RecordAct; readonly queue: Pick<QueueStore, "enqueue"> };
export type MemoryTurns = TurnStore & {
  /** What the commit that accepts a message does besides. */
  readonly begin: (begun: Begun) => void;
};

/** The in-memory twin of the turn store: the same behaviour in the plainest code. */
export function createMemoryTurnStore({ recordAct, queue }: Parts): MemoryTurns {
  const turns = new Map<string, Turn>();
  return {
    begin({ message, question, at }) {
      const numbers = [...turns.values()].filter(({ scopeId }) => scopeId === message.scopeId);
      turns.set(message.messageId, newTurn({ message, turnNumber: numbers.length + 1 }, at));
      void queue.enqueue({ queue: "proxy_queue", message: question, at });
    },
    find: async (messageId) => ok(turns.get(messageId) ?? null),
    of: async (messageIds) => ok(messageIds.flatMap((id) => turns.get(id) ?? [])),
    move: async (change) => {
      const { messageId } = change.turn;
      const kept = turns.get(messageId);
      if (kept === undefined) return err({ code: "turn_unknown", messageId });
      if (!mayMove(kept, change)) return err({ code: "turn_moved_on", messageId, state: kept.state });
      for (const draft of movedDrafts(change)) recordAct(draft);
      turns.set(messageId, change.turn);
      return ok(change.turn);
    },
    tokensSince: async (at) =>
      ok(
        [...turns.values()]
          .filter(({ askedAt }) => askedAt !== null && askedAt >= at)
          .reduce((sum, { tokensUsed }) => sum + tokensUsed, 0),
      ),
  };
}
