import { LIMITS, oneLine } from "#base";
import type { SecureInputRequest, TelegramNotice } from "#model";
import { buttonNonce } from "./button-data.ts";
import { around, cardText, closedText, isDecidedHere, linkText, linkTo, said } from "./card-text.ts";
import type { Written } from "./bot-api.ts";
import { createWork, rewrite, say, type Chat, type Work } from "./chat.ts";

/** Looked at again after this long even when nobody says that something changed: a request may have run out of time. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Tells the owner in the chat what waits, and what became of it. What is open there is kept, so that a restart neither
 * tells it again nor forgets to say how it ended.
 */
export function createDesk(chat: Chat): Work {
  let cancel: (() => void) | null = null;
  const work = createWork(chat, async () => {
    cancel?.();
    await lookAt(chat);
    cancel = chat.timers.after(LOOK_AGAIN_MS, work.look);
    if (chat.ending.aborted) cancel();
  });
  chat.ending.addEventListener("abort", () => cancel?.());
  return work;
}

export const requestNotice = (requestId: string): string => `request ${requestId}`;
const secretNotice = ({ refId, createdAt }: SecureInputRequest): string => `secret ${refId} ${createdAt}`;

/** The request a notice is about; null for a secret. */
export const requestOf = ({ noticeId }: TelegramNotice): string | null =>
  noticeId.startsWith(REQUEST) ? noticeId.slice(REQUEST.length) : null;
const REQUEST = requestNotice("");

async function lookAt(chat: Chat): Promise<void> {
  const waiting = await chat.approvals.summary();
  const asked = await chat.secrets.pending();
  const told = await chat.store.notices(chat.place);
  if (!waiting.ok || !asked.ok || !told.ok) return chat.log.error("telegram_look_failed", {});
  const requestIds = waiting.value.pending.map(({ requestId }) => requestId);
  const open = new Set([...requestIds.map(requestNotice), ...asked.value.map(secretNotice)]);
  for (const notice of told.value.filter(({ noticeId }) => !open.has(noticeId))) await close(chat, notice);
  const toldIds = new Set(told.value.flatMap(({ noticeId, messageId }) => (messageId === null ? [] : [noticeId])));
  for (const input of asked.value.filter((one) => !toldIds.has(secretNotice(one)))) await tellSecret(chat, input);
  // The oldest first, and not all at once: the next ones come when these are decided.
  const shown = requestIds.slice(0, LIMITS.telegramCards).filter((id) => !toldIds.has(requestNotice(id)));
  for (const requestId of shown) await tellRequest(chat, requestId);
}

/** The link to the form, and nothing that could be taken for a question: whatever is answered here stays unread. [SECRET-11] */
async function tellSecret(chat: Chat, input: SecureInputRequest): Promise<void> {
  const written = around({
    before: "Silas needs a secret. Type it on the page, never in this chat:",
    plain: oneLine(`${input.label} (${input.refId})`),
    after: linkTo(chat.page, `/secrets/${encodeURIComponent(input.refId)}`),
  });
  await tell(chat, { notice: { noticeId: secretNotice(input), messageId: null, buttons: null }, written });
}

async function tellRequest(chat: Chat, requestId: string): Promise<void> {
  const found = await chat.requests.find(requestId);
  if (!found.ok || found.value === null) return;
  const request = found.value;
  const noticeId = requestNotice(requestId);
  if (!isDecidedHere(request)) {
    const notice = { noticeId, messageId: null, buttons: null };
    return tell(chat, { notice, written: linkText(request, chat.page) });
  }
  const nonce = buttonNonce(chat.randomness);
  const buttons = { planHash: request.planHash, nonce, stage: "ask" } as const;
  return tell(chat, { notice: { noticeId, messageId: null, buttons }, written: cardText(request, buttons) });
}

type Telling = { readonly notice: TelegramNotice; readonly written: Written };

/** Kept before it is sent: a press is never faster than what it is held against. */
async function tell(chat: Chat, { notice, written }: Telling): Promise<void> {
  const kept = await chat.store.saveNotice(chat.place, notice);
  if (!kept.ok) return;
  const sent = await say(chat, written);
  const { place } = chat;
  if (sent.ok) await chat.store.noticeSent({ place, noticeId: notice.noticeId, messageId: sent.value.messageId });
}

/**
 * What a crash left between a press and what it was to do: the buttons are used up and nothing was decided. It is told
 * again, with new ones.
 */
export async function reviveNotices(chat: Chat): Promise<void> {
  const told = await chat.store.notices(chat.place);
  for (const notice of told.ok ? told.value : []) {
    const requestId = requestOf(notice);
    if (requestId === null || notice.buttons === null || notice.buttons.nonce !== null) continue;
    const found = await chat.requests.find(requestId);
    if (found.ok && found.value?.state === "pending") await chat.store.dropNotice(chat.place, notice.noticeId);
  }
}

/** Says what became of it where it was asked, and takes its buttons away. */
async function close(chat: Chat, notice: TelegramNotice): Promise<void> {
  const written = await lastWords(chat, notice);
  if (written === null) return;
  const { messageId } = notice;
  const edited = messageId === null ? null : await rewrite(chat, { messageId, written });
  // A message that is not there any more, or that Telegram will not change, is not waited for.
  const isLater = edited !== null && !edited.ok && edited.error.code !== "telegram_refused";
  if (!isLater) await chat.store.dropNotice(chat.place, notice.noticeId);
}

async function lastWords(chat: Chat, notice: TelegramNotice): Promise<Written | null> {
  const requestId = requestOf(notice);
  if (requestId === null) return said("This secret is not asked for any more.");
  const found = await chat.requests.find(requestId);
  if (!found.ok || found.value?.state === "pending") return null;
  return found.value === null ? said("This request is not there any more.") : closedText(found.value);
}
