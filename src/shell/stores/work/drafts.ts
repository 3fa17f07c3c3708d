import { sha256Hex, type Sha256Hex } from "#base";
import { settlementText, type AuditDraft, type RunRecord } from "#model";
import type { RunChange, RunNote, SettledRun } from "#ports";

/** The audit entries of the work store. */

const UNDER_WAY: ReadonlySet<RunRecord["status"]> = new Set(["pending", "running", "verifying", "paused", "waiting"]);
export const isOver = ({ status }: Pick<RunRecord, "status">): boolean => !UNDER_WAY.has(status);

/** A run that ends is recorded with the hash of all it did, which is asked for when everything of it is kept. */
export const draftsOf = (change: RunChange, hash: () => Sha256Hex): readonly AuditDraft[] =>
  change.events.flatMap((event) => (event.kind === "out_of_ways" ? [] : draftOf({ ...change, hash }, event)));

/** What is asked in consequence tells of itself. */
type Told = Exclude<RunNote, { readonly kind: "out_of_ways" }>;
type Hashed = { readonly hash: () => Sha256Hex };

function draftOf({ run, at, actor, hash }: RunChange & Hashed, note: Told): AuditDraft {
  const names = { run_id: run.runId, work_item_id: run.workItemId };
  const said = { at, actor };
  switch (note.kind) {
    case "run_started":
      return { event: note.kind, data: { ...names, token_id: run.tokenId, plan_hash: run.planHash }, ...said };
    case "execution_blocked_no_approval":
      return { event: note.kind, data: { ...names, reason: note.reason }, ...said };
    case "step_in_doubt":
      return { event: note.kind, data: { ...names, attempt: note.attempt, step_index: note.stepIndex }, ...said };
    case "artifact_ref_mismatch": {
      const { kind: event, ...counts } = note;
      return { event, data: { ...names, ...counts }, ...said };
    }
    case "run_paused":
    case "run_resumed":
      return { event: note.kind, data: names, ...said };
    case "run_ended":
      return { event: note.kind, data: { ...names, ...endOf(run), execution_hash: hash() }, ...said };
  }
}

export function settledDraft(run: RunRecord, { settlement, actor }: SettledRun): AuditDraft {
  const { runId, choice, at, isVerified, results } = settlement;
  const data = {
    run_id: runId,
    work_item_id: run.workItemId,
    choice,
    is_verified: isVerified,
    checks: results.length,
    checks_passed: results.filter(({ passed }) => passed).length,
    settlement_hash: sha256Hex(settlementText(settlement)),
  };
  return { event: "run_settled", data, at, actor };
}

const endOf = ({ status, isVerified, attempts, results }: RunRecord) => ({
  status,
  is_verified: isVerified,
  attempts,
  checks: results.length,
  checks_passed: results.filter(({ passed }) => passed).length,
});
