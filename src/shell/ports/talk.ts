/** Talk: the model that answers, and the turns it answers in. */
import type { Instant, Result, Sha256Hex } from "#base";
import type { ModelRefusal, ModelSetting, StoreFault, Turn, TurnChange, TurnNews, TurnRefusal } from "#model";

/**
 * The one way to a model. INVARIANT: it connects to the one address of the configuration and nowhere else, follows no
 * redirect, and sends nothing before it was put on record what would leave.
 */
export interface ModelGateway {
  /** What is set up; nothing is tried to find that out. */
  readonly setting: ModelSetting;
  /** One question, one answer, in one try: whoever wants another asks again. */
  ask(question: ModelQuestion): Promise<Result<ModelAnswer, ModelRefusal>>;
}
export type ModelQuestion = {
  /** What Silas says about itself and its rules. */
  readonly system: string;
  readonly prompt: string;
  /** At most so many tokens of an answer; never more than the configuration says. */
  readonly outputTokensMax?: number;
  /** Ends it at once: nothing is waited for, and no answer is taken in any more. */
  readonly signal: AbortSignal;
  /** Told what is about to leave. False when it could not be kept; then nothing leaves. */
  readonly onLeave: (leaving: Leaving) => Promise<boolean>;
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
export type ModelAnswer = {
  readonly text: string;
  readonly bytesReceived: number;
  /** As the provider counts, or as they are estimated here where it does not say. */
  readonly tokensIn: number;
  readonly tokensOut: number;
};

/**
 * Turns, in `silas.db`. One begins in the commit that accepts its message and puts the question on the queue. Each end
 * commits together with its audit entry. INVARIANT: a turn moves on from the state that is named, or not at all.
 */
export interface TurnStore {
  find(messageId: string): Promise<Result<Turn | null, StoreFault>>;
  /** Those of these messages, in no order. */
  of(messageIds: readonly string[]): Promise<Result<readonly Turn[], StoreFault>>;
  move(change: TurnChange): Promise<Result<Turn, TurnRefusal | StoreFault>>;
  /** Tokens of all turns that were asked since then. */
  tokensSince(at: Instant): Promise<Result<number, StoreFault>>;
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
  /** The turn of a message once it is over; null when nobody answers it. */
  answered(messageId: string): Promise<Result<Turn | null, StoreFault>>;
  /** Ends the answer to this message; what passed the gates until then is kept. */
  stop(messageId: string): Promise<Result<"stopped" | "not_answering", StoreFault>>;
  /** Puts one plain question of Silas's own, to see whether anybody answers. Nothing of the owner goes with it. */
  tryModel(): Promise<Result<TriedModel, ModelRefusal>>;
}
type TriedModel = Omit<ModelAnswer, "text"> & { readonly saidSo: boolean };
