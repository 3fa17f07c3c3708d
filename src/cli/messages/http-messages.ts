import { assert, ok, type Result } from "#base";
import {
  keptMessageFromWire,
  keptRequestFromWire,
  type AcknowledgedBody,
  type KeptMessage,
  type KeptRequestBody,
} from "#model";
import type { MessagesDoor } from "#ports";
import { createHttpTalk, type FollowedTalk } from "../models/http-talk.ts";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** What verbs do with messages. */
export type Messages = Pick<MessagesDoor, "say" | "list" | "endorse"> & {
  readonly talk: FollowedTalk;
};

/** The messages of a running instance: the same door as the local one. What is said is signed there. */
export function createHttpMessages(address: InstanceAddress): Messages {
  const call = async <T, E>(made: HttpCall): Promise<Result<T, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const post = <T, E>(path: string, value: object): Promise<Result<T, E>> =>
    call({ method: "POST", path, body: JSON.stringify(value) });
  return {
    talk: createHttpTalk(address),
    say: async (words) => {
      const said = await post<AcknowledgedBody, never>("/api/messages/say", words);
      return said.ok ? ok({ message: messageOf(said.value.message), reply: said.value.reply }) : said;
    },
    list: async ({ before, limit }) => {
      const after = before === null ? "" : `&before=${encodeURIComponent(before)}`;
      const path = `/api/messages?limit=${limit}${after}`;
      const listed = await call<{ readonly messages: readonly unknown[] }, never>({ method: "GET", path });
      return listed.ok ? ok(listed.value.messages.map(messageOf)) : listed;
    },
    endorse: async ({ messageId }) => {
      const asked = await post<ProposedBody, never>("/api/messages/endorse", { message_id: messageId });
      if (!asked.ok) return asked;
      const request = keptRequestFromWire(asked.value.request);
      assert(request !== null, "the running Silas answers with requests that are whole");
      return ok({ request, isNew: asked.value.is_new });
    },
  };
}

// Our own server wrote these.
type ProposedBody = { readonly request: KeptRequestBody; readonly is_new: boolean };

function messageOf(body: unknown): KeptMessage {
  const message = keptMessageFromWire(body);
  assert(message !== null, "the running Silas answers with messages that are whole");
  return message;
}
