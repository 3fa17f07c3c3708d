import { oneLine } from "#base";
import type { RunStatus } from "./run-records.ts";

/** Why something about a run was not done. */
export type WorkRefusal =
  | { readonly code: "run_unknown"; readonly runId: string }
  | { readonly code: "run_exists"; readonly runId: string }
  | { readonly code: "run_over"; readonly runId: string; readonly status: RunStatus };

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
  run_over: ({ runId, status }) => ({
    what: `The run ${oneLine(runId)} is over (${status}).`,
    kept: "It stays as it ended.",
    next: "",
  }),
};
