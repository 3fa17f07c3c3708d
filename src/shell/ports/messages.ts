/** Messages: what keeps them, what spends their nonces, and what a channel may do with them. */
import type { Instant, Result } from "#base";
import type {
  Acknowledged,
  ApprovedGoal,
  AuditActor,
  AuditDraft,
  Channel,
  CustomerContext,
  Endorsing,
  KeptMessage,
  KeptRequest,
  MessageQuery,
  MessageRefusal,
  NonceAnswer,
  NonceSpending,
  OwnWords,
  Reception,
  SentMessage,
  Settlement,
  SigningError,
  StoreFault,
  Stream,
  ToldStream,
} from "#model";
import type { Proposed, ProposeRefusal } from "./approvals.ts";
import type { TalkDoor } from "./talk.ts";

/** Messages in `silas.db`. Each change commits together with its audit entry, and nothing is ever removed. */
export interface MessageStore {
  /**
   * Keeps a message, spends its nonce and puts it on the queue in one commit. INVARIANT: of any copies of one, one is the
   * first. [MSG-08]
   */
  receive(reception: Reception): Promise<Result<KeptMessage, StoreFault>>;
  /** What the gates decided, once; what waits for the owner is decided once more, and its turn is then put on the queue. */
  settle(settlement: Settlement): Promise<Result<KeptMessage, MessageRefusal | StoreFault>>;
  find(messageId: string): Promise<Result<KeptMessage | null, StoreFault>>;
  list(query: MessageQuery): Promise<Result<readonly KeptMessage[], StoreFault>>;
  /** The message that waits for the decision about this plan hash. */
  waitingFor(planHash: string): Promise<Result<KeptMessage | null, StoreFault>>;
  /** The only way a message is ever trusted more than it came: by an approval that is kept here. */
  endorse(endorsing: Endorsing): Promise<Result<KeptMessage, MessageRefusal | StoreFault>>;
}

/** Nonces of signed messages. */
export interface NonceStore {
  /** Asks and records in one step: of any number at once, one hears `fresh`. [NONCE-07] */
  spend(spending: NonceSpending): Promise<Result<NonceAnswer, StoreFault>>;
  /** Forgets what was recorded before this moment, and says how many. */
  prune(before: Instant): Promise<Result<number, StoreFault>>;
}

/**
 * Which goal configures the conversation, by approvals and by what the chain told of it, in `silas.db`. Nothing is kept
 * of it but the entries of the chain: what is in force is found out anew each time.
 */
export interface StreamStore {
  /** Goals of the lane `stream`, each by its newest approval, the one that was approved last first. */
  approved(): Promise<Result<readonly ApprovedGoal[], StoreFault>>;
  /** What the chain told last; null when it never told anything. */
  told(): Promise<Result<ToldStream | null, StoreFault>>;
  /** Tells more, unless somebody did since. */
  tell(telling: StreamTelling): Promise<Result<void, StoreFault>>;
}

type StreamTelling = {
  /** What was told before, by its place in the chain; 0 for nothing. */
  readonly after: number;
  readonly draft: AuditDraft;
};

/** What is in force for messages now, found out and put on record. */
export interface StreamDoor {
  look(): Promise<Result<Stream, StoreFault>>;
}

/** Records of customers, written by the owner into a directory of their own. */
export interface CustomerContexts {
  /** Null when there is none, or none that can be read. */
  load(customerId: string): Promise<CustomerContext | null>;
}

/** Who sends, as the channel knows it; never as the message says it. */
export type Sender = {
  readonly connectionId: string;
  readonly channel: Channel;
  readonly senderId: string;
  /** `owner`: a session of the owner's own; `known`: somebody else whom the channel authenticated. */
  readonly identity: "owner" | "known" | "unknown";
  readonly actor: AuditActor;
};

/** What the terminal and a channel may do with messages. */
export interface MessagesDoor {
  /** What is answered to them. */
  readonly talk: TalkDoor;
  /** Keeps a message and queues it; gates and answer follow, and arrive in the conversation. */
  receive(sent: SentMessage, sender: Sender): Promise<Result<Acknowledged, MessageRefusal | StoreFault>>;
  /** Signs with the owner's own key, and receives what was signed. Only for the terminal of this machine. */
  say(words: OwnWords, sender: Sender): Promise<Result<Acknowledged, MessageRefusal | SigningError>>;
  list(query: MessageQuery): Promise<Result<readonly KeptMessage[], StoreFault>>;
  /** Asks the owner to trust one message as their own words; only a signed approval does it. */
  endorse(wanted: {
    readonly messageId: string;
    readonly scopeId: string;
    readonly actor: AuditActor;
  }): Promise<Result<Proposed, MessageRefusal | ProposeRefusal>>;
  /** Carries out a decision about a message; any other is none of its business. */
  decided(request: KeptRequest): Promise<Result<void, StoreFault>>;
}
