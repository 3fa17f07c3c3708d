import type { Job } from "#engine";
import type { Config } from "#model";
import { pruneBefore, type NonceWindow } from "#policy";
import type { Clock, Log, MessagesDoor, NonceStore } from "#ports";
import type { SystemGatesParts } from "../gates/system-gates.ts";
import { createTalk, type Talk, type TalkParts } from "../talk/create.ts";
import type { TalkConfig } from "../talk/deps.ts";
import type { MessagesDeps } from "./deps.ts";
import { createConnections } from "./connections.ts";
import { createMessagesDoor } from "./door.ts";
import { createGating } from "./gating.ts";

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
  const own = { ...deps, store, settings, systemGates: config.gates.system, onChanged: deps.review.shownChanged };
  const judging = { ...own, connections: createConnections(own) };
  const talk = createTalk({ ...deps, config, stores, gating: createGating(judging) });
  return { ...createMessagesDoor({ ...judging, decisions, suggestions, talk }), talk };
}

type NonceParts = {
  readonly nonces: NonceStore;
  readonly config: Pick<Config, "nonceStore" | "messages">;
  readonly clock: Clock;
  readonly log: Log;
};

/** Forgets nonces that no message can bring again. [NONCE-06] */
export function nonceJob({ nonces, config, clock, log }: NonceParts): Job {
  const run = async (): Promise<void> => {
    const pruned = await nonces.prune(pruneBefore(clock.now(), windowOf(config)));
    if (!pruned.ok) log.warn("nonce_pruning_failed", pruned.error);
  };
  return { everyMinutes: config.nonceStore.pruneIntervalMinutes, run };
}

const windowOf = ({ nonceStore, messages }: Pick<Config, "nonceStore" | "messages">): NonceWindow => ({
  ttlMs: nonceStore.ttlMinutes * 60_000,
  freshnessMs: messages.freshnessMinutes * 60_000,
});
