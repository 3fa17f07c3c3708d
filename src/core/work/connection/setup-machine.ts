import type { ConnectionFailure, ScriptLine, SetupStep, StepResponse } from "#model";

/** What a setup has come to. */
export type SetupState = {
  readonly phase: "talking" | "completed" | "failed";
  /** The step that is shown. */
  readonly shown: { readonly stepId: string; readonly step: SetupStep } | null;
  /** The step whose answer the script waits for. [SETUP-07] */
  readonly awaits: string | null;
  /** An answer that came before the script waited for it. */
  readonly early: Answer | null;
  readonly completion: Completion | null;
  readonly failure: ConnectionFailure | null;
};
export type Completion = Extract<ScriptLine, { readonly type: "completion" }>["connection_payload"];

export type SetupFact =
  | { readonly kind: "line"; readonly line: ScriptLine }
  /** What a person answered, a secret that was stored, a code that came back: for this step and no other. */
  | ({ readonly kind: "answer" } & Answer);
type Answer = { readonly stepId: string; readonly payload: StepPayload };
export type StepPayload = Readonly<Record<string, string>> & { readonly action: StepResponse["action"] };

export type SetupEffect =
  | { readonly kind: "show"; readonly stepId: string; readonly step: SetupStep }
  | { readonly kind: "say"; readonly line: ManagerLine }
  | { readonly kind: "log"; readonly level: "info" | "warning"; readonly message: string }
  /** Nothing more is heard of the script: it may end. */
  | { readonly kind: "end" };
/** What the script is told. [SETUP-05] */
type ManagerLine =
  | { readonly type: "step_result"; readonly step_id: string; readonly payload: StepPayload }
  | { readonly type: "cancel"; readonly reason: "user_cancelled" };

export type SetupTurn = { readonly state: SetupState; readonly effects: readonly SetupEffect[] };

export const SETUP_BEGINS: SetupState = {
  phase: "talking",
  shown: null,
  awaits: null,
  early: null,
  completion: null,
  failure: null,
};

/** One turn of the conversation with a setup script. Time, secrets and processes are the shell's. */
export function advanceSetup(state: SetupState, fact: SetupFact): SetupTurn {
  if (state.phase !== "talking") return { state, effects: [] };
  return fact.kind === "line" ? onLine(state, fact.line) : onAnswer(state, fact);
}

function onLine(state: SetupState, line: ScriptLine): SetupTurn {
  switch (line.type) {
    case "log":
      return { state, effects: [{ kind: "log", level: line.level, message: line.message }] };
    case "await_input":
      return onAwait({ ...state, awaits: line.step_id });
    case "completion":
      return {
        state: { ...state, phase: "completed", completion: line.connection_payload },
        effects: [{ kind: "end" }],
      };
    case "failure":
      return failed(state, line.failure);
    case "setup_step": {
      const { step_id: stepId, step } = line;
      if (step.type === "failure") return failed(state, step.failure);
      // What it sums up is registered by the line that carries it, and by nothing before.
      if (step.type === "completion") return { state, effects: [] };
      return { state: { ...state, shown: { stepId, step } }, effects: [{ kind: "show", stepId, step }] };
    }
  }
}

const failed = (state: SetupState, failure: ConnectionFailure): SetupTurn => ({
  state: { ...state, phase: "failed", failure },
  effects: [{ kind: "end" }],
});

function onAwait(state: SetupState): SetupTurn {
  const { early, awaits } = state;
  return early !== null && early.stepId === awaits
    ? onAnswer({ ...state, early: null }, early)
    : { state, effects: [] };
}

/** INVARIANT: an answer reaches the script only while it waits for that very step. [SETUP-07] */
function onAnswer(state: SetupState, { stepId, payload }: Answer): SetupTurn {
  if (state.awaits !== stepId) {
    const isShown = state.shown?.stepId === stepId;
    return { state: isShown ? { ...state, early: { stepId, payload } } : state, effects: [] };
  }
  const line = { type: "step_result", step_id: stepId, payload } as const;
  return { state: { ...state, awaits: null }, effects: [{ kind: "say", line }] };
}
