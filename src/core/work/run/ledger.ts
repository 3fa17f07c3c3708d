import type { Instant } from "#base";
import { ERROR_CHARS, RETURN_CHARS, type Artifacts, type LedgerEntry, type Step } from "#model";
import { callOf } from "../steps/tool-call.ts";
import type { RunState, StepEnd, StepNotRun } from "./facts.ts";

/** What the next step is kept as before it runs. */
export function startedEntry({ run, executions, pass }: RunState, { step, at }: Starting): LedgerEntry {
  return {
    executionId: `${run.runId}.${executions + 1}`,
    runId: run.runId,
    attempt: run.attempts,
    stepIndex: pass.length,
    stepName: step.name,
    tool: callOf(step).tool,
    state: "started",
    success: null,
    returnValue: "",
    artifacts: {},
    error: null,
    taint: "external",
    startedAt: at,
    endedAt: null,
    durationMs: null,
    exit: null,
  };
}

type Starting = { readonly step: Step; readonly at: Instant };
type Ending = { readonly step: Step; readonly outcome: StepEnd | StepNotRun; readonly at: Instant };

/** The same step when it has ended. It succeeded only if it ended with code 0 and left every artifact it names. */
export function endedEntry(entry: LedgerEntry, { step, outcome, at }: Ending): LedgerEntry {
  if (outcome.end === null) return failedEntry(entry, { error: outcome.error, at });
  const error = errorOf(outcome, step);
  return {
    ...entry,
    state: "ended",
    success: error === null,
    returnValue: cut(outcome.stdout, RETURN_CHARS),
    artifacts: artifactsIn(outcome, step),
    error,
    endedAt: at,
    durationMs: outcome.durationMs,
    exit: outcome.end,
  };
}

/** A step that ended without a program to ask. */
export function failedEntry(entry: LedgerEntry, { error, at }: { error: string; at: Instant }): LedgerEntry {
  return { ...entry, state: "ended", success: false, error: cut(error, ERROR_CHARS), endedAt: at };
}

/** A later artifact replaces an earlier one of the same name; a step that failed contributes nothing. [EXEC-13] */
export function mergedArtifacts(entries: readonly LedgerEntry[]): Artifacts {
  return Object.fromEntries(
    entries.flatMap(({ success, artifacts }) => (success === true ? Object.entries(artifacts) : [])),
  );
}

/** The beginning of a text, never half of a character. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const kept = text.slice(0, charsMax);
  return /[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept;
}

function errorOf(outcome: StepEnd, step: Step): string | null {
  const wrong = endWords(outcome, step);
  if (wrong !== null) return cut(`${wrong}${lastWords(outcome.stderr)}`, ERROR_CHARS);
  const missing = Object.keys(step.artifacts).filter((name) => !foundAt(outcome, name));
  return missing.length === 0 ? null : cut(`Left no file for ${missing.join(", ")}`, ERROR_CHARS);
}

function endWords({ end }: StepEnd, { timeout }: Step): string | null {
  switch (end.kind) {
    case "exit":
      return end.code === 0 ? null : `Ended with code ${end.code}`;
    case "signal":
      return `Ended by ${end.signal}`;
    case "timeout":
      return `Timeout after ${timeout}s, or at the end of the budget`;
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

function artifactsIn(outcome: StepEnd, step: Step): Artifacts {
  return Object.fromEntries(
    Object.keys(step.artifacts).flatMap((name) => {
      const found = foundAt(outcome, name);
      return found === null ? [] : [[name, found]];
    }),
  );
}

const foundAt = ({ artifacts }: StepEnd, name: string) =>
  Object.hasOwn(artifacts, name) ? (artifacts[name] ?? null) : null;
