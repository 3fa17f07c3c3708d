import { ok } from "#base";
import type { AuditActor } from "#model";
import type { Clock, Log, StopDoor, StopStore } from "#ports";
import type { StoppableSandboxes } from "./stoppable.ts";

type StopParts = {
  readonly store: StopStore;
  readonly sandboxes: Pick<StoppableSandboxes, "halt">;
  /** Ends everything that is driven here, and says how many it was. */
  readonly endAll: (actor: AuditActor) => Promise<number>;
  /** Looks for what waits. */
  readonly takeUp: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChanged: () => void;
};

/** Whether everything is stopped; what cannot be read counts as stopped. */
export const stoppedFact = (store: Pick<StopStore, "current">) => async (): Promise<boolean> => {
  const stopped = await store.current();
  return !stopped.ok || stopped.value !== null;
};

/** Nothing begins from the first moment. The stop is written, and what runs is ended whether or not that succeeded. */
export function createStopDoor({ store, sandboxes, endAll, takeUp, clock, log, onChanged }: StopParts): StopDoor {
  return {
    current: () => store.current(),
    async stop(actor) {
      const at = clock.now();
      const [kept, ended] = await Promise.all([store.stop({ at, actor }), endAll(actor), sandboxes.halt()]);
      if (!kept.ok) log.error("stop_not_recorded", kept.error);
      onChanged();
      const stopped = kept.ok ? kept.value : { at, by: actor.kind };
      return ok({ stopped, ended, recorded: kept.ok });
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
