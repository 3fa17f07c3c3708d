import * as z from "zod/mini";
import { hostField } from "../egress/egress-audit.ts";
import { egressReason } from "../egress/egress-words.ts";

/** Telegram names accounts and chats by numbers; those of groups are negative. */
const account = z.string().check(z.regex(/^-?\d{1,20}$/));

const count = z.int().check(z.gte(0));
const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));

/**
 * The audit chain about the chat on Telegram: where Silas connects for it and how much passes, that somebody was not
 * heard, and never what anybody wrote.
 */
export const telegramAuditSchemas = {
  /** Before the first byte leaves for the Bot API. */
  telegram_egress_opened: z.strictObject({ host: hostField }),
  telegram_egress_ended: z.strictObject({
    host: hostField,
    requests: count,
    bytes_sent: count,
    bytes_received: count,
  }),
  telegram_egress_refused: z.strictObject({ host: z.nullable(hostField), reason: code }),
  /** Somebody who is not the owner wrote to the bot or pressed a button. Once for each of them. */
  telegram_stranger_ignored: z.strictObject({ account_id: account }),
  /** The owner wrote something there that looks like a secret. It was neither kept nor used. */
  telegram_secret_refused: z.strictObject({}),
} as const;

type TelegramEvent = keyof typeof telegramAuditSchemas;
type Sentences = { readonly [E in TelegramEvent]: (data: z.infer<(typeof telegramAuditSchemas)[E]>) => string };

export const telegramSentences: Sentences = {
  telegram_egress_opened: ({ host }) => `Connected to Telegram at ${host}`,
  telegram_egress_ended: ({ host, bytes_sent, bytes_received }) =>
    `Sent ${bytes_sent} and received ${bytes_received} bytes for Telegram at ${host}`,
  telegram_egress_refused: ({ host, reason }) =>
    `Did not reach Telegram${host === null ? "" : ` at ${host}`} (${egressReason(reason)})`,
  telegram_stranger_ignored: ({ account_id }) =>
    `Somebody else wrote to your bot on Telegram (account ${account_id}) and was not heard`,
  telegram_secret_refused: () => "Did not keep a message on Telegram that looks like a secret",
};
