import { assert } from "#base";
import type { Step, StepDecision } from "#model";
import type { ToolCall } from "#tools";
import { remainingMs } from "./budget.ts";
import { sealEnvelope } from "./envelope.ts";
import type { Advance, RunEffect, RunState } from "./facts.ts";
import { startedEntry } from "./ledger.ts";
import { record, type Beginning } from "./writes.ts";

type Starting = Beginning & {
  readonly call: ToolCall;
  /** The approval of its own that it begins on. */
  readonly decision?: StepDecision;
};

/** Kept as started, then run. [BUD-03] [EXEC-12] */
export function startStep(state: RunState, { at, entries, call, decision }: Starting): Advance {
  const { run, plan } = state;
  const step = stepAt(state, state.pass.length);
  const entry = { ...startedEntry(state, { step, at }), ...(decision === undefined ? {} : { decision }) };
  const budgetUsed = { ...run.budgetUsed, executorRuns: run.budgetUsed.executorRuns + 1 };
  const started: RunState = {
    ...state,
    phase: "stepping",
    next: "attempt",
    run: { ...run, status: "running", budgetUsed },
    pass: [...state.pass, entry],
    executions: state.executions + 1,
  };
  const timeoutSeconds = Math.min(step.timeout, remainingMs(budgetUsed, plan.budget) / 1000);
  const effect: RunEffect = {
    kind: "run_step",
    executionId: entry.executionId,
    stepIndex: entry.stepIndex,
    envelope: sealEnvelope({ plan, run, step, entry, pass: state.pass, call, timeoutSeconds }),
    artifacts: step.artifacts,
  };
  return { state: started, effects: [record(started, { entries: [...entries, entry], unbegun: run }), effect] };
}

export function stepAt({ plan }: RunState, index: number): Step {
  const step = plan.steps[index];
  assert(step !== undefined, "EXEC-12 a step of the ledger is a step of the plan");
  return step;
}
