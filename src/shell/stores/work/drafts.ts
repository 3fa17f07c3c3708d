import type { AuditDraft, RunRecord } from "#model";
import type { RunChange, RunNote } from "#ports";

/** What the work store and its twin record, in one place so that both say the same. */

export const isOver = ({ status }: Pick<RunRecord, "status">): boolean =>
  status !== "pending" && status !== "running" && status !== "verifying" && status !== "paused";

export const draftsOf = (change: RunChange): readonly AuditDraft[] =>
  change.events.map((event) => draftOf(change, event));

function draftOf({ run, at, actor }: RunChange, note: RunNote): AuditDraft {
  const names = { run_id: run.runId, work_item_id: run.workItemId };
  const said = { at, actor };
  switch (note.kind) {
    case "run_started":
      return { event: note.kind, data: { ...names, token_id: run.tokenId, plan_hash: run.planHash }, ...said };
    case "execution_blocked_no_approval":
      return { event: note.kind, data: { ...names, reason: note.reason }, ...said };
    case "step_in_doubt":
      return { event: note.kind, data: { ...names, attempt: note.attempt, step_index: note.stepIndex }, ...said };
    case "run_ended":
      return { event: note.kind, data: { ...names, ...endOf(run) }, ...said };
  }
}

const endOf = ({ status, isVerified, attempts, results }: RunRecord) => ({
  status,
  is_verified: isVerified,
  attempts,
  checks: results.length,
  checks_passed: results.filter(({ passed }) => passed).length,
});
