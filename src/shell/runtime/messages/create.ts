import type { Config } from "#model";
import type { NonceWindow } from "#policy";
import type { Clock, Log, MessagesDoor, NonceStore, Timers } from "#ports";
import type { SystemGatesParts } from "../gates/system-gates.ts";
import { createTalk, type Talk, type TalkParts } from "../talk/create.ts";
import type { TalkConfig } from "../talk/deps.ts";
import type { MessagesDeps } from "./deps.ts";
import { createConnections } from "./connections.ts";
import { createMessagesDoor } from "./door.ts";
import { createGating } from "./gating.ts";
import { startNoncePruning } from "./nonce-pruning.ts";

type MessagesConfig = Pick<Config, "ownerId" | "nonceStore" | "messages"> &
  Pick<SystemGatesParts["config"], "gates"> &
  TalkConfig;
type MessagesParts = Omit<
  MessagesDeps,
  "settings" | "systemGates" | "talk" | "store" | "decisions" | "suggestions" | "onChanged"
> &
  Omit<TalkParts, "stores" | "config" | "gating"> & {
    readonly config: MessagesConfig;
    readonly stores: TalkParts["stores"] & {
      readonly messages: MessagesDeps["store"];
      readonly approvals: MessagesDeps["decisions"];
      readonly suggestions: MessagesDeps["suggestions"];
    };
  };
export type Messages = MessagesDoor & { readonly talk: Talk };

/** Messages as the configuration wants them, the goal that is in force beside it, and whoever answers them. */
export function createMessages({ config, stores, ...deps }: MessagesParts): Messages {
  const settings = { ownerId: config.ownerId, window: windowOf(config) };
  const { messages: store, approvals: decisions, suggestions } = stores;
  const own = { ...deps, store, settings, systemGates: config.gates.system, onChanged: deps.review.changed };
  const judging = { ...own, connections: createConnections(own) };
  const talk = createTalk({ ...deps, config, stores, gating: createGating(judging) });
  return { ...createMessagesDoor({ ...judging, decisions, suggestions, talk }), talk };
}

type MessagesLifeParts = {
  readonly messages: Pick<Messages, "talk">;
  readonly nonces: NonceStore;
  readonly config: Config;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
};

/** What goes on beside the messages while Silas runs; answers with the way to stop it. */
export function startMessagesLife({ messages, config, log, ...deps }: MessagesLifeParts): () => Promise<void> {
  const intervalMs = config.nonceStore.pruneIntervalMinutes * 60_000;
  const stop = startNoncePruning({ ...deps, log, window: windowOf(config), intervalMs });
  messages.talk.start();
  return async () => {
    stop();
    await messages.talk.close();
  };
}

const windowOf = ({ nonceStore, messages }: Pick<Config, "nonceStore" | "messages">): NonceWindow => ({
  ttlMs: nonceStore.ttlMinutes * 60_000,
  freshnessMs: messages.freshnessMinutes * 60_000,
});
