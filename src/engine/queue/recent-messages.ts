import { LIMITS, ok, type Result } from "#base";
import type { DeadReason, QueueMessage } from "#model";
import { messageIn, type QueueText } from "./rows.ts";

type Added = { readonly message: QueueMessage; readonly text: string };

export type RecentMessages = ReturnType<typeof createRecentMessages>;

/**
 * The messages that this process added last. One that it leases itself need not be parsed again, as long as its row has the
 * very text that was written; every other text is parsed.
 */
export function createRecentMessages() {
  const added = new Map<string, Added>();
  return {
    keep(one: Added): void {
      if (added.size >= LIMITS.recentMessages) dropOldest(added);
      added.set(one.message.id, one);
    },
    /** The message of a row that was just leased. */
    take(id: string, row: QueueText): Result<QueueMessage, DeadReason> {
      const known = added.get(id);
      added.delete(id);
      return known?.text === row.message && known.message.kind === row.kind ? ok(known.message) : messageIn(row);
    },
  };
}

function dropOldest(added: Map<string, Added>): void {
  for (const id of added.keys()) return void added.delete(id);
}
