import { oneLine } from "#base";
import type { SecretRefusal } from "../secret/secret-scan.ts";
import type { Words } from "../words.ts";
import type { KeptMessage, MessageRefusal } from "./message.ts";

type Table = {
  readonly [C in Exclude<MessageRefusal, SecretRefusal>["code"]]: (
    error: Extract<MessageRefusal, { readonly code: C }>,
  ) => Words;
};

const refused = (what: string, next: string): Words => ({ what, kept: "Nothing was changed.", next });
const LIST = "`silas messages` shows what there is.";

export const MESSAGE_WORDS: Table = {
  message_unknown: ({ messageId }) => refused(`There is no message ${oneLine(messageId)} here.`, LIST),
  message_settled: ({ messageId }) => refused(`The message ${oneLine(messageId)} has already been decided on.`, LIST),
  message_trusted: ({ messageId }) =>
    refused(`The message ${oneLine(messageId)} already counts as yours.`, "There is nothing to endorse."),
  message_not_accepted: ({ messageId, state }) =>
    refused(`The message ${oneLine(messageId)} is ${STATE_WORDS[state]}, so it cannot be endorsed.`, LIST),
};

const STATE_WORDS: { readonly [S in KeptMessage["state"]]: string } = {
  received: "still at its gates",
  waiting: "waiting for your decision",
  accepted: "accepted",
  blocked: "blocked",
};
