import { err, ok, type Result } from "#base";
import type { SandboxRefusal } from "#model";
import type { Sandboxes, SandboxSpace, StopStore } from "#ports";

export type StoppableSandboxes = Sandboxes & {
  /** Ends every program in every space, and removes the spaces. */
  halt(): Promise<void>;
};

/**
 * The same sandboxes, in which nothing begins while everything is stopped. INVARIANT: every program of Silas starts here,
 * and each asks what is kept right before: what cannot be read counts as stopped.
 */
export function withStop(sandboxes: Sandboxes, stops: Pick<StopStore, "current">): StoppableSandboxes {
  const spaces = new Set<SandboxSpace>();
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
      const space = stoppableSpace(opened.value, { refusal, onClosed: () => void spaces.delete(space) });
      spaces.add(space);
      // Somebody may have stopped everything while it was made.
      const after = await refusal();
      if (after.ok) return ok(space);
      await space.close();
      return after;
    },
    async halt() {
      await Promise.all([...spaces].map((space) => space.close()));
    },
    close: () => sandboxes.close(),
  };
}

type Guard = { readonly refusal: () => Promise<Result<void, SandboxRefusal>>; readonly onClosed: () => void };

function stoppableSpace(space: SandboxSpace, { refusal, onClosed }: Guard): SandboxSpace {
  return {
    id: space.id,
    workspace: space.workspace,
    async run(command) {
      const allowed = await refusal();
      return allowed.ok ? space.run(command) : allowed;
    },
    async close() {
      onClosed();
      await space.close();
    },
  };
}
