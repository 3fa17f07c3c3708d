import { err, ok, type Result } from "#base";
import type { SandboxRefusal } from "#model";
import type { Sandboxes, SandboxSpace, StopStore } from "#ports";

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
