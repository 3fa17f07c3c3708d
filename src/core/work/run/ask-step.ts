import { assert } from "#base";
import type { StepDecision, StepReply } from "#model";
import { isAskingCall, toolOf, type AskingCall, type ToolCall } from "#tools";
import { retry } from "./begin-attempt.ts";
import type { Advance, RunEffect, RunState } from "./facts.ts";
import { failedEntry, startedEntry } from "./ledger.ts";
import { startStep, stepAt } from "./start-step.ts";
import { record, type Beginning } from "./writes.ts";

/** A step that asks the owner. No program runs for it but the one that lays the answer in its file. */

type Starting = Beginning & { readonly call: ToolCall };

/** Begins the step, or has made ready what it asks: nothing of it is kept before there is an answer. */
export function beginStep(state: RunState, { at, entries, call }: Starting): Advance {
  if (!isAskingCall(call)) return startStep(state, { at, entries, call });
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(state, { entries })] : [];
  const asked: RunEffect = { kind: "prepare_question", stepIndex: state.pass.length, call };
  return { state: { ...state, phase: "asking", asked: call }, effects: [...kept, asked] };
}

type Replying = {
  readonly at: Beginning["at"];
  readonly call: AskingCall;
  readonly decision: StepDecision;
  readonly reply: StepReply;
};

/** The answer is text in a file, whatever it says; a draft that is wanted anew begins the next attempt. [CARD-16] */
export function goOnWith(state: RunState, { at, call, decision, reply }: Replying): Advance {
  if (reply.kind === "text") {
    const [answered] = toolOf(call).touches(call.args).places;
    assert(answered !== undefined, "CARD-16 an answer has a file");
    const args = { path: answered.path, content: reply.text };
    return startStep(state, { at, entries: [], call: { tool: "file_write", args }, decision });
  }
  const step = stepAt(state, state.pass.length);
  const started = { ...startedEntry(state, { step, at }), decision };
  const error = `You asked for another draft: ${reply.note}`;
  const ended = failedEntry(started, { error, at });
  const tried: RunState = { ...state, pass: [...state.pass, ended], executions: state.executions + 1 };
  return retry(tried, { at, entries: [started, ended], error });
}
