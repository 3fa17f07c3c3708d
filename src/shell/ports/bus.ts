/** The bus: durable queues between whoever has something to say and whoever acts on it. */
import type { Instant, Result } from "#base";
import type { DeadReason, DerivedProblem, MessageProblem, QueueMessage, QueueName, StoreFault } from "#model";

/**
 * Queues of messages, in `silas.db`. A message is added once, given to one reader at a time, and gone when that reader has
 * acted on it; what nobody can act on is set aside with the reason.
 * INVARIANT: only whoever holds the newest lease of a message settles it or gives it back; nobody settles it too late. [BUS-12]
 */
export interface QueueStore {
  /** `known` when this queue has that message already. What no route allows is recorded, and delivered to nobody. */
  enqueue(sent: Sent): Promise<Result<"added" | "known", QueueRefusal | StoreFault>>;
  /**
   * The next messages of one queue, each scope in its turn and the oldest of a scope first. INVARIANT: what this consumer
   * has acted on is never given to it again. [BUS-16] [BUS-25]
   */
  lease(asked: LeaseAsked): Promise<Result<readonly LeasedMessage[], StoreFault>>;
  /** Prolongs these leases, as long as nobody else has taken their messages; answers with those that are lost. */
  heartbeat(leases: readonly Lease[], span: LeaseSpan): Promise<Result<readonly Lease[], StoreFault>>;
  /** Marks the message as acted on, takes it away and adds what follows from it, all or nothing. [BUS-17] */
  settle(settling: SettledMessage): Promise<Result<void, LeaseLost | QueueRefusal | StoreFault>>;
  /** Gives a message back, or sets it aside: at once, or when it was delivered often enough. */
  nack(returning: ReturnedMessage): Promise<Result<"waits" | "dead", LeaseLost | StoreFault>>;
  /**
   * At a start: nobody holds anything of this queue. Answers with how many were held. What a process held as it ended may
   * only have waited for its turn, so that these deliveries do not count. [BUS-14]
   */
  putBack(queue: QueueName): Promise<Result<number, StoreFault>>;
  /** What was set aside, newest first. */
  deadLetters(queue: QueueName): Promise<Result<readonly DeadLetter[], StoreFault>>;
}

export type Sent = { readonly queue: QueueName; readonly message: QueueMessage; readonly at: Instant };

export type QueueRefusal =
  | MessageProblem
  | DerivedProblem
  | { readonly code: "message_unrouted" }
  /** The same id stands for another message. */
  | { readonly code: "message_differs" };

export type LeaseSpan = { readonly at: Instant; readonly leaseMs: number };
type DeliveryLimits = { readonly at: Instant; readonly deliveriesMax: number };
export type LeaseAsked = LeaseSpan &
  DeliveryLimits & {
    readonly queue: QueueName;
    /** Who reads, by name; what it acted on is remembered under it. */
    readonly consumer: string;
    readonly countMax: number;
    /** This message and no other. */
    readonly messageId?: string | undefined;
  };

/** The right to act on one message for a while. Each lease has a number that no other has had. */
export type Lease = {
  readonly queue: QueueName;
  readonly consumer: string;
  readonly messageId: string;
  readonly fence: number;
};
export type LeasedMessage = Lease & { readonly message: QueueMessage; readonly delivery: number };
export type LeaseLost = { readonly code: "lease_lost" };

export type SettledMessage = {
  readonly lease: Lease;
  readonly at: Instant;
  readonly derived: readonly Pick<Sent, "queue" | "message">[];
};
/** `unused`: nothing was tried, and the delivery does not count. `hopeless`: no further try would help. */
export type GivenBack =
  | { readonly how: "unused" }
  | { readonly how: "failed" | "hopeless"; readonly reason: DeadReason };
export type ReturnedMessage = DeliveryLimits & GivenBack & { readonly lease: Lease };

export type DeadLetter = {
  readonly messageId: string;
  /** Null when it cannot be read. */
  readonly message: QueueMessage | null;
  readonly reason: DeadReason;
  readonly deliveries: number;
  readonly at: Instant;
};
