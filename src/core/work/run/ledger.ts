import type { Instant } from "#base";
import {
  ERROR_CHARS,
  RETURN_CHARS,
  type Artifacts,
  type ExecutionResult,
  type LedgerEntry,
  type Step,
  type BudgetUsed,
  type WorkItem,
} from "#model";
import { callOf } from "../steps/tool-call.ts";
import type { RunState } from "./facts.ts";

/** What the next step is kept as before it runs. */
export const startedEntry = (state: RunState, { step, at }: Starting): LedgerEntry =>
  entryOf(state, { at, stepName: step.name, tool: callOf(step).tool });

type Naming = { readonly at: Instant } & Pick<LedgerEntry, "stepName" | "tool">;

/** What is kept before anything happens, at the place after what this pass has done. */
export function entryOf({ run, executions, pass }: RunState, { at, stepName, tool }: Naming): LedgerEntry {
  return {
    executionId: `${run.runId}.${executions + 1}`,
    runId: run.runId,
    attempt: run.attempts,
    stepIndex: pass.length,
    stepName,
    tool,
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
    tokensUsed: 0,
    costUsd: 0,
  };
}

type Starting = { readonly step: Step; readonly at: Instant };
type Ending = { readonly result: ExecutionResult; readonly at: Instant };

/** The same step when it was answered: all of it is the result's, as much of its text as is kept. [EXEC-04] [EXEC-12] */
export function endedEntry(entry: LedgerEntry, { result, at }: Ending): LedgerEntry {
  const { success, error, taint, metadata, tokensUsed, costUsd } = result;
  const { exit, artifactBytes } = metadata;
  const artifacts = Object.entries(result.artifacts).map(([name, sha256]) => [
    name,
    { sha256, size: artifactBytes[name] ?? 0 },
  ]);
  return {
    ...entry,
    state: "ended",
    success,
    returnValue: cut(result.returnValue, RETURN_CHARS),
    artifacts: Object.fromEntries(artifacts),
    error,
    taint,
    endedAt: at,
    // In thousandths of a millisecond: what is smaller is noise of the division.
    durationMs: exit === null ? null : Math.round(result.durationSeconds * 1_000_000) / 1000,
    exit,
    tokensUsed,
    costUsd,
  };
}

/** A step that nobody answered. */
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
  const kept = text.slice(0, charsMax);
  return /[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept;
}

type Budget = WorkItem["budget"];
type BudgetDimension = "tokens" | "cost" | "wall_time" | "attempts";

type BudgetQuestion = { readonly used: BudgetUsed; readonly limit: Budget; readonly before: "action" | "attempt" };

/**
 * The dimension that forbids the next action, or null. Reaching a limit is using it up. Attempts forbid only the start of
 * another one: they are counted before the work, so the last would otherwise not be allowed to act. [BUD-02]
 */
export function exhausted({ used, limit, before }: BudgetQuestion): BudgetDimension | null {
  if (before === "attempt" && used.attempts >= limit.maxAttempts) return "attempts";
  if (used.tokens >= limit.maxTokens) return "tokens";
  if (used.costUsd >= limit.maxCostUsd) return "cost";
  return used.wallTimeSeconds >= limit.maxWallTimeSeconds ? "wall_time" : null;
}

/** How long one more action may take. */
export function remainingMs(used: BudgetUsed, limit: Budget): number {
  return Math.max(0, Math.ceil((limit.maxWallTimeSeconds - used.wallTimeSeconds) * 1000));
}

export const NOTHING_USED: BudgetUsed = {
  tokens: 0,
  costUsd: 0,
  wallTimeSeconds: 0,
  attempts: 0,
  plannerCalls: 0,
  executorRuns: 0,
};
