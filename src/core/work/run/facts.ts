import type { Instant, Sha256Hex } from "#base";
import type {
  Artifact,
  CheckResult,
  Gate,
  LedgerEntry,
  RunRecord,
  SandboxRun,
  ToolArgs,
  VerificationCheck,
  WorkItem,
} from "#model";
import type { SandboxCall } from "../steps/tool-call.ts";

/** What of an approved item a run needs. It is read from the stored, approved text, never from what ran before. */
export type RunPlan = Pick<WorkItem, "id" | "steps" | "files" | "verify" | "gates" | "budget">;

/** What the approval granted. */
export type RunGrant = {
  readonly plan: RunPlan;
  /** Gates of the configuration, as they are when the run begins. */
  readonly systemGates: readonly Gate[];
  readonly runId: string;
  readonly tokenId: string;
  readonly planHash: Sha256Hex;
  readonly at: Instant;
};

/** What was kept of a run that a process left behind. */
export type FoundRun = {
  readonly plan: RunPlan;
  readonly systemGates: readonly Gate[];
  readonly run: RunRecord;
  /** In the order it was kept in. */
  readonly ledger: readonly LedgerEntry[];
  readonly at: Instant;
};

/** How a program ended, and what it printed as text; what is no UTF-8 is replaced. */
export type StepEnd = {
  readonly end: SandboxRun["end"];
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** What lies at the places of the step's artifacts; null for nothing, or nothing that is a file. */
  readonly artifacts: Readonly<Record<string, Artifact | null>>;
};

/** Each says when it was seen. */
export type RunFact = { readonly at: Instant } & (
  | { readonly kind: "begin" }
  /** The code of what the approval lacks; null when it holds. */
  | { readonly kind: "approval_checked"; readonly refusal: string | null }
  /** The words of what kept it closed; null when it is open. */
  | { readonly kind: "space_opened"; readonly refusal: string | null }
  | { readonly kind: "step_ended"; readonly executionId: string; readonly outcome: StepEnd | StepNotRun }
  | { readonly kind: "gates_checked"; readonly outcome: GatesPassed | GatesHeld }
  | { readonly kind: "checks_ran"; readonly results: readonly CheckResult[] }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "cancel" }
);
/** What gates let through, perhaps as less than it was: arguments before a step, the output after it; null as it was. */
export type GatesPassed = { readonly pass: true; readonly toolArgs: ToolArgs | null; readonly output: string | null };
/** The words of the gate that holds it. */
export type GatesHeld = { readonly pass: false; readonly error: string };
/** No program was started, or nothing is known of its end but these words. */
export type StepNotRun = { readonly end: null; readonly error: string };

export type RunEvent =
  | { readonly kind: "run_started" }
  | { readonly kind: "run_ended" }
  | { readonly kind: "run_paused" }
  | { readonly kind: "run_resumed" }
  | { readonly kind: "execution_blocked_no_approval"; readonly reason: string }
  | { readonly kind: "step_in_doubt"; readonly attempt: number; readonly stepIndex: number };

/** What is kept together, in one transaction, before the next effect. */
export type RunWrite = {
  readonly run: RunRecord;
  /** New ones, and later states of those kept before. */
  readonly entries: readonly LedgerEntry[];
  readonly events: readonly RunEvent[];
};

/** Performed one after the other, in their order. */
export type RunEffect =
  | { readonly kind: "check_approval" }
  | ({ readonly kind: "record" } & RunWrite)
  /** A fresh workspace with exactly these places of the machine. */
  | { readonly kind: "open_space"; readonly files: RunPlan["files"] }
  | ({ readonly kind: "check_gates" } & GateMoment)
  | {
      readonly kind: "run_step";
      readonly executionId: string;
      readonly stepIndex: number;
      readonly call: SandboxCall;
      readonly timeoutMs: number;
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

/** One moment of a run at which gates are asked. */
export type GateMoment =
  | {
      readonly trigger: "on_tool_call";
      readonly stepIndex: number;
      readonly tool: string;
      readonly toolArgs: ToolArgs;
    }
  | { readonly trigger: "after_step"; readonly stepIndex: number; readonly output: string };

export type RunState = {
  readonly plan: RunPlan;
  /** Those of the configuration, then the plan's own: put together once, before anything runs. [WORK-22] */
  readonly gates: readonly Gate[];
  readonly run: RunRecord;
  /** `gating`: gates look at the call of a step. `judging`: they look at what a step printed. */
  readonly phase: "new" | "checking" | "opening" | "gating" | "stepping" | "judging" | "verifying" | "paused" | "over";
  /** What begins when the approval holds: an attempt in a space of its own, or what a pause held back. */
  readonly next: "attempt" | "repeat" | "recheck" | "step" | "checks";
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
