/** The owner's chat on Telegram: its store, and the way to its server. */
import type { Instant, Result } from "#base";
import type { ArrivedText, HeardUpdate, StoreFault, TelegramNotice, TelegramPlace } from "#model";
import type { EgressGrant } from "./egress.ts";

/**
 * The one way to the Bot API. INVARIANT: it connects to the one address of the configuration and nowhere else. The token
 * stays behind it: it is added to requests for that address, and is in no answer, record or log.
 */
export interface BotGateway {
  /** Whether the configuration has a token; nothing is tried to find that out. */
  readonly hasToken: boolean;
  /** Told of each use: before the first byte leaves, once for each kind of refusal, and in sums at the end. */
  open(onUse: EgressGrant["onUse"]): BotDoor;
}
export interface BotDoor {
  /** One call, one answer, in one try. Null where there is none: no connection, no record, too late or too long. */
  call(call: BotCall): Promise<BotReply | null>;
  /** Tells the sums. Harmless the second time. */
  close(): Promise<void>;
}
export type BotCall = {
  /** The name of the method, as in `getMe`. */
  readonly method: string;
  readonly body: object;
  readonly timeoutMs: number;
  /** Ends it at once. */
  readonly signal?: AbortSignal | undefined;
};
export type BotReply = { readonly status: number; readonly text: string };

/**
 * What was heard and told in the chat, in `silas.db`. INVARIANT: an update is passed on once. It is kept, or found to
 * leave nothing to do, by the commit that says which one is asked for next; one from before that is none.
 */
export interface TelegramStore {
  /** The update to ask for next; 0 where nothing was heard, or so long ago that Telegram may count anew. */
  nextUpdate(place: TelegramPlace, at: Instant): Promise<Result<number, StoreFault>>;
  /** Nothing of this update is left to do. */
  pass(heard: HeardUpdate): Promise<Result<void, StoreFault>>;
  /** Keeps words to be handled; answers whether they are new. */
  keep(heard: HeardUpdate & { readonly text: string }): Promise<Result<boolean, StoreFault>>;
  /** The oldest words that are not handled. */
  oldest(place: TelegramPlace): Promise<Result<ArrivedText | null, StoreFault>>;
  /** Handling begins now; `after` is the newest message from Telegram that was kept before. */
  begin(text: KeptText & { readonly after: string | null }): Promise<Result<void, StoreFault>>;
  /** They are handled, and forgotten here. */
  finish(text: KeptText): Promise<Result<void, StoreFault>>;
  /** Recorded once for each account, in the chain too; answers whether this was the first time. */
  ignoreStranger(stranger: { readonly accountId: string; readonly at: Instant }): Promise<Result<boolean, StoreFault>>;
  /** What is open in the chat, in the order in which it was told. */
  notices(place: TelegramPlace): Promise<Result<readonly TelegramNotice[], StoreFault>>;
  /** In the place of the one of the same id; a message that is known already is not forgotten by one that names none. */
  saveNotice(place: TelegramPlace, notice: TelegramNotice): Promise<Result<void, StoreFault>>;
  /** Telegram took it as this message. Nothing else of it changes: a press may have come in between. */
  noticeSent(sent: SentNotice): Promise<Result<void, StoreFault>>;
  /** Uses up the buttons of a notice. INVARIANT: of any number of presses one gets them. */
  press(pressed: Pressed): Promise<Result<TelegramNotice | null, StoreFault>>;
  dropNotice(place: TelegramPlace, noticeId: string): Promise<Result<void, StoreFault>>;
}
type KeptText = { readonly place: TelegramPlace; readonly updateId: number };
type SentNotice = { readonly place: TelegramPlace; readonly noticeId: string; readonly messageId: number };
/** With the message that was pressed; null for an answer in words. */
export type Pressed = Omit<SentNotice, "messageId"> & { readonly nonce: string; readonly messageId: number | null };
