import type { Result } from "#base";
import type { KeptRequest, StoreFault } from "#model";
import type { MessagesDoor } from "#ports";

/** The parts that carry decisions out, each by name. */
export type DecisionParts = {
  readonly messages: Pick<MessagesDoor, "decided">;
  /** Verifies every memory whose promotion is approved. */
  readonly memory: { settle(): Promise<Result<void, StoreFault>> };
  /** Tries and activates every approved version; `close` waits for the last of them. */
  readonly skills: { settle(): Promise<void>; close(): Promise<void> };
  /** Begins every approved setup; `start` ends those of a dead process first. */
  readonly connections: { settle(): Promise<void>; start(): Promise<void>; close(): Promise<void> };
};

/** How things stand while one decision is settled. */
export type Settling = DecisionParts & {
  /** This process goes on after the call; a verb of the terminal ends with it. */
  readonly isRunning: boolean;
  /** The caller waits until nothing is left to do. A page does not: it is told later. */
  readonly isAwaited: boolean;
};

/**
 * Does what follows from one committed decision. INVARIANT: it may run again after a crash at any point, and has one
 * effect. A fault leaves the decision open.
 */
export type Settler = (decision: KeptRequest, parts: Settling) => Promise<Result<void, StoreFault>>;
