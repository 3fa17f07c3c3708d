import type { Instant, Sha256Hex } from "#base";
import type {
  ApprovalLapse,
  CheckResult,
  Consultation,
  ConversationMessage,
  ExecutionEnvelope,
  ExecutionResult,
  Gate,
  LedgerEntry,
  OfferedTool,
  RunQuestion,
  RunRecord,
  StepReply,
  ToolArgs,
  VerificationCheck,
  WorkItem,
} from "#model";
import type { AskingCall, ExecutorOutput, ToolCall } from "#tools";
import type { PlannerFact } from "../consult/cascade.ts";

/** What of an approved item a run needs. It is read from the stored, approved text, never from what ran before. */
export type RunPlan = Pick<
  WorkItem,
  "id" | "body" | "steps" | "executor" | "tools" | "files" | "verify" | "gates" | "budget" | "onStuck"
>;

/** What the approval granted. */
export type RunGrant = {
  readonly plan: RunPlan;
  /** Gates of the configuration, as they are when the run begins. */
  readonly systemGates: readonly Gate[];
  /** Left out, there is none. */
  readonly planner?: PlannerFact;
  readonly runId: string;
  readonly tokenId: string;
  readonly planHash: Sha256Hex;
  readonly at: Instant;
};

/** What was kept of a run that a process left behind. */
export type FoundRun = {
  readonly plan: RunPlan;
  readonly systemGates: readonly Gate[];
  readonly planner?: PlannerFact;
  readonly run: RunRecord;
  /** In the order it was kept in. */
  readonly ledger: readonly LedgerEntry[];
  readonly at: Instant;
};

/** Each says when it was seen. */
export type RunFact = { readonly at: Instant } & (
  | { readonly kind: "begin" }
  /** The code of what the approval lacks; null when it holds. */
  | { readonly kind: "approval_checked"; readonly refusal: string | null }
  /** The approval no longer holds, so the beginning was not recorded and does not happen. */
  | { readonly kind: "approval_lapsed"; readonly reason: ApprovalLapse; readonly unkept: UnkeptWrite }
  /** The words of what kept it closed; null when it is open. */
  | { readonly kind: "space_opened"; readonly refusal: string | null }
  /** Held: nothing of it ran, and what keeps it from running is not over by trying again. */
  | { readonly kind: "step_ended"; readonly result: ExecutionResult; readonly held?: "blocked" }
  | { readonly kind: "gates_checked"; readonly outcome: GatesPassed | GatesHeld }
  /** What the model said to the question of this number. */
  | { readonly kind: "model_answered"; readonly executionId: string; readonly answer: ModelSpoke | ModelSilent }
  /** What became of the request that the run waits for; `unasked` when it could not even be asked, `unmet` when it was approved in vain. */
  | { readonly kind: "decided"; readonly requestId: string; readonly verdict: Verdict }
  /** What a step asks, ready to be asked; or the words of why it cannot be. */
  | { readonly kind: "question_ready"; readonly outcome: QuestionReady | QuestionRefused }
  /** The token of the decision when it holds; the code of what it lacks when it does not. */
  | {
      readonly kind: "decision_checked";
      readonly refusal: string | null;
      readonly tokenId: string | null;
      readonly reply?: StepReply;
    }
  /** What came of asking the planner: its advice, or null when there is none, and what it came to. */
  | ({ readonly kind: "advised"; readonly consultationId: string } & Advice)
  | { readonly kind: "checks_ran"; readonly results: readonly CheckResult[] }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "cancel" }
);
/** Its move as text, as `moveText` writes it, and what the question and the answer came to. */
export type ModelSpoke = { readonly spoke: true; readonly text: string; readonly tokensUsed: number };
/** There is no answer: the words of why. `blocked`: it is not over by trying again. */
export type ModelSilent = { readonly spoke: false; readonly error: string; readonly held?: "blocked" };
export type Advice = { readonly guidance: string | null; readonly tokensUsed: number };
export type Of<K extends RunFact["kind"]> = Extract<RunFact, { readonly kind: K }>;
/** What gates let through, perhaps as less than it was: arguments before a step, the output after it; null as it was. */
export type GatesPassed = { readonly pass: true; readonly toolArgs: ToolArgs | null; readonly output: string | null };
/** The words of the gate that holds it; where the owner may let it go on after all, what is to be asked. */
export type GatesHeld = { readonly pass: false; readonly error: string; readonly ask?: AskedCall };
/** A question that is ready to be asked, and the arguments the step would run with. */
export type AskedCall = { readonly question: RunQuestion; readonly toolArgs: ToolArgs };
export type QuestionReady = { readonly ready: true; readonly question: RunQuestion };
export type QuestionRefused = { readonly ready: false; readonly error: string };
export type Verdict = "approved" | "declined" | "expired" | "unasked" | "unmet";

export type RunEvent =
  | { readonly kind: "run_started" }
  | { readonly kind: "run_ended" }
  | { readonly kind: "run_paused" }
  | { readonly kind: "run_resumed" }
  /** Nothing is left of what it may try by itself, and its plan says to ask the planner then. [CONSULT-05] */
  | { readonly kind: "out_of_ways" }
  | { readonly kind: "execution_blocked_no_approval"; readonly reason: string }
  /** What a model says it left is not what it left; nothing follows from what it says. [EXEC-14] */
  | {
      readonly kind: "artifact_ref_mismatch";
      readonly attempt: number;
      readonly claimed: number;
      readonly left: number;
    }
  | { readonly kind: "step_in_doubt"; readonly attempt: number; readonly stepIndex: number };

/** What is kept together, in one transaction, before the next effect. */
export type RunWrite = {
  readonly run: RunRecord;
  /** New ones, and later states of those kept before. */
  readonly entries: readonly LedgerEntry[];
  readonly events: readonly RunEvent[];
  /** What the planner is asked from now on, with its message on the queue; left out when nothing is. [CONSULT-01] */
  readonly consult?: Consultation;
  /** The run without what begins here, in case its approval no longer holds; left out where nothing is counted. */
  readonly unbegun?: RunRecord;
};

/** The write that was refused, as far as the end of the run is made of it. */
type UnkeptWrite = Pick<RunWrite, "run" | "unbegun" | "entries">;

/** Performed one after the other, in their order. */
export type RunEffect =
  | { readonly kind: "check_approval" }
  | ({ readonly kind: "record" } & RunWrite)
  /** Kept together with the request of the run's question. */
  | ({ readonly kind: "ask" } & RunWrite)
  /** Whether the question was approved, for exactly this call. It spends nothing. */
  | { readonly kind: "check_decision"; readonly question: RunQuestion; readonly call: ToolCall }
  /** A fresh workspace with exactly these places of the machine. */
  | { readonly kind: "open_space"; readonly files: RunPlan["files"] }
  /** What a step of the plan asks the owner, with what lies in the workspace. Nothing is asked yet. */
  | { readonly kind: "prepare_question"; readonly stepIndex: number; readonly call: AskingCall }
  | ({ readonly kind: "check_gates" } & GateMoment)
  /** One question, with the hard limits of this one request. [BUD-06] */
  | ({ readonly kind: "ask_model" } & ModelQuestioning)
  | {
      readonly kind: "run_step";
      readonly executionId: string;
      readonly stepIndex: number;
      readonly envelope: ExecutionEnvelope;
      /** Places in the workspace to look at afterwards, by name. */
      readonly artifacts: Readonly<Record<string, string>>;
    }
  /** In another sandbox, in which the workspace cannot be changed. */
  | { readonly kind: "run_checks"; readonly checks: readonly VerificationCheck[] }
  /** Ends the step or the checks that are running; their fact still comes. */
  | { readonly kind: "stop_running" }
  | { readonly kind: "close_space" }
  /** The last write. Nothing runs after it. */
  | ({ readonly kind: "finish" } & RunWrite);

export type ModelQuestioning = {
  readonly executionId: string;
  readonly stepIndex: number;
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly OfferedTool[];
  /** Whether it holds anything that was not in the approved plan. */
  readonly taint: "owner" | "external";
  readonly outputTokensMax: number;
  readonly timeoutSeconds: number;
};

/** One moment of a run at which gates are asked. */
export type GateMoment =
  | {
      readonly trigger: "on_tool_call";
      readonly stepIndex: number;
      readonly tool: string;
      readonly toolArgs: ToolArgs;
      /** Why the owner has to be asked about it, whatever the gates say; left out where nobody has to. [APPR-23] */
      readonly risk?: string;
    }
  | { readonly trigger: "after_step"; readonly stepIndex: number; readonly output: string };

/** Where a model is in this attempt. */
export type ModelState = {
  /** The question that is being asked. */
  readonly asked: LedgerEntry | null;
  /** What was wrong with the answer before, if this one is the second try. */
  readonly problem: string | null;
  /** It has come to its end. */
  readonly output: ExecutorOutput | null;
  /** Calls of this attempt that the owner did not allow: after an interruption nobody is asked about them again. */
  readonly refused: readonly LedgerEntry[];
};

export type RunState = {
  /** Where a model works, its steps are those that the model has chosen so far in this attempt. */
  readonly plan: RunPlan;
  /** What a model is doing here; null where none works. */
  readonly model: ModelState | null;
  /** Those of the configuration, then the plan's own: put together once, before anything runs. [WORK-22] */
  readonly gates: readonly Gate[];
  readonly planner: PlannerFact;
  /** What the planner said, until the attempt it is for begins. */
  readonly advice: Advice | null;
  readonly run: RunRecord;
  /**
   * `consulting`: the planner is asked for advice, with no workspace open. `thinking`: the model is asked for the next call. `gating`: gates look at the call of a step. `asking`: what a step asks is made ready. `judging`: they look at what a step printed. `waiting`: the owner is asked
   * about a call. `confirming`: what the owner said of it is read again.
   */
  readonly phase:
    | "new"
    | "checking"
    | "opening"
    | "thinking"
    | "gating"
    | "asking"
    | "waiting"
    | "confirming"
    | "stepping"
    | "judging"
    | "verifying"
    | "consulting"
    | "paused"
    | "over";
  /** What begins when the approval holds: an attempt in a space of its own, or what a pause or a question held back. */
  readonly next: "attempt" | "repeat" | "recheck" | "step" | "asked" | "checks";
  /** The call that the owner is asked about, as long as this process knows it. */
  readonly asked: ToolCall | null;
  readonly hasSpace: boolean;
  readonly isCancelled: boolean;
  /** Steps of the current pass over the plan: all ended but perhaps the last. */
  readonly pass: readonly LedgerEntry[];
  /** The step that ended last, while gates look at what it printed; it is kept when they have answered. */
  readonly judged: LedgerEntry | null;
  /** Steps begun in the whole run; each has its own number. */
  readonly executions: number;
  /** What a process before this one left behind, until it was looked at. */
  readonly found: readonly LedgerEntry[] | null;
  /** Wall time is what was used before, and what passed since. */
  readonly usedBeforeSeconds: number;
  readonly activeSince: Instant;
};

export type Advance = { readonly state: RunState; readonly effects: readonly RunEffect[] };
