import { setTimeout as wait } from "node:timers/promises";
import { assert, err, ok, type Result } from "#base";
import {
  isTurnOver,
  toldTurnFromWire,
  type ModelTriedBody,
  type StoreFault,
  type ToldTurnBody,
  type Turn,
  type TurnAnswerBody,
} from "#model";
import type { TalkDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** How often a running Silas is asked whether there is an answer. */
const LOOK_MS = 400;

/** Answers of a running instance. What is set up there is asked of it and not read from this side. */
export function createHttpTalk(address: InstanceAddress): Pick<TalkDoor, "answered" | "tryModel" | "turnsOf"> {
  const call = async <T>(made: HttpCall): Promise<Result<T, StoreFault>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const turnOf = async (messageId: string): Promise<Result<Turn | null, StoreFault>> => {
    const path = `/api/messages/turn?message_id=${encodeURIComponent(messageId)}`;
    const found = await call<TurnAnswerBody>({ method: "GET", path });
    return found.ok ? ok(found.value.turn === null ? null : read(found.value.turn)) : found;
  };
  return {
    async turnsOf(messageIds) {
      const turns: Turn[] = [];
      for (const messageId of messageIds) {
        const found = await turnOf(messageId);
        if (!found.ok) return found;
        if (found.value !== null) turns.push(found.value);
      }
      return ok(turns);
    },
    async answered(messageId) {
      for (;;) {
        const found = await turnOf(messageId);
        if (!found.ok || found.value === null || isTurnOver(found.value)) return found;
        await wait(LOOK_MS);
      }
    },
    async tryModel() {
      const tried = await call<ModelTriedBody>({ method: "POST", path: "/api/models/test", body: "{}" });
      if (!tried.ok) return err({ code: "model_failed" });
      if (!tried.value.answered) return err({ code: tried.value.failure });
      const { bytes_received: bytesReceived, tokens, understood: saidSo } = tried.value;
      return ok({ bytesReceived, tokensIn: tokens, tokensOut: 0, saidSo });
    },
  };
}

function read(body: ToldTurnBody): Turn {
  const turn = toldTurnFromWire(body);
  assert(turn !== null, "the running Silas answers with turns that are whole");
  return turn;
}
