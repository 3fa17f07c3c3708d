import { assert, instantFromMs, LIMITS, msOfInstant, type Instant } from "#base";
import { adviceIdOf, ERROR_CHARS, type Consultation } from "#model";
import { retry } from "../run/begin-attempt.ts";
import { exhausted, cut } from "../run/ledger.ts";
import type { Advance, Of, RunState } from "../run/facts.ts";
import { closing, record } from "../run/writes.ts";
import { nextLevel } from "./cascade.ts";

/** Advice of the planner: a run that is stuck waits for it between two attempts. */

type Failing = { readonly at: Instant; readonly error: string; readonly failed: "check" | "other" };

/** Another attempt; or, once trying again is used up, the planner's word first. [WORK-30] [CONSULT-01] */
export function retryOrConsult(state: RunState, { at, error, failed }: Failing): Advance {
  const { run, plan, planner } = state;
  const { attempts, plannerCalls } = run.budgetUsed;
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "attempt" });
  const budget = used === null ? "left" : "used_up";
  const plannerCallsMax = plan.budget.maxPlannerCalls;
  const level = nextLevel({ failed, attempts, budget, plannerCalls, plannerCallsMax, planner, plan });
  return level === "consult" ? consult(state, { at, error }) : retry(state, { at, entries: [], error });
}

/**
 * The question, its message and that the run waits are one commit, which also counts the call: whatever is interrupted
 * then, nobody is asked for free or twice. [BUD-05] [CONSULT-11]
 */
function consult(state: RunState, { at, error }: Pick<Failing, "at" | "error">): Advance {
  const { plan } = state;
  const run = { ...state.run, lastError: cut(error, ERROR_CHARS) };
  const plannerCalls = run.budgetUsed.plannerCalls + 1;
  const asked = beginAdvice(run, { number: plannerCalls, numberMax: plan.budget.maxPlannerCalls, at });
  const dueAt = instantFromMs(msOfInstant(at) + LIMITS.adviceWaitMs);
  assert(dueAt.ok, "CONSULT-02 the end of a wait is a moment");
  const waiting: RunState = {
    ...state,
    phase: "consulting",
    hasSpace: false,
    run: {
      ...run,
      status: "running",
      budgetUsed: { ...run.budgetUsed, plannerCalls },
      consult: { consultationId: asked.consultationId, dueAt: dueAt.value },
    },
  };
  return { state: waiting, effects: [record(waiting, { consult: asked, unbegun: run }), ...closing(state)] };
}

type Asking = { readonly number: number; readonly numberMax: number; readonly at: Instant };

const beginAdvice = ({ runId, workItemId }: RunState["run"], { number, numberMax, at }: Asking): Consultation => ({
  consultationId: adviceIdOf(runId, number),
  kind: "advice",
  runId,
  workItemId,
  number,
  numberMax,
  state: "waiting",
  beganAt: at,
  askedAt: null,
  endedAt: null,
  answer: null,
  taint: null,
  tokensUsed: 0,
  guidance: null,
  requestId: null,
  failure: null,
  refused: null,
});

/** It waits on for what an earlier process asked; the workspace of the attempt that failed is not needed any more. */
export const waitOnForAdvice = (state: RunState): RunState => ({
  ...state,
  phase: "consulting",
  found: null,
  pass: [],
});

/** Advice, or that there is none: the next attempt begins either way, with the approval of the plan checked again. */
export function advised(state: RunState, { consultationId, guidance, tokensUsed }: Of<"advised">): Advance | null {
  if (state.run.consult?.consultationId !== consultationId) return null;
  const kept = guidance === null ? null : cut(guidance, LIMITS.adviceChars);
  return {
    state: { ...state, phase: "checking", next: "attempt", advice: { guidance: kept, tokensUsed } },
    effects: [{ kind: "check_approval" }],
  };
}
