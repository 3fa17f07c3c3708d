import { oneLine, type Instant } from "#base";
import type { RunProgress, SandboxLine } from "#model";
import type { RunState } from "#work";

/** Where a run is, as people are told. */

const LINE_CHARS = 200;

type Stepping = { readonly stepIndex: number; readonly at: Instant };

export function stepProgress({ plan, run }: RunState, { stepIndex, at }: Stepping): RunProgress {
  const name = plan.steps[stepIndex]?.name ?? "";
  const place = { attempt: run.attempts, step: stepIndex + 1, steps: stepsOf(plan) };
  return { ...place, name, lastLine: "", since: at };
}

const stepsOf = ({ executor, steps }: RunState["plan"]): number | null => (executor === "model" ? null : steps.length);

/** A model chooses what comes next. */
export const thinkProgress = ({ plan, run }: RunState, { at }: Pick<Stepping, "at">): RunProgress => ({
  attempt: run.attempts,
  step: plan.steps.length + 1,
  steps: null,
  name: "the model chooses what is next",
  lastLine: "",
  since: at,
});

type Checking = { readonly name: string; readonly at: Instant };

export const checkProgress = ({ plan, run }: RunState, { name, at }: Checking): RunProgress => ({
  attempt: run.attempts,
  step: null,
  steps: stepsOf(plan),
  name,
  lastLine: "",
  since: at,
});

export const withLine = (progress: RunProgress | null, { text }: SandboxLine): RunProgress | null =>
  progress === null ? null : { ...progress, lastLine: oneLine(text).slice(0, LINE_CHARS) };
