import { oneLine } from "#base";
import type { ApprovalRefusal } from "../approvals.ts";
import { reasonWords } from "../audit/reason-words.ts";
import type { SettleChoice } from "./doubt-records.ts";
import type { RunStatus } from "./run-records.ts";

/** Why an approval that a run was begun on lets nothing more begin. */
export type ApprovalLapse =
  | Extract<ApprovalRefusal["code"], "approval_key_unknown" | "approval_key_revoked" | "approval_expired">
  | "approval_missing"
  | "approval_unreadable";

/** Why something about a run was not done. */
export type WorkRefusal =
  | { readonly code: "run_unknown"; readonly runId: string }
  | { readonly code: "run_exists"; readonly runId: string }
  | { readonly code: "run_over"; readonly runId: string; readonly status: RunStatus }
  /** Nothing more of the run begins on its approval. */
  | { readonly code: "approval_lapsed"; readonly runId: string; readonly reason: ApprovalLapse }
  | { readonly code: "work_stopped" }
  | { readonly code: "run_not_paused"; readonly runId: string }
  | { readonly code: "run_not_pausable"; readonly runId: string }
  | { readonly code: "run_not_in_doubt"; readonly runId: string; readonly status: RunStatus }
  | { readonly code: "run_settled"; readonly runId: string; readonly choice: SettleChoice }
  /** What the choice asks for cannot be done, and the first reason why. */
  | { readonly code: "run_not_settled"; readonly runId: string; readonly reason: string };

type Said = { readonly what: string; readonly kept: string; readonly next: string };
type Table = { readonly [C in WorkRefusal["code"]]: (error: Extract<WorkRefusal, { readonly code: C }>) => Said };

export const WORK_WORDS: Table = {
  run_unknown: ({ runId }) => ({
    what: `There is no run ${oneLine(runId)}.`,
    kept: "Nothing was changed.",
    next: "`silas work list` shows the runs.",
  }),
  run_exists: ({ runId }) => ({
    what: `The run ${oneLine(runId)} was begun already.`,
    kept: "It is not begun a second time.",
    next: "",
  }),
  approval_lapsed: ({ reason }) => ({
    what: `The approval of this run no longer holds: ${reasonWords(reason)}.`,
    kept: "Nothing more of it begins.",
    next: "Propose the plan again to run it.",
  }),
  work_stopped: () => ({
    what: "Everything is stopped.",
    kept: "It stays paused.",
    next: "`silas start-again` lets work begin again.",
  }),
  run_not_paused: ({ runId }) => ({
    what: `The run ${oneLine(runId)} is not paused.`,
    kept: "It goes on as before.",
    next: "",
  }),
  run_not_pausable: ({ runId }) => ({
    what: `The run ${oneLine(runId)} cannot be paused at this moment.`,
    kept: "It goes on as before.",
    next: "Try again in a moment; a project is held by pausing the task that runs.",
  }),
  run_over: ({ runId, status }) => ({
    what: `The run ${oneLine(runId)} is over (${status}).`,
    kept: "It stays as it ended.",
    next: "",
  }),
  run_not_in_doubt: ({ runId, status }) => ({
    what: `The run ${oneLine(runId)} is not in doubt (${status}).`,
    kept: "There is nothing to settle.",
    next: "",
  }),
  run_settled: ({ runId, choice }) => ({
    what: `The doubt about ${oneLine(runId)} was settled before (${choice}).`,
    kept: "It stays as it was decided.",
    next: "`silas work show` says what was decided.",
  }),
  run_not_settled: ({ runId, reason }) => ({
    what: `The doubt about ${oneLine(runId)} cannot be settled this way (${oneLine(reason)}).`,
    kept: "It is as it was, and still to be decided.",
    next: "`silas work settle ID --leave` leaves it as it is.",
  }),
};
