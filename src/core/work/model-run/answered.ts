import { assert } from "#base";
import { ERROR_CHARS, type LedgerEntry } from "#model";
import type { ExecutorOutput } from "#tools";
import { nextStep } from "../run/attempt.ts";
import { retry } from "../run/begin-attempt.ts";
import type { Advance, ModelState, Of, RunEvent, RunState } from "../run/facts.ts";
import { cut, failedEntry, mergedArtifacts } from "../run/ledger.ts";
import { CANCELLED, finish } from "../run/writes.ts";
import { readMove } from "./read-move.ts";
import { think, withTokens } from "./think.ts";

/** [WORK-20] */
const INVALID = "executor_structured_output_invalid";

/** What a question is called in the ledger whose answer was no call. */
const FINISHED = "The model says that it has finished";

type Answered = Of<"model_answered">;
type Thinking = RunState & { readonly model: ModelState };

/** What the model said: kept before anything of it is done. An answer to another question changes nothing. */
export function answered(before: RunState, { executionId, answer, at }: Answered): Advance {
  const { model } = before;
  const asked = model?.asked ?? null;
  if (model === null || asked === null || asked.executionId !== executionId) return { state: before, effects: [] };
  const tokensUsed = answer.spoke ? answer.tokensUsed : asked.tokensUsed;
  const budgetUsed = withTokens(before.run.budgetUsed, tokensUsed - asked.tokensUsed);
  const state: Thinking = { ...before, run: { ...before.run, budgetUsed }, model: { ...model, asked: null } };
  const turn = { ...asked, tokensUsed };
  const gone = (error: string): LedgerEntry => failedEntry(turn, { error, at });
  if (state.isCancelled)
    return finish(state, { at, status: "cancelled", error: CANCELLED, entries: [gone(CANCELLED)] });
  if (!answer.spoke) {
    const error = `The model gave no answer: ${answer.error}`;
    if (answer.held === "blocked") return finish(state, { at, status: "blocked", error, entries: [gone(error)] });
    return retry(state, { at, entries: [gone(error)], error });
  }
  const move = readMove(answer.text, state.plan);
  if (!move.ok) return repaired(state, { at, turn, text: answer.text, problem: move.error.summary });
  const kept: LedgerEntry = { ...turn, state: "ended", success: true, returnValue: answer.text.trim(), endedAt: at };
  const said: Thinking = { ...state, model: { ...state.model, problem: null } };
  if (move.value.kind === "end") {
    return ended(said, { at, kept: { ...kept, stepName: FINISHED }, output: move.value.output });
  }
  const steps = [...state.plan.steps, move.value.step];
  return nextStep({ ...said, plan: { ...state.plan, steps } }, { at, entries: [kept] });
}

type Repairing = {
  readonly at: Answered["at"];
  readonly turn: LedgerEntry;
  readonly text: string;
  readonly problem: string;
};

/** Asked for once more, with what was wrong; then the attempt has failed. [WORK-20] */
function repaired(state: Thinking, { at, turn, text, problem }: Repairing): Advance {
  const isSecond = state.model.problem !== null;
  const returnValue = cut(text, ERROR_CHARS);
  const entry = { ...failedEntry(turn, { error: isSecond ? INVALID : cut(problem, ERROR_CHARS), at }), returnValue };
  if (!isSecond) return think({ ...state, model: { ...state.model, problem } }, { at, entries: [entry] });
  return retry(state, { at, entries: [entry], error: INVALID });
}

type Ending = { readonly at: Answered["at"]; readonly kept: LedgerEntry; readonly output: ExecutorOutput };

/** What it says it left is compared with what it left, and that is all that is done with it. [EXEC-14] [WORK-19] */
function ended(state: Thinking, { at, kept, output }: Ending): Advance {
  const { run, model, pass } = state;
  const { summary, nextSteps, artifactRefs } = output;
  const left = Object.keys(mergedArtifacts(pass));
  const isSame = left.length === new Set(artifactRefs).size && left.every((name) => artifactRefs.includes(name));
  const events: readonly RunEvent[] = isSame
    ? []
    : [{ kind: "artifact_ref_mismatch", attempt: run.attempts, claimed: artifactRefs.length, left: left.length }];
  const over: RunState = {
    ...state,
    model: { ...model, output },
    run: { ...run, said: { summary, nextSteps: [...nextSteps] } },
  };
  const next = nextStep(over, { at, entries: [kept] });
  const [first, ...rest] = next.effects;
  assert(first !== undefined && "events" in first, "EXEC-14 the end of a model is kept before anything follows");
  return { ...next, effects: [{ ...first, events: [...events, ...first.events] }, ...rest] };
}
