import { ok } from "#base";
import type { AuditActor } from "#model";
import type { Clock, StopDoor, StopStore } from "#ports";
import type { StoppableSandboxes } from "./stoppable.ts";

export type StopParts = {
  readonly store: StopStore;
  readonly sandboxes: Pick<StoppableSandboxes, "halt">;
  /** Ends everything that is driven here, and says how many it was. */
  readonly endAll: (actor: AuditActor) => Promise<number>;
  /** Looks for what waits. */
  readonly takeUp: () => Promise<void>;
  readonly clock: Clock;
  readonly onChanged: () => void;
};

/** Whether everything is stopped; what cannot be read counts as stopped. */
export const stoppedFact = (store: Pick<StopStore, "current">) => async (): Promise<boolean> => {
  const stopped = await store.current();
  return !stopped.ok || stopped.value !== null;
};

/** The word is kept first; then what runs is ended. Whatever crashes in between finds the word at the next start. */
export function createStopDoor({ store, sandboxes, endAll, takeUp, clock, onChanged }: StopParts): StopDoor {
  return {
    current: () => store.current(),
    async stop(actor) {
      const stopped = await store.stop({ at: clock.now(), actor });
      if (!stopped.ok) return stopped;
      const [ended] = await Promise.all([endAll(actor), sandboxes.halt()]);
      onChanged();
      return ok({ stopped: stopped.value, ended });
    },
    async startAgain(actor) {
      const again = await store.startAgain({ at: clock.now(), actor });
      if (!again.ok) return again;
      onChanged();
      await takeUp();
      return again;
    },
  };
}
