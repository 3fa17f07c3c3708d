import type { Instant, Sha256Hex } from "#base";

/** A bot and the owner's chat with it, as one name. What is kept for another bot or another owner is not theirs. */
export type TelegramPlace = string;

/** One thing that happened at a place, by the number Telegram gave it. */
export type HeardUpdate = { readonly place: TelegramPlace; readonly updateId: number; readonly at: Instant };

/** Words of the owner that were taken from Telegram and are not handled yet. */
export type ArrivedText = {
  readonly updateId: number;
  readonly text: string;
  /** Set once handling began: the newest message from Telegram that was kept before it, if any. */
  readonly begun: { readonly after: string | null } | null;
};

/** Something the owner was told in the chat and that is still open: a request to decide, or a secret that is asked for. */
export type TelegramNotice = {
  readonly noticeId: string;
  /** The message in the chat; null until Telegram has said that it took it. */
  readonly messageId: number | null;
  /** What the buttons are good for; null where nothing can be decided in the chat. */
  readonly buttons: NoticeButtons | null;
};
/** INVARIANT: good for exactly this plan, and for one press. */
export type NoticeButtons = {
  readonly planHash: Sha256Hex;
  /** Null once they were pressed. */
  readonly nonce: string | null;
  /** `confirm`: the first of two steps was made. */
  readonly stage: "ask" | "confirm";
};

/** How the chat stands, for the person who started Silas. */
export type TelegramState =
  | { readonly kind: "listening"; readonly botName: string }
  /** It is tried again by itself. */
  | { readonly kind: "waiting"; readonly code: TelegramFault["code"] }
  /** Nothing is tried again before the next start. */
  | {
      readonly kind: "off";
      readonly code: "telegram_token_refused" | "telegram_owner_missing" | "telegram_token_missing";
    };

/** Why the Bot API did not do what it was asked for. Never what it answered: that may repeat what was sent. */
export type TelegramFault =
  | { readonly code: "telegram_unreachable" }
  | { readonly code: "telegram_token_refused" }
  /** Another program asks for the updates of this bot, or a webhook takes them. */
  | { readonly code: "telegram_taken" }
  | { readonly code: "telegram_busy"; readonly retryAfterMs: number }
  | { readonly code: "telegram_refused" };

/** The sentence for it, at the terminal and in `silas doctor`. */
export function telegramStateWords(state: TelegramState): string {
  return state.kind === "listening"
    ? `Telegram: listening as @${state.botName}`
    : `Telegram: ${CODE_WORDS[state.code]}`;
}

const CODE_WORDS: { readonly [C in Exclude<TelegramState, { readonly kind: "listening" }>["code"]]: string } = {
  telegram_unreachable: "not reachable; it is tried again",
  telegram_token_refused: "the token is refused; set SILAS_TELEGRAM_TOKEN to the one that @BotFather gave you",
  telegram_taken: "another program reads the messages of this bot; it is tried again",
  telegram_busy: "asks to wait; it is tried again",
  telegram_refused: "refused what was asked; it is tried again",
  telegram_owner_missing: "SILAS_TELEGRAM_OWNER_ID is not set to the number of your account, so nobody would be heard",
  telegram_token_missing: "SILAS_TELEGRAM_TOKEN is not set",
};
