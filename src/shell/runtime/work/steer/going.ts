import type { AuditActor, KeptRequest, RunProgress } from "#model";
import type { SandboxSpace } from "#ports";
import type { RunEffect, RunState } from "#work";
import type { ClearedRun } from "../entry-gate.ts";

const SYSTEM: AuditActor = { kind: "system" };

/** What changes while a run is on its way. */
export type Going = {
  state: RunState;
  /** What is still to be done, in order. */
  readonly todo: RunEffect[];
  /** One write after the other: a pause is asked for while a step runs. */
  keeping: Promise<unknown>;
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
  keeping: Promise.resolve(),
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
