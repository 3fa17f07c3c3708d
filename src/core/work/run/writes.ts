import type { Instant } from "#base";
import { ERROR_CHARS, type LedgerEntry } from "#model";
import type { Advance, RunEffect, RunEvent, RunState } from "./facts.ts";
import { cut } from "./ledger.ts";

/** What is kept of a run, and how it ends or rests. */

export type Beginning = { readonly at: Instant; readonly entries: readonly LedgerEntry[] };

export type Ending = {
  readonly at: Instant;
  readonly status: "done" | "stuck" | "blocked" | "cancelled" | "in_doubt";
  readonly error: string | null;
  readonly entries?: readonly LedgerEntry[];
  readonly events?: readonly RunEvent[];
};

export function finish(state: RunState, { at, status, error, entries = [], events = [] }: Ending): Advance {
  const lastError = error === null ? null : cut(error, ERROR_CHARS);
  const over: RunState = {
    ...state,
    phase: "over",
    hasSpace: false,
    run: { ...state.run, status, isPausing: false, lastError, endedAt: at },
  };
  const last: RunEffect = { kind: "finish", run: over.run, entries, events: [...events, { kind: "run_ended" }] };
  return { state: over, effects: [last, ...closing(state)] };
}

type Resting = { readonly next: RunState["next"]; readonly entries: readonly LedgerEntry[] };

/** Held between two steps: the workspace stays, and no time passes for the budget. */
export function rest(state: RunState, { next, entries }: Resting): Advance {
  const paused: RunState = {
    ...state,
    phase: "paused",
    next,
    run: { ...state.run, status: "paused", isPausing: false },
    usedBeforeSeconds: state.run.budgetUsed.wallTimeSeconds,
  };
  return { state: paused, effects: [record(paused, { entries, events: [{ kind: "run_paused" }] })] };
}

export const closing = ({ hasSpace }: RunState): readonly RunEffect[] => (hasSpace ? [{ kind: "close_space" }] : []);

type Kept = { readonly entries?: readonly LedgerEntry[]; readonly events?: readonly RunEvent[] };

export const record = ({ run }: RunState, { entries = [], events = [] }: Kept): RunEffect => ({
  kind: "record",
  run,
  entries,
  events,
});

export const CANCELLED = "Stopped by you";
