import { LIMITS } from "#base";
import { isModelTurn, type LedgerEntry } from "#model";
import { isModelRun } from "../model-run/answers.ts";
import { leftByModel } from "../model-run/recovery.ts";
import type { FoundRun, RunEvent, RunState } from "./facts.ts";
import { mayRepeat } from "../steps/tool-call.ts";
import { failedEntry } from "./ledger.ts";

/** How a run that was interrupted goes on. */
export type AfterInterruption =
  | {
      readonly kind: "go_on";
      readonly next: RunState["next"];
      readonly pass: readonly LedgerEntry[];
      readonly entries: readonly LedgerEntry[];
    }
  | {
      readonly kind: "finish";
      readonly status: "done" | "in_doubt";
      readonly error: string | null;
      readonly pass: readonly LedgerEntry[];
      readonly entries: readonly LedgerEntry[];
      readonly events: readonly RunEvent[];
    };

export const INTERRUPTED = "Interrupted: Silas ended while it ran";

/**
 * Workspaces do not outlive the process, so that an attempt is repeated from its first step as long as nothing of it can
 * have reached outside of its workspace. Otherwise it is in doubt: shown, and never blindly done again.
 */
export function afterInterruption({ plan, run, ledger, at }: Omit<FoundRun, "systemGates">): AfterInterruption {
  const pass = lastPass(ledger.filter((entry) => entry.attempt === run.attempts && !isModelTurn(entry)));
  const last = pass.at(-1);
  const goOn = (next: RunState["next"], entries: readonly LedgerEntry[] = []): AfterInterruption => ({
    kind: "go_on",
    next,
    pass,
    entries,
  });
  if (run.attempts === 0) return goOn("attempt");
  if (last === undefined) return goOn("repeat");
  const byModel = isModelRun(plan) ? leftByModel({ plan, run, ledger }, pass) : null;
  const isOnline = pass.some(({ stepIndex }) => plan.steps[stepIndex]?.network === true);
  const isOutside = plan.files.write.length > 0 && !plan.steps.every(mayRepeat);
  const reachesOutside = byModel?.reachesOutside ?? (isOutside || isOnline);
  if (last.state !== "ended" && reachesOutside) return inDoubt(pass, last);
  const ended = last.state === "ended" ? last : failedEntry(last, { error: INTERRUPTED, at });
  if (ended.error === INTERRUPTED) {
    const others = ledger.filter((entry) => entry.attempt === run.attempts && entry !== last);
    const crashes = others.filter(({ error }) => error === INTERRUPTED).length + 1;
    // A step that takes Silas down with it must not do so for ever.
    return goOn(crashes < LIMITS.stepInterruptions ? "repeat" : "attempt", ended === last ? [] : [ended]);
  }
  if (last.success !== true && byModel === null) return goOn("attempt");
  // What a model chose is kept, so that its attempt can be done again without asking it.
  if (byModel !== null && !reachesOutside) return goOn("repeat");
  const isComplete = byModel?.isComplete ?? pass.length === plan.steps.length;
  if (isComplete && plan.verify.length === 0 && last.success === true) {
    return { kind: "finish", status: "done", error: null, pass, entries: [], events: [] };
  }
  if (!reachesOutside) return goOn("repeat");
  return isComplete ? goOn("recheck") : inDoubt(pass, last);
}

/** Entries of the last time the plan was begun from its first step. */
function lastPass(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ stepIndex }) => stepIndex === 0),
    ),
  );
}

function inDoubt(pass: readonly LedgerEntry[], last: LedgerEntry): AfterInterruption {
  const { attempt, stepIndex, stepName, state } = last;
  const wasOpen = state !== "ended";
  const error = wasOpen
    ? `Step ${stepName} was begun and its end was never seen`
    : `Interrupted after step ${stepName}; the steps before may have changed files outside`;
  return {
    kind: "finish",
    status: "in_doubt",
    error,
    pass,
    entries: wasOpen ? [{ ...last, state: "in_doubt" }] : [],
    events: [{ kind: "step_in_doubt", attempt, stepIndex }],
  };
}
