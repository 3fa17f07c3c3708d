import type { AuditActor, RunProgress } from "#model";

/** One run on its way. */
export type DrivenRun = {
  /** Settles when the run is over, or when it was left for the next start. */
  readonly ended: Promise<void>;
  progress(): RunProgress | null;
  /** Whether a mistake of Silas itself ended it, so that its end was not kept. */
  isBroken(): boolean;
  /** Whether somebody holds it, or a question does, so that nothing of it runs. */
  isResting(): boolean;
  /** Looks whether what it waits for was decided. */
  look(): void;
  /** Has it rest before its next step. Settles when that is kept; false when it could not be. */
  pause(actor: AuditActor): Promise<boolean>;
  /** Lets it go on where it rests, or takes the wish back before it did; false when nobody held it. */
  resume(actor: AuditActor): Promise<boolean>;
  /** Ends what runs at once, as the owner's word. */
  cancel(actor: AuditActor): void;
  /** Ends what runs at once and writes nothing more: the next start finds it as it was. */
  leave(): Promise<void>;
};

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
  leave(runId: string): void;
  leaveAll(): Promise<void>;
  /** Has everything that waits for a decision look whether there is one. */
  lookAll(): void;
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
    lookAll() {
      for (const going of driven.values()) going.look();
    },
    leave: (runId) => void driven.get(runId)?.leave(),
    async leaveAll() {
      await Promise.all([...driven.values()].map((going) => going.leave()));
    },
  };
}
