import { assert, type Instant } from "#base";
import { reasonWords, type RunQuestion, type StepDecision } from "#model";
import { isAskingCall, toolOf, type AskingCall, type ToolCall } from "#tools";
import { callOf, readStep } from "../steps/tool-call.ts";
import { goOnWith, startStep, stepAt } from "./start-step.ts";
import { retry } from "./begin-attempt.ts";
import type { Advance, AskedCall, Of, RunState, Verdict } from "./facts.ts";
import { CANCELLED, finish, record, rest } from "./writes.ts";

/** A gate that asks before a step: the run rests at that step until the owner has decided about exactly this call. */

type Asking = { readonly ask: AskedCall; readonly at: Instant };

/** Asked once. After an interruption the same call is not asked about again if it was approved and has not begun. */
export function askOwner(state: RunState, { ask, at }: Asking): Advance {
  const { question, toolArgs } = ask;
  const step = stepAt(state, state.pass.length);
  const call = readStep({ run: null, tool: callOf(step).tool, args: toolArgs });
  if (!call.ok) {
    const error = `Step ${step.name} was not run: a gate made arguments of it that cannot be run`;
    return finish(state, { at, status: "blocked", error });
  }
  const granted = state.run.question;
  if (granted !== undefined && granted.contentHash === question.contentHash) return confirm(state, call.value);
  return waitFor(state, { question, call: call.value });
}

/** What a step of the plan itself asks. What cannot be asked is tried again from the first step, as a failure is. */
export function questioned(state: RunState, { outcome, at }: Of<"question_ready">): Advance {
  const step = stepAt(state, state.pass.length);
  const { asked: call } = state;
  assert(call !== null, "WORK-24 what is made ready is a call");
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (!outcome.ready)
    return retry(state, { at, entries: [], error: `Step ${step.name} asks nothing: ${outcome.error}` });
  const granted = state.run.question;
  const { question } = outcome;
  if (granted !== undefined && granted.contentHash === question.contentHash) return confirm(state, call);
  return waitFor(state, { question, call });
}

type Waiting = { readonly question: RunQuestion; readonly call: ToolCall };

/** The run and its request are kept by one commit. While it rests no time counts. */
function waitFor(state: RunState, { question, call }: Waiting): Advance {
  const waiting: RunState = {
    ...state,
    phase: "waiting",
    asked: call,
    run: { ...state.run, status: "waiting", question },
    usedBeforeSeconds: state.run.budgetUsed.wallTimeSeconds,
  };
  return { state: waiting, effects: [{ kind: "ask", run: waiting.run, entries: [], events: [] }] };
}

/** Nothing of the call begins before the approval of it was read again from where it is kept. */
export function confirm(state: RunState, call: ToolCall): Advance {
  const { question } = state.run;
  assert(question !== undefined, "WORK-24 what is approved was asked");
  return {
    state: { ...state, phase: "confirming", asked: call },
    effects: [{ kind: "check_decision", question, call }],
  };
}

/** The owner's word, or that there will be none. Approved, it goes on with the approval of the plan checked again. */
export function decided(state: RunState, { requestId, verdict, at }: Of<"decided">): Advance | null {
  const { question } = state.run;
  if (question === undefined || question.requestId !== requestId) return null;
  const step = stepAt(state, question.stepIndex);
  const call = callOf(step);
  if (verdict !== "approved" && isAskingCall(call)) return finish(state, { at, ...unanswered(call, verdict) });
  if (verdict !== "approved") {
    const error = `Step ${step.name} was not run: ${WORDS[verdict](question.gate)}`;
    return finish(state, { at, status: "blocked", error });
  }
  const going: RunState = { ...state, run: { ...state.run, status: "running" }, activeSince: at };
  if (going.run.isPausing) return rest(going, { next: "step", entries: [] });
  return {
    state: { ...going, phase: "checking", next: "asked" },
    effects: [record(going, {}), { kind: "check_approval" }],
  };
}

type Unanswered = { readonly status: "cancelled" | "blocked"; readonly error: string };

/** What is declined is the owner's decision and no failure; what nobody answered blocks it, for all to see. [CARD-16] */
function unanswered(call: AskingCall, verdict: Exclude<Verdict, "approved">): Unanswered {
  const isDraft = toolOf(call).asks?.kind === "draft_review";
  switch (verdict) {
    case "declined":
      return { status: "cancelled", error: isDraft ? "You rejected the draft" : "You declined to decide" };
    case "expired":
      return {
        status: "blocked",
        error: `It asked you ${isDraft ? "about a draft" : "to decide"}, and was not answered in time`,
      };
    case "unasked":
    case "unmet":
      return { status: "blocked", error: "It asks you, and too many requests wait already" };
  }
}

const WORDS = {
  declined: (gate: string) => `gate ${gate} asked you, and you blocked it`,
  expired: (gate: string) => `gate ${gate} asked you, and it was not decided in time`,
  unasked: (gate: string) => `gate ${gate} asks for a decision, and too many wait already`,
  unmet: (gate: string) => `gate ${gate} asked you, you approved it, and the service did not give it`,
} as const;

/** The call begins on its own approval, once: whatever interrupts it, that approval begins nothing again. */
export function confirmed(state: RunState, { refusal, tokenId, reply, at }: Of<"decision_checked">): Advance {
  const { asked, run } = state;
  const { question, ...begun } = run;
  assert(question !== undefined && asked !== null, "WORK-24 what is approved was asked");
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  const step = stepAt(state, question.stepIndex);
  if (refusal !== null || tokenId === null) {
    const reason = refusal ?? "approval_missing";
    const events = [{ kind: "execution_blocked_no_approval", reason } as const];
    const error = `Step ${step.name} was not run: its own approval does not hold: ${reasonWords(reason)}`;
    return finish(state, { at, status: "blocked", error, events });
  }
  const decision: StepDecision = { requestId: question.requestId, operationId: question.operationId, tokenId };
  const going: RunState = { ...state, run: begun, asked: null };
  if (!isAskingCall(asked)) return startStep(going, { at, entries: [], call: asked, decision });
  assert(reply !== undefined, "CARD-16 a step that asked goes on with an answer");
  return goOnWith(going, { at, call: asked, decision, reply });
}
