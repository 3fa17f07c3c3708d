import { assert } from "#base";
import {
  ERROR_CHARS,
  executionResultSchema,
  type Artifact,
  type ExecutionEnvelope,
  type ExecutionResult,
  type SandboxRun,
  type Taint,
} from "#model";
import { cut } from "./ledger.ts";

/** What was seen of a step: how its program ended, and what it printed as text; what is no UTF-8 is replaced. */
export type StepSeen =
  | {
      readonly end: SandboxRun["end"];
      readonly stdout: string;
      readonly stderr: string;
      readonly durationMs: number;
      /** What lies at the places of the step's artifacts; null for nothing, or nothing that is a file. */
      readonly artifacts: Readonly<Record<string, Artifact | null>>;
    }
  /** No program was started, or nothing is known of its end but these words. */
  | { readonly end: null; readonly error: string };
type StepEnd = Exclude<StepSeen, { readonly end: null }>;

type Sealing = {
  /** What it was given. */
  readonly envelope: ExecutionEnvelope;
  /** The names it was to leave something under. */
  readonly names: readonly string[];
  readonly seen: StepSeen;
  readonly taint: Taint;
};

/** The result of one step, and of exactly that. It succeeded only if it ended with code 0 and left what it was to leave. */
export function sealResult({ envelope, names, seen, taint }: Sealing): ExecutionResult {
  const left = seen.end === null ? [] : leftIn(seen, names);
  const printed = seen.end === null ? "" : seen.stdout;
  const body = {
    execution_id: envelope.executionId,
    step_index: envelope.stepIndex,
    ...judged(seen, { envelope, names }),
    return_value: printed,
    content: printed === "" ? [] : [{ type: "text", text: printed }],
    metadata: { exit: seen.end, artifact_bytes: Object.fromEntries(left.map(([name, { size }]) => [name, size])) },
    artifacts: Object.fromEntries(left.map(([name, { sha256 }]) => [name, sha256])),
    taint,
    duration_seconds: seen.end === null ? 0 : seen.durationMs / 1000,
    // No model was asked by what a plan may name today.
    tokens_used: 0,
    cost_usd: 0,
  };
  const sealed = executionResultSchema.safeParse(body);
  assert(sealed.success, "EXEC-04 what a step answers fits its result");
  return sealed.data;
}

/** Whether it answers what was asked: another execution, or another step, does not. */
export const answers = (
  { executionId, stepIndex }: ExecutionResult,
  asked: Pick<ExecutionEnvelope, "executionId" | "stepIndex">,
): boolean => executionId === asked.executionId && stepIndex === asked.stepIndex;

/** Everything of a result that anybody but Silas may see: what a model is shown, and what gates look at before. */
export const shownOf = ({ content }: ExecutionResult): string => content.map(({ text }) => text).join("\n");

function judged(
  seen: StepSeen,
  asked: Pick<Sealing, "envelope" | "names">,
): Pick<ExecutionResult, "success" | "error"> {
  const error = seen.end === null ? cut(seen.error, ERROR_CHARS) : errorOf(seen, asked);
  return { success: error === null, error };
}

function errorOf(seen: StepEnd, { envelope, names }: Pick<Sealing, "envelope" | "names">): string | null {
  const wrong = endWords(seen, envelope);
  if (wrong !== null) return cut(`${wrong}${lastWords(seen.stderr)}`, ERROR_CHARS);
  const missing = names.filter((name) => foundAt(seen, name) === null);
  return missing.length === 0 ? null : cut(`Left no file for ${missing.join(", ")}`, ERROR_CHARS);
}

function endWords({ end }: StepEnd, { timeoutSeconds }: ExecutionEnvelope): string | null {
  switch (end.kind) {
    case "exit":
      return end.code === 0 ? null : `Ended with code ${end.code}`;
    case "signal":
      return `Ended by ${end.signal}`;
    case "timeout":
      return `Timeout after ${Math.round(timeoutSeconds * 10) / 10}s`;
    case "limit":
      return `Reached the limit of ${end.which}`;
  }
}

/** The end of what went to standard error: that is where programs say what is wrong. */
function lastWords(stderr: string): string {
  const said = stderr.trim();
  if (said === "") return "";
  const tail = said.slice(-(ERROR_CHARS / 2));
  return `: ${/^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail}`;
}

function leftIn(seen: StepEnd, names: readonly string[]): readonly (readonly [string, Artifact])[] {
  return names.flatMap((name) => {
    const found = foundAt(seen, name);
    return found === null ? [] : [[name, found] as const];
  });
}

const foundAt = ({ artifacts }: StepEnd, name: string): Artifact | null =>
  Object.hasOwn(artifacts, name) ? (artifacts[name] ?? null) : null;
