import { type Result, oneLine, type Instant } from "#base";
import {
  sandboxWords,
  type ExecutionResult,
  type SandboxLine,
  type SandboxRun,
  type Taint,
  type RunProgress,
} from "#model";
import { deriveTaint } from "#policy";
import type { EgressGrant, SandboxSpace } from "#ports";
import type { SandboxCall } from "#tools";
import { callIn, sealResult, type RunEffect, type StepSeen, type RunState } from "#work";
import type { LeftBehind } from "./spaces.ts";

type RunStep = Extract<RunEffect, { readonly kind: "run_step" }>;
type Performing = {
  readonly space: SandboxSpace;
  readonly effect: RunStep;
  /** Looks at what it left. */
  readonly artifactsAt: (places: RunStep["artifacts"]) => Promise<LeftBehind>;
  /** What the script of a skill reads; refused with the words of what keeps the step from running. */
  readonly inputFor: (call: SandboxCall) => Promise<Result<string | null, string>>;
  /** What it may reach; null for nothing. */
  readonly network: EgressGrant | null;
  readonly onLine: (line: SandboxLine) => void;
};

/** What a result is made of: a call that the owner signed, and what a program made of it and found there. */
const MADE_OF: readonly { readonly taint: Taint }[] = [{ taint: "owner" }, { taint: "external" }];

/** Runs one step in the workspace of its attempt and answers its envelope, whatever tool it names. [EXEC-04] */
export async function performStep(performing: Performing): Promise<PerformedStep> {
  const { envelope, artifacts } = performing.effect;
  const call = callIn(envelope);
  const input = await performing.inputFor(call);
  const seen: StepSeen = input.ok
    ? await see(performing, { ...call, stdin: input.value ?? call.stdin })
    : { end: null, error: input.error };
  const result = sealResult({ envelope, names: Object.keys(artifacts), seen, taint: deriveTaint(MADE_OF) });
  return { result, ...(input.ok ? {} : { held: "blocked" as const }) };
}
type PerformedStep = {
  readonly result: ExecutionResult;
  /** Nothing of it ran, and nothing would if it were tried again. */
  readonly held?: "blocked";
};

/** How it ended. What it printed is text and nothing more. */
async function see(performing: Performing, call: SandboxCall): Promise<StepSeen> {
  const { space, effect, network, onLine } = performing;
  const { envelope, artifacts } = effect;
  const { maxOutputBytes, sandboxConfig } = envelope;
  const timeoutMs = Math.floor(envelope.timeoutSeconds * 1000);
  if (timeoutMs < 1) return { end: null, error: "No time of the budget is left" };
  const stdin = call.stdin === null ? {} : { stdin: Buffer.from(call.stdin) };
  const online = network === null ? {} : { network };
  const ran = await space.run({ argv: call.argv, env: sandboxConfig.env, ...stdin, ...online, timeoutMs, onLine });
  if (!ran.ok) return { end: null, error: sandboxWords(ran.error).what };
  const { end, stdout, stderr, durationMs } = ran.value;
  const left = await performing.artifactsAt(artifacts);
  if (!left.ok) return { end: null, error: left.error };
  const kept = ({ bytes }: SandboxRun["stdout"]): string => textOf(bytes.subarray(0, maxOutputBytes));
  const printed = { stdout: kept(stdout), stderr: kept(stderr) };
  return { end, ...printed, durationMs, artifacts: left.value };
}

/** What is no UTF-8 is replaced. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes);

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
