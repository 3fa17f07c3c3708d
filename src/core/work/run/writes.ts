import type { Instant } from "#base";
import { ERROR_CHARS, type Consultation, type LedgerEntry, type RunRecord } from "#model";
import { nextLevel } from "../consult/cascade.ts";
import type { Advance, RunEffect, RunEvent, RunState } from "./facts.ts";
import { cut } from "./ledger.ts";

/** What is kept of a run, and how it ends or rests. */

export type Beginning = { readonly at: Instant; readonly entries: readonly LedgerEntry[] };

type Ending = {
  readonly at: Instant;
  readonly status: "done" | "stuck" | "blocked" | "cancelled" | "in_doubt";
  readonly error: string | null;
  readonly entries?: readonly LedgerEntry[];
  readonly events?: readonly RunEvent[];
};

export function finish(state: RunState, { at, status, error, entries = [], events = [] }: Ending): Advance {
  const lastError = error === null ? null : cut(error, ERROR_CHARS);
  const { question: _asked, ...run } = withAdvice(state).run;
  const over: RunState = {
    ...state,
    phase: "over",
    hasSpace: false,
    advice: null,
    run: { ...run, status, isPausing: false, lastError, endedAt: at },
  };
  const ended: readonly RunEvent[] = [...events, ...waysLeft(over), { kind: "run_ended" }];
  const last: RunEffect = { kind: "finish", run: over.run, entries, events: ended };
  return { state: over, effects: [last, ...closing(state)] };
}

/** Retrying is over, and so is advice for those who read it: what is left is another plan. [CONSULT-04] [CONSULT-05] */
function waysLeft({ run, plan, planner }: RunState): readonly RunEvent[] {
  if (run.status !== "stuck") return [];
  const { attempts, plannerCalls } = run.budgetUsed;
  const plannerCallsMax = plan.budget.maxPlannerCalls;
  const stuck = { failed: "other", budget: "used_up", attempts, plannerCalls, plannerCallsMax, planner, plan } as const;
  return nextLevel(stuck) === "replan" ? [{ kind: "out_of_ways" }] : [];
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

type Kept = {
  readonly entries?: readonly LedgerEntry[];
  readonly events?: readonly RunEvent[];
  readonly consult?: Consultation;
  readonly unbegun?: RunRecord;
};

export const record = ({ run }: RunState, { entries = [], events = [], ...asked }: Kept): RunEffect => ({
  kind: "record",
  run,
  entries,
  events,
  ...asked,
});

export const CANCELLED = "Stopped by you";

/**
 * What came of asking the planner, taken up by the write that begins the next attempt or ends the run, and by no other:
 * until then the run says that it waits, so that whatever is interrupted hears it again and pays for it once. Advice is
 * text for the model that works; nothing that was approved is touched. [BUD-05] [CONSULT-03] [CONSULT-11]
 */
export function withAdvice(state: RunState): RunState {
  const { consult, guidance: _before, ...run } = state.run;
  if (consult === undefined) return state;
  const { guidance, tokensUsed } = state.advice ?? NONE;
  const budgetUsed = { ...run.budgetUsed, tokens: run.budgetUsed.tokens + tokensUsed };
  return { ...state, advice: null, run: { ...run, budgetUsed, ...(guidance === null ? {} : { guidance }) } };
}

const NONE = { guidance: null, tokensUsed: 0 } as const;
