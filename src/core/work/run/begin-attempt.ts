import { ERROR_CHARS } from "#model";
import { withAdvice, closing, finish, record, rest, type Beginning } from "./writes.ts";
import { begunAnew } from "../model-run/answers.ts";
import { exhausted, cut } from "./ledger.ts";
import type { Advance, RunEffect, RunEvent, RunState } from "./facts.ts";

/** How an attempt begins: counted, in a space of its own. */

/** Another attempt, if there is one left: counted and kept before anything of it runs. [WORK-17] [WORK-32] */
export function beginAttempt(before: RunState, { at, entries }: Beginning): Advance {
  const state = withAdvice(before);
  const { run, plan } = state;
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "attempt" });
  if (used !== null) {
    const why = used === "attempts" ? run.lastError : null;
    return finish(state, { at, status: "stuck", error: why ?? BUDGET_USED_UP[used], entries });
  }
  // What was advised is taken up by the attempt it is for; after a restart it is heard once more.
  if (run.isPausing) return rest(before, { next: "attempt", entries });
  const attempts = run.attempts + 1;
  const { said: _before, ...anew } = run;
  const counted: RunState = {
    ...state,
    ...begunAnew(plan),
    next: "attempt",
    run: { ...anew, attempts, status: "running", budgetUsed: { ...run.budgetUsed, attempts } },
  };
  const events: readonly RunEvent[] = attempts === 1 ? [{ kind: "run_started" }] : [];
  return openSpace(counted, [record(counted, { entries, events })]);
}

/** Every attempt has a workspace of its own; nothing of the one before is in it. */
export function openSpace(state: RunState, before: readonly RunEffect[]): Advance {
  return {
    state: { ...state, phase: "opening", hasSpace: false },
    effects: [...before, ...closing(state), { kind: "open_space", files: state.plan.files }],
  };
}

export function retry(state: RunState, { at, entries, error }: Beginning & { readonly error: string }): Advance {
  const failed = { ...state, run: { ...state.run, lastError: cut(error, ERROR_CHARS) } };
  return beginAttempt(failed, { at, entries });
}

export const BUDGET_USED_UP = {
  tokens: "The budget of tokens is used up",
  cost: "The budget of cost is used up",
  wall_time: "The budget of time is used up",
  attempts: "The attempts are used up",
} as const;
