import type { AuditActor, RunProgress, KeptRequest } from "#model";
import { createMutex, type Mutex, type SandboxSpace } from "#ports";
import type { RunEffect, RunState } from "#work";
import type { ClearedRun } from "../entry-gate.ts";

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

const SYSTEM: AuditActor = { kind: "system" };

/** What changes while a run is on its way. */
export type Going = {
  state: RunState;
  /** What is still to be done, in order. */
  readonly todo: RunEffect[];
  /** One write after the other: a pause is asked for while a step runs. */
  readonly keep: Mutex;
  /** Words of others that are being kept; what follows from them is still to come. */
  wishes: number;
  /** Settled when there is something to do again, or when it is left. */
  wake: PromiseWithResolvers<void>;
  /** Settled when what runs is to end. */
  readonly stopping: PromiseWithResolvers<void>;
  isKept: boolean;
  isLeaving: boolean;
  isBroken: boolean;
  /** Only the entry gate gives it, and nothing is opened without it. */
  cleared: ClearedRun | null;
  space: SandboxSpace | null;
  checkSpace: SandboxSpace | null;
  progress: RunProgress | null;
  /** The request of the question it asks, until it is kept. */
  request: KeptRequest | null;
  /** Who ended it; Silas itself unless somebody did. */
  actor: AuditActor;
  /** Who had it rest or go on. */
  askedBy: AuditActor;
};

type Beginning = { readonly state: RunState; readonly known: "new" | "kept" };

/** Nothing of it has happened yet. */
export const newGoing = ({ state, known }: Beginning): Going => ({
  state,
  todo: [],
  keep: createMutex(),
  wishes: 0,
  wake: Promise.withResolvers(),
  stopping: Promise.withResolvers(),
  isKept: known === "kept",
  isLeaving: false,
  isBroken: false,
  cleared: null,
  space: null,
  checkSpace: null,
  progress: null,
  request: null,
  actor: SYSTEM,
  askedBy: SYSTEM,
});
