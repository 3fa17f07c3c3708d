/** Talk: the model that answers, and the turns it answers in. */
import type { Result, Sha256Hex } from "#base";
import type {
  Exchange,
  ModelAnswer,
  ModelQuestion,
  ModelRefusal,
  ModelSetting,
  StoreFault,
  Turn,
  TurnChange,
  TurnNews,
  TurnRefusal,
} from "#model";

/**
 * The one way to a model. INVARIANT: it connects to the one address of the configuration and nowhere else, follows no
 * redirect, and sends nothing before it was put on record what would leave.
 */
export interface ModelGateway {
  /** What is set up; nothing is tried to find that out. */
  readonly setting: ModelSetting;
  /**
   * One step of a model in one try: no tool is run here, and whoever wants another step asks again. At most so many
   * tokens of an answer as the question and the configuration both allow.
   */
  ask(question: ModelAsking): Promise<Result<ModelAnswer, ModelRefusal>>;
}
export type ModelAsking = ModelQuestion & {
  /** Ends it at once: the connection is closed, and nothing of an answer is taken in any more. */
  readonly signal: AbortSignal;
  /** Told what is about to leave. False when it could not be kept; then nothing leaves. */
  readonly onLeave: (leaving: Leaving) => Promise<boolean>;
  /**
   * Gets the text as it arrives, in whole characters. Joined it is the text of the answer; after a refusal it is worth
   * nothing.
   */
  readonly onText?: (delta: string) => void;
};
/** What goes out, whole: its size and digest, and to whom. */
export type Leaving = {
  readonly host: string;
  readonly model: string;
  readonly bytes: number;
  readonly sha256: Sha256Hex;
  /** The name of the key that goes with it, if it is one of the vault. */
  readonly keyRef: string | null;
};
/**
 * Turns, in `silas.db`. One begins in the commit that accepts its message. Each end
 * commits together with its audit entry. INVARIANT: a turn moves on from the state that is named, or not at all.
 */
export interface TurnStore {
  find(messageId: string): Promise<Result<Turn | null, StoreFault>>;
  /** Those of these messages, in no order. */
  of(messageIds: readonly string[]): Promise<Result<readonly Turn[], StoreFault>>;
  move(change: TurnChange): Promise<Result<Turn, TurnRefusal | StoreFault>>;
}

/** Replies while they are written. Whoever misses something reads the stored turn. */
export interface TurnFeed {
  /** Tells at once what is known of the turns in flight, then whatever is new. */
  subscribe(listener: (news: TurnNews) => void): () => void;
}

/** What the terminal and a channel may do with answers. */
export interface TalkDoor extends TurnFeed {
  readonly setting: ModelSetting;
  turnsOf(messageIds: readonly string[]): Promise<Result<readonly Turn[], StoreFault>>;
  /** A message, without its text before its gates have run, and its turn; null when there is no such message. */
  exchangeOf(messageId: string): Promise<Result<Exchange | null, StoreFault>>;
  /** The same once whatever can be done about it was done. */
  answered(messageId: string): Promise<Result<Exchange | null, StoreFault>>;
  /** Ends the answer to this message; what passed the gates until then is kept. */
  stop(messageId: string): Promise<Result<"stopped" | "not_answering", StoreFault>>;
  /** Puts one plain question of Silas's own, to see whether anybody answers. Nothing of the owner goes with it. */
  tryModel(): Promise<Result<TriedModel, ModelRefusal>>;
}
type TriedModel = { readonly bytesReceived: number; readonly tokens: number; readonly saidSo: boolean };
