import { err, ok, type Result } from "#base";
import type { LedgerEntry, RunRecord, WorkRefusal } from "#model";
import type { GrantedRun, RunChange, WorkStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { draftsOf, isOver } from "./drafts.ts";

type Kept = { readonly runs: Map<string, RunRecord>; readonly ledger: Map<string, LedgerEntry> };
export type MemoryWorkParts = {
  readonly recordAct: RecordAct;
  /** What approvals let begin, oldest first. */
  readonly grants: () => readonly GrantedRun[];
};

/** The in-memory twin of the work store: the same behaviour in the plainest code. */
export function createMemoryWorkStore({ recordAct, grants }: MemoryWorkParts): WorkStore {
  const kept: Kept = { runs: new Map(), ledger: new Map() };
  const { runs, ledger } = kept;
  const change = (made: RunChange): Result<void, never> => {
    runs.set(made.run.runId, made.run);
    for (const entry of made.entries) ledger.set(entry.executionId, entry);
    for (const draft of draftsOf(made)) recordAct(draft);
    return ok();
  };
  const saved = (made: RunChange): Result<void, WorkRefusal> => {
    const { runId } = made.run;
    const before = runs.get(runId);
    if (before === undefined) return err({ code: "run_unknown", runId });
    return isOver(before) ? err({ code: "run_over", runId, status: before.status }) : change(made);
  };
  return {
    waiting: async () => ok(grants().filter(({ runId }) => !runs.has(runId))),
    grantOf: async (runId) => ok(grants().find((grant) => grant.runId === runId) ?? null),
    find: async (runId) => ok(runs.get(runId) ?? null),
    list: async (most) => ok([...runs.values()].toSorted(byStart).toReversed().slice(0, most)),
    unfinished: async () => ok([...runs.values()].filter((run) => !isOver(run)).toSorted(byId)),
    ledger: async (runId) => ok([...ledger.values()].filter((entry) => entry.runId === runId)),
    begin: async (made) => {
      const { runId } = made.run;
      return runs.has(runId) ? err({ code: "run_exists", runId }) : change(made);
    },
    save: async (made) => saved(made),
  };
}

const byId = (a: RunRecord, b: RunRecord): number => (a.runId < b.runId ? -1 : 1);
const byStart = (a: RunRecord, b: RunRecord): number =>
  a.startedAt === b.startedAt ? byId(a, b) : a.startedAt < b.startedAt ? -1 : 1;
