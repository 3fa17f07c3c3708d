import { err, type Result } from "#base";
import type { TelegramFault, TelegramPlace } from "#model";
import type {
  ApprovalsDoor,
  AuditLog,
  BotGateway,
  Clock,
  FaultTally,
  FindSecrets,
  Log,
  MessagesDoor,
  Randomness,
  RequestLook,
  ReviewFeed,
  SecretsDoor,
  TelegramStore,
  Timers,
} from "#ports";
import type { BotApi, Written } from "./bot-api.ts";
import type { PagePlace } from "./card-text.ts";

/** What the chat needs of the world. No member is optional: a chat without one of its guards cannot be built. */
export type ChatDeps = {
  readonly bot: BotGateway;
  readonly store: TelegramStore;
  readonly approvals: Pick<ApprovalsDoor, "summary" | "show" | "decide">;
  /** Looking here starts no time: what is announced to a phone in a pocket was not seen yet. */
  readonly requests: RequestLook;
  readonly messages: Pick<MessagesDoor, "receive" | "list" | "talk">;
  readonly secrets: Pick<SecretsDoor, "pending">;
  readonly review: Pick<ReviewFeed, "onChanged">;
  readonly audit: Pick<AuditLog, "append">;
  /** What in a text looks like a secret. */
  readonly findSecrets: FindSecrets;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly log: Log;
  readonly faults: FaultTally;
};

/** The owner's chat with the bot, while Silas runs. */
export type Chat = ChatDeps & {
  readonly api: BotApi;
  readonly place: TelegramPlace;
  /** The one account that is heard, and its chat. */
  readonly chatId: string;
  readonly scopeId: string;
  readonly page: PagePlace;
  /** Set when Silas ends. */
  readonly ending: AbortSignal;
};

const TRIES = 4;
const PAUSE_MS = 1_000;

/** Says something, with some patience for a network that fails and a Telegram that asks to wait. */
export async function say(
  chat: Chat,
  written: Written,
): Promise<Result<{ readonly messageId: number }, TelegramFault>> {
  return patiently(chat, () => chat.api.send(chat.chatId, written));
}

export async function rewrite(
  chat: Chat,
  { messageId, written }: { readonly messageId: number; readonly written: Written },
): Promise<Result<void, TelegramFault>> {
  return patiently(chat, () => chat.api.edit({ chatId: chat.chatId, messageId }, written));
}

async function patiently<T>(
  { timers, ending, log }: Chat,
  work: () => Promise<Result<T, TelegramFault>>,
): Promise<Result<T, TelegramFault>> {
  for (let tried = 1; ; tried += 1) {
    const done = await work();
    if (done.ok) return done;
    const delayMs = pauseAfter(done.error, tried);
    if (delayMs === null || tried >= TRIES || ending.aborted) {
      log.warn("telegram_not_said", { code: done.error.code, attempt: tried });
      return err(done.error);
    }
    await pause({ timers, ending }, delayMs);
  }
}

/** How long to wait after a failure; null when trying again would not help. */
export function pauseAfter(fault: TelegramFault, tried: number): number | null {
  switch (fault.code) {
    case "telegram_busy":
      return fault.retryAfterMs;
    case "telegram_unreachable":
    case "telegram_taken":
      return backoffMs(tried);
    default:
      return null;
  }
}
const PAUSE_MAX_MS = 60_000;
const backoffMs = (tried: number): number => Math.min(PAUSE_MS * 2 ** (tried - 1), PAUSE_MAX_MS);

/** Over when the time is, or when Silas ends. */
export function pause({ timers, ending }: Pick<Chat, "timers" | "ending">, delayMs: number): Promise<void> {
  if (ending.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      cancel();
      ending.removeEventListener("abort", over);
      resolve();
    };
    const cancel = timers.after(delayMs, over);
    ending.addEventListener("abort", over);
  });
}

export interface Work {
  /** There may be something to do; what is done already is looked at once more. */
  look(): void;
  /** When nothing is being done. */
  settled(): Promise<void>;
}

/** One piece of work that is never done twice at once. What comes up while it is done is done right after it. */
export function createWork(chat: Lasting, once: () => Promise<void>): Work {
  let isWanted = false;
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    await untilDone(chat, async () => {
      do {
        isWanted = false;
        await once();
      } while (isWanted && !chat.ending.aborted);
    });
    isRunning = false;
    // Asked for after the last check of `isWanted`.
    if (isWanted) look();
  };
  const look = (): void => {
    isWanted = true;
    if (chat.ending.aborted || isRunning) return;
    isRunning = true;
    running = run();
  };
  return { look, settled: () => running };
}

type Lasting = Pick<Chat, "ending" | "timers" | "faults">;

/** Repeats work that throws, after a pause that grows, until it comes to its end or Silas ends. */
export async function untilDone({ ending, timers, faults }: Lasting, work: () => Promise<void>): Promise<void> {
  for (let failed = 1; !ending.aborted; failed += 1) {
    try {
      return await work();
    } catch (cause) {
      faults.caught("telegram", cause);
      await pause({ timers, ending }, backoffMs(failed));
    }
  }
}
