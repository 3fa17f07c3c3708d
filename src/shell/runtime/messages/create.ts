import type { Config } from "#model";
import { ladderOf, type NonceWindow } from "#policy";
import type { Clock, Log, MessagesDoor, NonceStore, Timers } from "#ports";
import type { MessagesDeps } from "./deps.ts";
import { createMessagesDoor } from "./door.ts";
import { startNoncePruning } from "./nonce-pruning.ts";

export type MessagesParts = Omit<MessagesDeps, "settings" | "systemGates"> & { readonly config: Config };

/** Messages as the configuration wants them. No goal is active yet, so there are no levels but the first. */
export function createMessages({ config, ...deps }: MessagesParts): MessagesDoor {
  return createMessagesDoor({
    ...deps,
    systemGates: config.gates.system,
    settings: { ownerId: config.ownerId, window: windowOf(config), ladder: ladderOf({}) },
  });
}

export type MessagesLifeParts = {
  readonly messages: Pick<MessagesDoor, "resume">;
  readonly nonces: NonceStore;
  readonly config: Config;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
};

/** What goes on beside the messages while Silas runs; answers with the way to stop it. */
export function startMessagesLife({ messages, config, log, ...deps }: MessagesLifeParts): () => void {
  const intervalMs = config.nonceStore.pruneIntervalMinutes * 60_000;
  const stop = startNoncePruning({ ...deps, log, window: windowOf(config), intervalMs });
  void makeUp(messages, log);
  return stop;
}

async function makeUp(messages: Pick<MessagesDoor, "resume">, log: Log): Promise<void> {
  const done = await messages.resume();
  if (!done.ok) log.error("messages_not_resumed", done.error);
}

const windowOf = ({ nonceStore, messages }: Config): NonceWindow => ({
  ttlMs: nonceStore.ttlMinutes * 60_000,
  freshnessMs: messages.freshnessMinutes * 60_000,
});
