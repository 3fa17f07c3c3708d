/** The one stop of everything: what keeps it, and who may use it. */
import type { Instant, Result } from "#base";
import type { Acting, Stopped, StoreFault } from "#model";

/** Whether everything is stopped, in `silas.db`. Each change commits together with its audit entry. */
export interface StopStore {
  current(): Promise<Result<Stopped | null, StoreFault>>;
  /**
   * The stop that stands afterwards; one that stood before stays as it was. One that cannot be written is answered with
   * the fault, and holds all the same until this process ends.
   */
  stop(given: StopWord): Promise<Result<Stopped, StoreFault>>;
  /** False when nothing was stopped. */
  startAgain(given: StopWord): Promise<Result<boolean, StoreFault>>;
}

type StopWord = { readonly at: Instant; readonly actor: Acting };

/** What the terminal and a channel may do with it. INVARIANT: what is acknowledged as recorded holds after any crash. */
export interface StopDoor {
  current(): Promise<Result<Stopped | null, StoreFault>>;
  /** Ends every program that runs, and lets nothing begin. Answers when none of them is left. */
  stop(actor: Acting): Promise<Result<HasStopped, StoreFault>>;
  /** What was granted and waits begins again. False when nothing was stopped. */
  startAgain(actor: Acting): Promise<Result<boolean, StoreFault>>;
}

type HasStopped = {
  readonly stopped: Stopped;
  /** Runs that were ended by it. */
  readonly ended: number;
  /** False when it could not be written: then it holds only until Silas ends. */
  readonly recorded: boolean;
};
