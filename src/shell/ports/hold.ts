/** The start that finds an older database: what keeps it read-only, and who may accept it. */
import type { Instant, Result } from "#base";
import type { Acting, Hold, HoldRefusal, KeyError, StoreFault } from "#model";

/** Refuses every write of the stores while it is set. */
export interface HoldStore {
  current(): Hold | null;
  /** Voids every unused approval, notes this state as the newest, and lets writes through: all of it or nothing. */
  accept(by: { readonly at: Instant; readonly actor: Acting }): Result<void, StoreFault>;
}

/** The operations for the terminal and the channels. */
export interface HoldDoor {
  current(): Hold | null;
  /** The terminal accepts by its word, a device by a signature of its own key over what it was shown. */
  accept(accepting: AcceptedHold): Promise<Result<void, AcceptRefusal>>;
  /** Called in order once it was accepted, before the answer. */
  onAccepted(listener: () => Promise<void>): void;
  /** Does this now, or once it was accepted. */
  whenOpen(work: () => Promise<void>): Promise<void>;
}

export type AcceptedHold = Pick<Hold, "seq" | "hash"> & {
  readonly actor: Acting;
  readonly signed: { readonly keyId: string; readonly signature: string } | null;
};
export type AcceptRefusal = HoldRefusal | { readonly code: "device_signature_needed" } | KeyError | StoreFault;
