import type * as z from "zod/mini";
import { err, LIMITS, ok, type Result } from "#base";
import type { TelegramFault } from "#model";
import type { BotDoor } from "#ports";
import {
  answerSchema,
  botSchema,
  doneSchema,
  sentSchema,
  updatesSchema,
  type BotAnswer,
  type BotUpdate,
} from "./bot-wire.ts";

/** One message as it is sent. Text is never markup: what is foreign stands in one stretch that makes nothing of it. */
export type Written = {
  readonly text: string;
  /** A stretch of the text, in UTF-16 units, that is shown as it is, without links or names in it. */
  readonly plain: { readonly offset: number; readonly length: number } | null;
  readonly buttons: readonly (readonly Button[])[];
};
export type Button = { readonly label: string; readonly data: string };

type Answered<T> = Promise<Result<T, TelegramFault>>;

/** The part of the Bot API that Silas uses. No call rejects, and none says anything but these codes about a failure. */
export interface BotApi {
  me(): Answered<{ readonly id: number; readonly name: string }>;
  /** Waits on the other side until something happens, or some time has passed. */
  updates(asked: { readonly from: number; readonly signal: AbortSignal }): Answered<readonly BotUpdate[]>;
  send(chatId: string, written: Written): Answered<{ readonly messageId: number }>;
  edit(message: { readonly chatId: string; readonly messageId: number }, written: Written): Answered<void>;
  /** Ends the waiting sign on a pressed button, with a word about it. */
  answerPress(pressId: string, text: string): Answered<void>;
}

/** Asks for the updates of this bot stay open this long when nothing happens. */
const POLL_SECONDS = 25;
const CALL_MS = 15_000;

export function createBotApi(door: Pick<BotDoor, "call">): BotApi {
  const call = <T>(asked: Asked<T>) => ask(door, asked);
  return {
    me: async () => {
      const me = await call({ method: "getMe", body: {}, result: botSchema });
      return me.ok ? ok({ id: me.value.id, name: me.value.username ?? String(me.value.id) }) : me;
    },
    updates: ({ from, signal }) =>
      call({
        method: "getUpdates",
        // Without a number Telegram begins with the oldest that nobody took.
        body: { ...(from > 0 ? { offset: from } : {}), timeout: POLL_SECONDS, allowed_updates: HEARD, limit: 50 },
        result: updatesSchema,
        signal,
        timeoutMs: POLL_SECONDS * 1000 + CALL_MS,
      }),
    send: async (chatId, written) => {
      const sent = await call({ method: "sendMessage", body: bodyOf(chatId, written), result: sentSchema });
      return sent.ok ? ok({ messageId: sent.value.message_id }) : sent;
    },
    edit: async ({ chatId, messageId }, written) => {
      const body = { ...bodyOf(chatId, written), message_id: messageId };
      return nothingOf(await call({ method: "editMessageText", body, result: doneSchema }));
    },
    answerPress: async (pressId, text) => {
      const body = { callback_query_id: pressId, text: text.slice(0, PRESS_CHARS) };
      return nothingOf(await call({ method: "answerCallbackQuery", body, result: doneSchema }));
    },
  };
}

const HEARD = ["message", "callback_query"];
/** What Telegram shows of the answer to a press. */
const PRESS_CHARS = 200;

const nothingOf = <E>(result: Result<unknown, E>): Result<void, E> => (result.ok ? ok() : result);

/** No `parse_mode`: nothing in a text is ever markup. No previews: whoever fetches one tells its server of it. */
function bodyOf(chatId: string, { text, plain, buttons }: Written): object {
  const keyboard = buttons.map((row) => row.map(({ label, data }) => ({ text: label, callback_data: data })));
  return {
    chat_id: chatId,
    text,
    ...(plain === null ? {} : { entities: [{ type: "pre", ...plain }] }),
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: keyboard },
  };
}

type Asked<T> = {
  readonly method: string;
  readonly body: object;
  readonly result: z.ZodMiniType<T>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
};

async function ask<T>(
  door: Pick<BotDoor, "call">,
  { method, body, result, signal, timeoutMs = CALL_MS }: Asked<T>,
): Answered<T> {
  const reply = await door.call({ method, body, timeoutMs, signal });
  if (reply === null) return err({ code: "telegram_unreachable" });
  return judge(reply.status, { answer: answerOf(reply.text), result });
}

function answerOf(text: string): BotAnswer | null {
  try {
    return answerSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

type Judged<T> = { readonly answer: BotAnswer | null; readonly result: z.ZodMiniType<T> };

function judge<T>(status: number, { answer, result }: Judged<T>): Result<T, TelegramFault> {
  // A token of another shape is an address that does not exist.
  if (status === 401 || status === 404) return err({ code: "telegram_token_refused" });
  if (status === 409) return err({ code: "telegram_taken" });
  if (status === 429) {
    return err({ code: "telegram_busy", retryAfterMs: retryAfterMs(answer?.parameters?.retry_after) });
  }
  if (status >= 500 || answer === null) return err({ code: "telegram_unreachable" });
  // An edit that changes nothing has succeeded before.
  if (status === 400 && /message is not modified/.test(answer.description ?? "")) return parsed(result, true);
  return answer.ok ? parsed(result, answer.result) : err({ code: "telegram_refused" });
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown): Result<T, TelegramFault> {
  const read = schema.safeParse(value);
  return read.success ? ok(read.data) : err({ code: "telegram_refused" });
}

const retryAfterMs = (seconds = 1): number => Math.min(Math.max(seconds, 1) * 1000, LIMITS.telegramWaitMs);
