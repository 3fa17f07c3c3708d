import { hostWords, type AuditDraft, type EgressUse, type TelegramFault, type TelegramState } from "#model";
import { createRateWindow } from "../web/rate-window.ts";
import { createAnswers } from "./answers.ts";
import { createBotApi, type BotApi } from "./bot-api.ts";
import type { PagePlace } from "./card-text.ts";
import { pause, pauseAfter, type Chat, type ChatDeps } from "./chat.ts";
import { createDesk, reviveNotices } from "./desk.ts";
import { hear, type Hearing } from "./hear.ts";
import { createLane } from "./lane.ts";

type Listening = {
  readonly deps: ChatDeps;
  readonly chatId: string;
  readonly scopeId: string;
  readonly page: PagePlace;
  readonly messagesPerMinute: number;
  readonly ending: AbortSignal;
  readonly tell: (state: TelegramState) => void;
};

/** Listens until Silas ends, or the token is refused. A bug throws; nothing of this listener runs on after it. */
export async function listen(listening: Listening): Promise<void> {
  const door = listening.deps.bot.open((use) => record(listening.deps, use));
  try {
    const api = createBotApi(door);
    const bot = await identify(listening, api);
    if (bot !== null) await attend(listening, { api, bot });
  } finally {
    await door.close();
  }
}

async function attend(listening: Listening, { api, bot }: { readonly api: BotApi; readonly bot: Bot }): Promise<void> {
  const { deps, chatId, scopeId, page, messagesPerMinute } = listening;
  const place = `${bot.id}:${chatId}`;
  const over = new AbortController();
  const ending = AbortSignal.any([listening.ending, over.signal]);
  const chat: Chat = { ...deps, api, place, chatId, scopeId, page, ending };
  const [desk, lane] = [createDesk(chat), createLane(chat)];
  const rate = createRateWindow({ perMinute: messagesPerMinute, clock: deps.clock });
  const unsubscribe = deps.review.onChanged(desk.look);
  try {
    listening.tell({ kind: "listening", botName: bot.name });
    await reviveNotices(chat);
    desk.look();
    lane.look();
    await poll({ listening, botName: bot.name, hearing: { chat, answers: createAnswers(chat, desk), lane, rate } });
  } finally {
    unsubscribe();
    over.abort();
    await Promise.all([desk.settled(), lane.settled()]);
  }
}

/** Whether the chain has it; what it does not have is not done. */
async function record({ audit, clock, log }: ChatDeps, use: EgressUse): Promise<boolean> {
  const draft = { ...eventOf(use), at: clock.now(), actor: { kind: "system" } } as AuditDraft;
  const kept = await audit.append(draft);
  if (!kept.ok) log.error("egress_unrecorded", kept.error);
  return kept.ok;
}

function eventOf(use: EgressUse): Pick<AuditDraft, "event" | "data"> {
  switch (use.kind) {
    case "opened":
      return { event: "telegram_egress_opened", data: { host: hostWords(use) } };
    case "refused": {
      const host = use.target === null ? null : hostWords(use.target);
      return { event: "telegram_egress_refused", data: { host, reason: use.reason } };
    }
    case "ended": {
      const { requests, bytesSent: bytes_sent, bytesReceived: bytes_received } = use;
      return { event: "telegram_egress_ended", data: { host: hostWords(use), requests, bytes_sent, bytes_received } };
    }
  }
}

type Bot = { readonly id: number; readonly name: string };

async function identify(listening: Listening, api: BotApi): Promise<Bot | null> {
  for (let tried = 1; !listening.ending.aborted; tried += 1) {
    const me = await api.me();
    if (me.ok) return me.value;
    if (!(await goOn(listening, { fault: me.error, tried }))) return null;
  }
  return null;
}

type Polling = { readonly listening: Listening; readonly hearing: Hearing; readonly botName: string };

/** Asks for what happened, one piece after the other. The next is asked for only when these are passed on. */
async function poll({ listening, hearing, botName }: Polling): Promise<void> {
  const { chat } = hearing;
  const { ending } = listening;
  for (let tried = 1; !ending.aborted;) {
    const next = await chat.store.nextUpdate(chat.place, chat.clock.now());
    if (!next.ok) {
      chat.log.error("telegram_store_failed", next.error);
      await pause(chat, STORE_PAUSE_MS);
      continue;
    }
    const updates = await chat.api.updates({ from: next.value, signal: ending });
    if (!updates.ok) {
      if (ending.aborted || !(await goOn(listening, { fault: updates.error, tried }))) return;
      tried += 1;
      continue;
    }
    tried = 1;
    listening.tell({ kind: "listening", botName });
    for (const update of updates.value) {
      if (ending.aborted) return;
      const heard = await hear(hearing, update);
      if (heard.ok) continue;
      chat.log.error("telegram_store_failed", heard.error);
      await pause(chat, STORE_PAUSE_MS);
      break;
    }
  }
}
const STORE_PAUSE_MS = 5_000;

type Failed = { readonly fault: TelegramFault; readonly tried: number };

/** Whether to try again, after a pause. A refused token is not tried again: nothing but the owner changes it. */
async function goOn(listening: Listening, { fault, tried }: Failed): Promise<boolean> {
  const { deps, ending, tell } = listening;
  if (ending.aborted) return false;
  deps.log.warn("telegram_failed", { code: fault.code, attempt: tried });
  if (fault.code === "telegram_token_refused") {
    tell({ kind: "off", code: fault.code });
    return false;
  }
  tell({ kind: "waiting", code: fault.code });
  await pause({ timers: deps.timers, ending }, pauseAfter(fault, tried) ?? REFUSED_PAUSE_MS);
  return true;
}
const REFUSED_PAUSE_MS = 30_000;
