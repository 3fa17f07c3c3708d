import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { assert, err, ok, type Result } from "#base";
import {
  isExchangeOver,
  keptMessageFromWire,
  toldTurnFromWire,
  turnNewsFromWire,
  type Exchange,
  type ModelTriedBody,
  type StoppedTurnBody,
  type StoreFault,
  type Turn,
  type TurnAnswerBody,
  type TurnNews,
} from "#model";
import type { TalkDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** How often a running Silas is asked whether there is an answer. */
const LOOK_MS = 400;
/** A model may think for as long as its own limit allows before its first word. */
const FOLLOW_SILENCE_MS = 600_000;

/** What verbs do with answers. */
export type FollowedTalk = Pick<TalkDoor, "answered" | "tryModel" | "turnsOf" | "stop"> & {
  /** Hears one reply while it is written, until it is unfollowed. */
  follow(messageId: string, listener: (news: TurnNews) => void): () => void;
};

/** Answers of a running instance. What is set up there is asked of it and not read from this side. */
export function createHttpTalk(address: InstanceAddress): FollowedTalk {
  const call = async <T>(made: HttpCall): Promise<Result<T, StoreFault>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const exchangeOf = async (messageId: string): Promise<Result<Exchange | null, StoreFault>> => {
    const path = `/api/messages/turn?message_id=${encodeURIComponent(messageId)}`;
    const found = await call<TurnAnswerBody>({ method: "GET", path });
    return found.ok ? ok(read(found.value)) : found;
  };
  return {
    async turnsOf(messageIds) {
      const turns: Turn[] = [];
      for (const messageId of messageIds) {
        const found = await exchangeOf(messageId);
        if (!found.ok) return found;
        if (found.value !== null && found.value.turn !== null) turns.push(found.value.turn);
      }
      return ok(turns);
    },
    async answered(messageId) {
      for (;;) {
        const found = await exchangeOf(messageId);
        if (!found.ok || found.value === null || isExchangeOver(found.value)) return found;
        await wait(LOOK_MS);
      }
    },
    async stop(messageId) {
      const body = JSON.stringify({ message_id: messageId });
      const stopped = await call<StoppedTurnBody>({ method: "POST", path: "/api/messages/stop", body });
      return stopped.ok ? ok(stopped.value.outcome) : stopped;
    },
    follow(messageId, listener) {
      const ending = new AbortController();
      // Whatever is missed here is in the turn that `answered` reads.
      hearTurn(address, { messageId, listener, signal: ending.signal }).catch(() => {});
      return () => ending.abort();
    },
    async tryModel() {
      const tried = await call<ModelTriedBody>({ method: "POST", path: "/api/models/test", body: "{}" });
      if (!tried.ok) return err({ code: "model_failed" });
      if (!tried.value.answered) return err({ code: tried.value.failure });
      const { bytes_received: bytesReceived, tokens, understood: saidSo } = tried.value;
      return ok({ bytesReceived, tokens, saidSo });
    },
  };
}

type Following = {
  readonly messageId: string;
  readonly listener: (news: TurnNews) => void;
  readonly signal: AbortSignal;
};

async function hearTurn(address: InstanceAddress, { messageId, listener, signal }: Following): Promise<void> {
  const path = `/api/messages/stream?message_id=${encodeURIComponent(messageId)}`;
  const response = await callInstance(address, { method: "GET", path, silenceMs: FOLLOW_SILENCE_MS, signal });
  for await (const line of createInterface({ input: response, crlfDelay: Infinity })) {
    const news = turnNewsFromWire(JSON.parse(line));
    if (news !== null && !signal.aborted) listener(news);
  }
}

function read({ message: body, turn: turnBody }: TurnAnswerBody): Exchange | null {
  if (body === null) return null;
  const message = keptMessageFromWire(body);
  const turn = turnBody === null ? null : toldTurnFromWire(turnBody);
  assert(message !== null && (turn !== null || turnBody === null), "the running Silas answers with whole records");
  return { message, turn };
}
