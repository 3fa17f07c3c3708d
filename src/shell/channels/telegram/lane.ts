import { neutralise, ok, type Result } from "#base";
import { ON_TELEGRAM, sentMessageSchema, turnEndWords, type ArrivedText, type StoreFault } from "#model";
import type { Sender } from "#ports";
import { MESSAGE_CHARS, said } from "./card-text.ts";
import { createWork, pause, say, type Chat, type Work } from "./chat.ts";

/**
 * Words of the owner, one after the other, the way every message goes: kept, judged by gates, answered. Decisions do not
 * wait behind them.
 */
export function createLane(chat: Chat): Work {
  const work = createWork(chat, async () => {
    for (;;) {
      const next = await chat.store.oldest(chat.place);
      if (next.ok && next.value === null) return;
      const done = next.ok && next.value !== null ? await handle(chat, next.value) : next;
      if (chat.ending.aborted) return;
      if (done.ok) continue;
      // It stays where it is kept, and is tried again.
      chat.log.error("telegram_text_failed", done.error);
      await pause(chat, TRY_AGAIN_MS);
    }
  });
  return work;
}
const TRY_AGAIN_MS = 5_000;

async function handle(chat: Chat, arrived: ArrivedText): Promise<Result<void, StoreFault>> {
  const text = { place: chat.place, updateId: arrived.updateId };
  const newest = await newestKept(chat);
  if (!newest.ok) return newest;
  if (arrived.begun !== null && newest.value !== null && arrived.begun.after !== newest.value) {
    // Silas ended after the message was kept and before it was answered. It is not kept once more.
    await say(chat, said("Your last message was kept before Silas ended."));
    await tellAnswer(chat, newest.value);
    return chat.store.finish(text);
  }
  const begun = await chat.store.begin({ ...text, after: newest.value });
  if (!begun.ok) return begun;
  const received = await receive(chat, arrived.text);
  if (!received.ok) return received;
  await speak(chat, received.value.reply);
  if (received.value.messageId !== null) await tellAnswer(chat, received.value.messageId);
  return chat.store.finish(text);
}

/** What its gates decided and what is answered, if Silas does not end before. What comes later is on the page. */
async function tellAnswer(chat: Chat, messageId: string): Promise<void> {
  const found = await Promise.race([chat.messages.talk.answered(messageId), untilEnd(chat)]);
  if (found === null || !found.ok || found.value === null) return;
  const { message, turn } = found.value;
  if (message.gate?.told !== undefined) await speak(chat, message.gate.told);
  if (turn === null) return;
  const { reply } = turn;
  const end = turnEndWords(turn);
  if (reply !== null) await speak(chat, reply);
  if (end !== null) await speak(chat, end);
}

const untilEnd = ({ ending }: Chat): Promise<null> =>
  new Promise((resolve) => {
    if (ending.aborted) resolve(null);
    ending.addEventListener("abort", () => resolve(null), { once: true });
  });

/** Words that went through the gates for answers; as many messages as they need. */
async function speak(chat: Chat, words: string): Promise<void> {
  for (const part of partsOf(neutralise(words))) await say(chat, said(part));
}

/** The newest message that came by this way; null where none is among the last. */
async function newestKept({ messages, scopeId }: Chat): Promise<Result<string | null, StoreFault>> {
  const listed = await messages.list({ scopeId, before: null, limit: LOOKED_AT });
  if (!listed.ok) return listed;
  return ok(listed.value.find(({ channel }) => channel === "telegram")?.messageId ?? null);
}
const LOOKED_AT = 500;

type Received = { readonly reply: string; readonly messageId: string | null };

async function receive(chat: Chat, text: string): Promise<Result<Received, StoreFault>> {
  const sent = sentMessageSchema.safeParse({ ...UNSIGNED, text });
  if (!sent.success) return ok({ reply: UNREADABLE, messageId: null });
  const received = await chat.messages.receive(sent.data, senderOf(chat));
  if (received.ok) return ok({ reply: received.value.reply, messageId: received.value.message.messageId });
  // Nobody is told here what a message was refused for but that it was; a fault is tried again.
  if ("retryable" in received.error) return { ok: false, error: received.error };
  return ok({ reply: "This message could not be taken.", messageId: null });
}
const UNREADABLE = "This message cannot be kept as it is. Write it in other words.";

const UNSIGNED = { signed: null, reply_to: null, quotes: [], attachments: [] };

/** Telegram vouches for the account, and nobody signed: known, and not the owner's own signature. [MSG-07] */
const senderOf = ({ chatId }: Chat): Sender => ({
  connectionId: `telegram:${chatId}`,
  channel: "telegram",
  senderId: chatId,
  identity: "owner",
  actor: ON_TELEGRAM,
});

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += MESSAGE_CHARS) parts.push(text.slice(at, at + MESSAGE_CHARS));
  return parts;
}
