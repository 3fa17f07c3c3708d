import type { Result } from "#base";
import type { KeptRequest, MessageOf, StoreFault } from "#model";
import type { MessagesDoor } from "#ports";
import { DONE, UNUSED, type Outcome } from "../queue/reader.ts";

type Effect = (decision: KeptRequest) => Promise<Result<void, StoreFault>>;

/** The parts that carry decisions out, each by name. Each effect happens once, however often it is asked for. */
export type DecisionParts = {
  readonly messages: Pick<MessagesDoor, "decided">;
  /** Verifies the memory whose promotion is approved. */
  readonly memory: { settle: Effect };
  /** Tries and activates an approved version; `close` waits for the last of them. */
  readonly skills: { settle: Effect; close(): Promise<void> };
  /**
   * Begins an approved sign-in; `busy` while another one of the same connection goes on, whose end `onFree` is told.
   * `start` first ends the sign-ins of a dead process.
   */
  readonly connections: {
    settle(decision: KeptRequest): Promise<Result<"begun" | "busy", StoreFault>>;
    start(onFree: () => void): Promise<void>;
    close(): Promise<void>;
  };
  readonly goals: {
    /** Schedules every goal that is approved and is not scheduled yet. */
    settle(): Promise<Result<unknown, StoreFault>>;
    /** Has checks that wait for a decision or a repair find out whether it came. */
    look(): void;
  };
  /** Asks about the next batch of each series whose last one is decided; `busy` while too many requests wait. */
  readonly batches: { settle(): Promise<Result<"asked" | "busy", StoreFault>> };
  readonly runs: {
    /** Resolves when the run is over, or left where it is because its lease is lost. */
    drive(runId: string, lost: AbortSignal): Promise<Outcome>;
    /** Has every run that waits for a decision look for it. */
    look(): void;
    /** Ends the runs of dead messages. */
    endDead(): Promise<void>;
    /** Leaves every run where it is. */
    leave(): void;
  };
};

/** How things stand while one decision is settled. */
type Settling = DecisionParts & {
  readonly find: (requestId: string) => Promise<Result<KeptRequest | null, StoreFault>>;
  /** This process goes on after the call; a verb of the terminal ends with it. */
  readonly isRunning: boolean;
  /** Told what kept a decision from being settled. */
  readonly onFault: (fault: StoreFault) => void;
  /** Aborted when another holder has the message. */
  readonly lost: AbortSignal;
};

/**
 * Does what follows from one committed decision. INVARIANT: it may run again after a crash at any point, and has one
 * effect. Whatever it needs is read from the stores: the message grants nothing.
 */
export type Settler = (decided: MessageOf<"decided">["payload"], parts: Settling) => Promise<Outcome>;

/** For effects that depend on what was decided, and by whom. */
export const afterDecision =
  (effect: (decision: KeptRequest, parts: Settling) => Promise<Result<unknown, StoreFault>>): Settler =>
  async ({ requestId }, parts) => {
    const found = await parts.find(requestId);
    if (!found.ok) return outcomeOf(found, parts);
    if (found.value === null || found.value.state === "pending") return { how: "failed", reason: "grant_missing" };
    return outcomeOf(await effect(found.value, parts), parts);
  };

/** A fault does not count as a try, whether it may pass or not: the decision stands, and is settled once the fault is gone. */
export function outcomeOf(done: Result<unknown, StoreFault>, { onFault }: Pick<Settling, "onFault">): Outcome {
  if (done.ok) return done.value === "busy" ? UNUSED : DONE;
  onFault(done.error);
  return UNUSED;
}
