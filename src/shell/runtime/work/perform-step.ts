import { sandboxWords, type RunRecord, type SandboxLine } from "#model";
import type { EgressGrant, SandboxSpace } from "#ports";
import type { RunEffect, StepEnd, StepNotRun } from "#work";

type RunStep = Extract<RunEffect, { readonly kind: "run_step" }>;
type Performing = {
  readonly space: SandboxSpace;
  readonly effect: RunStep;
  readonly env: Readonly<Record<string, string>>;
  /** Looks at what it left. */
  readonly artifactsAt: (places: RunStep["artifacts"]) => Promise<StepEnd["artifacts"]>;
  /** What it may reach; null for nothing. */
  readonly network: EgressGrant | null;
  readonly onLine: (line: SandboxLine) => void;
};

/** Runs one step in the workspace of its attempt and says how it ended. What it printed is text and nothing more. */
export async function performStep(performing: Performing): Promise<StepEnd | StepNotRun> {
  const { space, effect, env, network, onLine } = performing;
  const { call, timeoutMs, artifacts } = effect;
  if (timeoutMs < 1) return { end: null, error: "No time of the budget is left" };
  const stdin = call.stdin === null ? {} : { stdin: Buffer.from(call.stdin) };
  const online = network === null ? {} : { network };
  const ran = await space.run({ argv: call.argv, env, ...stdin, ...online, timeoutMs, onLine });
  if (!ran.ok) return { end: null, error: sandboxWords(ran.error).what };
  const { end, stdout, stderr, durationMs } = ran.value;
  const found = await performing.artifactsAt(artifacts);
  return { end, stdout: textOf(stdout.bytes), stderr: textOf(stderr.bytes), durationMs, artifacts: found };
}

/** What is no UTF-8 is replaced. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes);

/** Which attempt it is, and why the one before failed, so that a program can do better. From outside like its output. */
export const attemptEnv = ({ attempts, lastError }: RunRecord): Readonly<Record<string, string>> => ({
  SILAS_ATTEMPT: String(attempts),
  SILAS_LAST_FAILURE: (lastError ?? "").replaceAll("\0", ""),
});
