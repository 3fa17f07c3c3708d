import { err, ok } from "#base";
import { withheld } from "#model";
import type { ReviewFeed, StopStore, TalkDoor } from "#ports";
import { textMessage } from "#turn";
import { stoppedFact } from "../stop/stoppable.ts";
import type { TalkConfig, TalkDeps } from "./deps.ts";
import { asResult, converse, createTurnFeed, type Reader } from "#engine";
import { createHalting } from "./halting.ts";
import { createTurnReader } from "./reader.ts";
import { stopTurn } from "./run-turn.ts";

export type TalkParts = Omit<
  TalkDeps,
  | "settings"
  | "bus"
  | "turns"
  | "calls"
  | "messages"
  | "memories"
  | "work"
  | "queue"
  | "isStopped"
  | "onChanged"
  | "halting"
  | "feed"
  | "systemGates"
> & {
  readonly config: TalkConfig;
  readonly stores: Pick<TalkDeps, "turns" | "calls" | "messages" | "memories" | "work" | "queue"> & {
    readonly stops: StopStore;
  };
  readonly review: Pick<ReviewFeed, "shownChanged" | "onStopChanged">;
};
export type Talk = TalkDoor & {
  /** Handles what waits, from now on and whenever a message comes or everything is let go on after a stop. */
  start(): void;
  close(): Promise<void>;
};

/** Answers of a model, if one is set up; otherwise nothing is asked, and whoever speaks is told so. */
export function createTalk({ config, stores, review, ...parts }: TalkParts): Talk {
  const { models } = parts;
  const { turns, calls, messages, memories, work, queue, stops } = stores;
  const { bus } = config;
  const [isStopped, halting] = [stoppedFact(stops), createHalting()];
  const feed = createTurnFeed(parts);
  const kept = {
    turns,
    calls,
    messages,
    memories,
    work,
    queue,
    isStopped,
    halting,
    feed,
    onChanged: review.shownChanged,
  };
  const deps: TalkDeps = { ...parts, ...kept, bus, systemGates: config.gates.system, settings: settingsOf(config) };
  const reader = createTurnReader(deps);
  let unsubscribe: (() => void) | null = null;
  return {
    setting: models.setting,
    turnsOf: turns.of,
    subscribe: feed.subscribe,
    stop: (messageId) => stopTurn(deps, messageId),
    async answered(messageId) {
      await reader.idle();
      return exchangeOf(deps, messageId);
    },
    exchangeOf: (messageId) => exchangeOf(deps, messageId),
    tryModel: () => tryModel(deps),
    start() {
      unsubscribe ??= review.onStopChanged(() => void lookAgain(deps, reader));
      reader.start();
    },
    async close() {
      unsubscribe?.();
      await reader.close();
    },
  };
}

async function exchangeOf({ messages, turns }: TalkDeps, messageId: string): ReturnType<TalkDoor["exchangeOf"]> {
  const message = await messages.find(messageId);
  if (!message.ok) return message;
  if (message.value === null) return ok(null);
  const turn = await turns.find(messageId);
  if (!turn.ok) return turn;
  const shown = message.value.state === "received" ? withheld(message.value) : message.value;
  return ok({ message: shown, turn: turn.value });
}

async function lookAgain({ isStopped, halting }: TalkDeps, reader: Pick<Reader, "retry">): Promise<void> {
  if (await isStopped()) halting.halt();
  else await reader.retry();
}

/** Nothing of the owner is in it. */
async function tryModel(deps: TalkDeps): ReturnType<TalkDoor["tryModel"]> {
  const halting = deps.halting.begin("probe");
  const asked = converse(deps, {
    opening: {
      purpose: "probe",
      system: ["You are asked whether you can be reached."],
      messages: [textMessage("user", "Answer with the one word: ready")],
      tools: [],
      taint: "owner",
      outputTokensMax: 64,
    },
    subject: {
      subjectId: null,
      scopeId: deps.settings.ownerId,
      messageId: null,
      tokensPerDay: deps.settings.tokensPerDay,
    },
    signal: halting.signal,
  }).finally(halting.over);
  const held = await asResult(asked);
  if (!held.ok) return err({ code: "model_not_recorded" });
  const outcome = held.value;
  if (outcome.kind !== "said") return err({ code: outcome.kind === "failed" ? outcome.failure : "model_interrupted" });
  return ok({ bytesReceived: outcome.bytesReceived, tokens: outcome.tokens, saidSo: /ready/i.test(outcome.text) });
}

function settingsOf({ ownerId, models, context, memory, personality }: TalkConfig): TalkDeps["settings"] {
  const { totalTokens, systemMax, profiles, defaultProfile } = context;
  const shares = profiles[defaultProfile] ?? { chroniclePct: 0, memoryPct: 0, workspacePct: 0 };
  return {
    ownerId,
    constitution: personality.constitution,
    context: { totalTokens, systemMax, shares },
    memoriesMax: memory.retrievalMaxResults,
    outputTokensMax: models.maxOutputTokens,
    tokensPerDay: models.tokensPerDay,
  };
}
