import * as z from "zod/mini";

/** Telegram names accounts and chats by numbers; those of groups are negative. */
const account = z.string().check(z.regex(/^-?\d{1,20}$/));

/** What the audit chain says about the chat on Telegram: that somebody was not heard, and never what they wrote. */
export const telegramAuditSchemas = {
  /** Somebody who is not the owner wrote to the bot or pressed a button. Once for each of them. */
  telegram_stranger_ignored: z.strictObject({ account_id: account }),
  /** The owner wrote something there that looks like a secret. It was neither kept nor used. */
  telegram_secret_refused: z.strictObject({}),
} as const;

type TelegramEvent = keyof typeof telegramAuditSchemas;
type Sentences = { readonly [E in TelegramEvent]: (data: z.infer<(typeof telegramAuditSchemas)[E]>) => string };

export const telegramSentences: Sentences = {
  telegram_stranger_ignored: ({ account_id }) =>
    `Somebody else wrote to your bot on Telegram (account ${account_id}) and was not heard`,
  telegram_secret_refused: () => "Did not keep a message on Telegram that looks like a secret",
};
