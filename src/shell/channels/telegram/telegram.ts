import type { Config, TelegramState } from "#model";
import { untilDone, type ChatDeps } from "./chat.ts";

type TelegramParts = Omit<ChatDeps, "store" | "requests" | "audit"> & {
  readonly stores: {
    readonly telegram: ChatDeps["store"];
    readonly approvals: ChatDeps["requests"];
    readonly audit: ChatDeps["audit"];
  };
  /** Without the token, which the gateway adds. */
  readonly config: Pick<Config, "limits" | "ownerId"> & {
    readonly channels: {
      readonly web: Pick<Config["channels"]["web"], "publicUrl">;
      readonly telegram: Pick<Config["channels"]["telegram"], "enabled" | "ownerChatId">;
    };
  };
};

/** The chat on Telegram, beside the page. */
export interface Telegram {
  /** Begins to listen, where that is wanted; `url` is where the page is. Waits for nothing. */
  start(url: string): void;
  /** Told how it stands, now and whenever that changes. */
  onState(listener: (state: TelegramState) => void): void;
  close(): Promise<void>;
}

/** Off by default. What listens is read only where it is wanted, and nothing of Silas waits for it. [TELE-01] */
export function createTelegram({ config, stores, ...rest }: TelegramParts): Telegram {
  const deps: ChatDeps = { ...rest, store: stores.telegram, requests: stores.approvals, audit: stores.audit };
  const { enabled, ownerChatId: chatId } = config.channels.telegram;
  const ending = new AbortController();
  const states = createStates();
  let running: Promise<void> = Promise.resolve();
  const begin = async (url: string): Promise<void> => {
    if (!deps.bot.hasToken) return states.tell({ kind: "off", code: "telegram_token_missing" });
    // A group has no owner: everyone in it would be heard as one.
    if (chatId === null || !/^\d+$/.test(chatId)) return states.tell({ kind: "off", code: "telegram_owner_missing" });
    const { listen } = await import("./listen.ts");
    const { publicUrl } = config.channels.web;
    await listen({
      deps,
      chatId,
      scopeId: config.ownerId,
      page: { url: publicUrl ?? url, isPublic: publicUrl !== null },
      messagesPerMinute: config.limits.wsMessagesPerMinutePerScope,
      ending: ending.signal,
      tell: states.tell,
    });
  };
  return {
    start(url) {
      if (!enabled) return;
      running = untilDone({ ...deps, ending: ending.signal }, () => begin(url));
    },
    onState: states.listen,
    async close() {
      ending.abort();
      await running;
    },
  };
}

function createStates() {
  const listeners: ((state: TelegramState) => void)[] = [];
  let current: TelegramState | null = null;
  return {
    listen(listener: (state: TelegramState) => void) {
      listeners.push(listener);
      if (current !== null) listener(current);
    },
    tell(state: TelegramState) {
      if (JSON.stringify(state) === JSON.stringify(current)) return;
      current = state;
      for (const listener of listeners) listener(state);
    },
  };
}
