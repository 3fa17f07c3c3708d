import { ok, type Result } from "#base";
import { ON_TELEGRAM, wordsFor, type SecretRefusal, type StoreFault } from "#model";
import type { RateWindow } from "../web/rate-window.ts";
import type { Answers } from "./answers.ts";
import type { BotMessage, BotPress, BotUpdate } from "./bot-wire.ts";
import { parseButtonData, parseWrittenAnswer } from "./button-data.ts";
import { linkTo, said } from "./card-text.ts";
import { say, type Chat, type Work } from "./chat.ts";

export type Hearing = {
  readonly chat: Chat;
  readonly answers: Answers;
  readonly lane: Work;
  readonly rate: RateWindow;
};

type Done = Promise<Result<void, StoreFault>>;

/**
 * One update. Only the owner's account in its own chat is heard; nobody else gets a word, or a sign that somebody reads.
 * A fault leaves the update where it is: it comes again.
 */
export async function hear(hearing: Hearing, { updateId, content }: BotUpdate): Done {
  const { chat } = hearing;
  const heard = { place: chat.place, updateId, at: chat.clock.now() };
  const next = await chat.store.nextUpdate(chat.place, heard.at);
  if (!next.ok) return next;
  if (updateId < next.value) return ok();
  const from = content?.message?.from ?? content?.callback_query?.from;
  if (from !== undefined && String(from.id) !== chat.chatId) {
    const ignored = await chat.store.ignoreStranger({ accountId: String(from.id), at: heard.at });
    return ignored.ok ? chat.store.pass(heard) : ignored;
  }
  const text = content?.message === undefined ? null : await hearMessage(hearing, content.message);
  if (text !== null && !text.ok) return text;
  if (text !== null && text.value !== null) {
    const kept = await chat.store.keep({ ...heard, text: text.value });
    hearing.lane.look();
    return kept.ok ? ok() : kept;
  }
  const pressed = content?.callback_query === undefined ? ok() : await hearPress(hearing, content.callback_query);
  return pressed.ok ? chat.store.pass(heard) : pressed;
}

/** The words to be kept; null when there is nothing more to do. */
async function hearMessage(hearing: Hearing, message: BotMessage): Promise<Result<string | null, StoreFault>> {
  const { chat, answers, rate } = hearing;
  const { from, chat: where, text } = message;
  // In a group the owner's account writes for others to read; and what nobody sent is nobody's.
  if (from === undefined || String(where.id) !== chat.chatId || where.type !== "private") return ok(null);
  if (isSomebodyElses(message)) return reply(chat, FORWARDED);
  if (text === undefined) return reply(chat, NO_TEXT);
  if (text === "/start") return reply(chat, GREETING);
  const answer = parseWrittenAnswer(text);
  if (answer !== null) {
    const decided = await answers.written(answer);
    return decided.ok ? reply(chat, decided.value) : decided;
  }
  const scan = await chat.findSecrets(text);
  if (!scan.ok) {
    const refusal: SecretRefusal = { code: "secret_scan_failed", reason: scan.error };
    return reply(chat, wordsFor(refusal));
  }
  const isSecret = scan.value.length > 0 ? ok(true) : await isAskedFor(chat, text);
  if (!isSecret.ok) return isSecret;
  if (isSecret.value) return refuseSecret(chat);
  const may = rate.take(chat.chatId);
  if (!may.allowed)
    return reply(chat, `Too much at once; write again in ${Math.ceil(may.retryAfterMs / 1000)} seconds.`);
  return ok(text);
}

const isSomebodyElses = ({ forward_origin, forward_date, via_bot, sender_chat }: BotMessage): boolean =>
  [forward_origin, forward_date, via_bot, sender_chat].some((mark) => mark !== undefined);

const FORWARDED =
  "This was forwarded or written by a bot, so these are not your words. Silas takes only what you write.";
const NO_TEXT = "Only text is read here. Nothing of this was kept.";
const GREETING =
  "This chat is connected to your Silas. Write to it, and decide here what it asks. Secrets are typed on the page only.";

/** Always null: nothing is left to be kept. */
async function reply(chat: Chat, words: string): Promise<Result<null, StoreFault>> {
  await say(chat, said(words));
  return ok(null);
}

/** While a secret is asked for, one long word is taken for it. */
async function isAskedFor(chat: Chat, text: string): Promise<Result<boolean, StoreFault>> {
  if (!ONE_LONG_WORD.test(text)) return ok(false);
  const asked = await chat.secrets.pending();
  return asked.ok ? ok(asked.value.length > 0) : asked;
}
const ONE_LONG_WORD = /^\s*\S{8,}\s*$/;

/** It was on its way through Telegram already; here it goes no further. [SECRET-11] */
async function refuseSecret(chat: Chat): Promise<Result<null, StoreFault>> {
  const at = chat.clock.now();
  await chat.audit.append({ event: "telegram_secret_refused", data: {}, at, actor: ON_TELEGRAM });
  const asked = await chat.secrets.pending();
  const [only, ...others] = asked.ok ? asked.value : [];
  const isOne = only !== undefined && others.length === 0;
  const path = isOne ? `/secrets/${encodeURIComponent(only.refId)}` : "/review";
  return reply(
    chat,
    `This looks like a secret, so it was not kept. Delete it here, and replace it where it is used. Secrets are typed on the page:\n${linkTo(chat.page, path)}`,
  );
}

async function hearPress({ chat, answers }: Hearing, { id, data, message }: BotPress): Done {
  const parsed = parseButtonData(data ?? "");
  const isHere = message !== undefined && String(message.chat.id) === chat.chatId;
  if (parsed === null || !isHere) {
    await chat.api.answerPress(id, "This button is not one of Silas's.");
    return ok();
  }
  const decided = await answers.pressed({ ...parsed, messageId: message.message_id });
  if (!decided.ok) return decided;
  // Too late for a sign on the button, or nobody waits for it: what was decided is decided.
  await chat.api.answerPress(id, decided.value);
  return ok();
}
