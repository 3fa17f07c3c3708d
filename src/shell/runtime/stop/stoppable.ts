import { err, ok, type Result } from "#base";
import type { SandboxRefusal, AuditActor } from "#model";
import type { Sandboxes, SandboxSpace, StopStore, Clock, Log, StopDoor } from "#ports";

export type StoppableSandboxes = Sandboxes & {
  /** Ends every program, and removes the spaces they run in. One in which nothing runs is left to whoever rests in it. */
  halt(): Promise<void>;
};

/**
 * The same sandboxes, in which nothing begins while everything is stopped. INVARIANT: every program of Silas starts here,
 * and each asks what is kept right before: what cannot be read counts as stopped.
 */
export function withStop(sandboxes: Sandboxes, stops: Pick<StopStore, "current">): StoppableSandboxes {
  const programs = new Set<Program>();
  const refusal = async (): Promise<Result<void, SandboxRefusal>> => {
    const stopped = await stops.current();
    return stopped.ok && stopped.value === null ? ok() : err({ code: "sandbox_stopped" });
  };
  return {
    support: () => sandboxes.support(),
    async open(config) {
      const before = await refusal();
      if (!before.ok) return before;
      const opened = await sandboxes.open(config);
      if (!opened.ok) return opened;
      const space = stoppableSpace(opened.value, { refusal, programs });
      // Somebody may have stopped everything while it was made.
      const after = await refusal();
      if (after.ok) return ok(space);
      await space.close();
      return after;
    },
    async halt() {
      const running = new Set([...programs].map(({ space }) => space));
      await Promise.all([...running].map((space) => space.close()));
    },
    close: () => sandboxes.close(),
  };
}

type Program = { readonly space: SandboxSpace };
type Guard = {
  readonly refusal: () => Promise<Result<void, SandboxRefusal>>;
  /** Each from before it is asked whether it may start, so that none slips in between a stop and its halt. */
  readonly programs: Set<Program>;
};

function stoppableSpace(space: SandboxSpace, { refusal, programs }: Guard): SandboxSpace {
  return {
    id: space.id,
    workspace: space.workspace,
    async run(command) {
      const program: Program = { space };
      programs.add(program);
      try {
        const allowed = await refusal();
        return allowed.ok ? await space.run(command) : allowed;
      } finally {
        programs.delete(program);
      }
    },
    close: () => space.close(),
  };
}

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
