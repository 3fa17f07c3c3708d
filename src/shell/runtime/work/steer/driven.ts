import type { AuditActor, RunProgress } from "#model";
import type { DrivenRun } from "../drive.ts";

/** What is driven here, by the id of its run: where it is, and everything somebody may ask of it. */
export type DrivenRuns = {
  /** Settles when it is over or left. */
  follow(runId: string, going: DrivenRun): Promise<void>;
  progressOf(runId: string): RunProgress | null;
  /** Null when nothing drives it here; false when it cannot be held right now. */
  pause(runId: string, actor: AuditActor): Promise<boolean | null>;
  resume(runId: string, actor: AuditActor): Promise<boolean | null>;
  /** Whether it ran here, and is now being ended; settles when it has ended. */
  cancel(runId: string, actor: AuditActor): Promise<boolean>;
  /** Ends everything that does not rest; says how many runs that were. */
  endAll(actor: AuditActor): Promise<number>;
  leaveAll(): Promise<void>;
};

export function createDrivenRuns(): DrivenRuns {
  const driven = new Map<string, DrivenRun>();
  const cancel = async (runId: string, actor: AuditActor): Promise<boolean> => {
    const going = driven.get(runId);
    going?.cancel(actor);
    await going?.ended;
    return going !== undefined;
  };
  return {
    async follow(runId, going) {
      driven.set(runId, going);
      await going.ended;
      driven.delete(runId);
    },
    progressOf: (runId) => driven.get(runId)?.progress() ?? null,
    pause: async (runId, actor) => (await driven.get(runId)?.pause(actor)) ?? null,
    resume: async (runId, actor) => (await driven.get(runId)?.resume(actor)) ?? null,
    cancel,
    async endAll(actor) {
      const going = [...driven].filter(([, run]) => !run.isResting());
      await Promise.all(going.map(([runId]) => cancel(runId, actor)));
      return going.length;
    },
    async leaveAll() {
      await Promise.all([...driven.values()].map((going) => going.leave()));
    },
  };
}
