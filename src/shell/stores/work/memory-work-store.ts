import { assert, canonicalJson, err, LIMITS, ok, sha256Hex, type Result } from "#base";
import {
  executionText,
  ledgerEntryToWire,
  runRecordToWire,
  settlementText,
  type AuditRow,
  type LedgerEntry,
  type RunRecord,
  type RunSettlement,
  type WorkRefusal,
} from "#model";
import type { AuditLog, GrantedRun, KeptExecution, RunChange, SettledRun, WorkStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { draftsOf, isOver, settledDraft } from "./drafts.ts";

type Kept = {
  readonly runs: Map<string, RunRecord>;
  readonly ledger: Map<string, LedgerEntry>;
  readonly settlements: Map<string, RunSettlement>;
};
export type MemoryWorkParts = {
  readonly recordAct: RecordAct;
  readonly audit: AuditLog;
  /** What approvals let begin, oldest first. */
  readonly grants: () => readonly GrantedRun[];
};

/** The in-memory twin of the work store: the same behaviour in the plainest code. */
export function createMemoryWorkStore({ recordAct, audit, grants }: MemoryWorkParts): WorkStore {
  const kept: Kept = { runs: new Map(), ledger: new Map(), settlements: new Map() };
  const { runs, ledger, settlements } = kept;
  const change = (made: RunChange): Result<void, never> => {
    runs.set(made.run.runId, made.run);
    for (const entry of made.entries) ledger.set(entry.executionId, entry);
    for (const draft of draftsOf(made, () => sha256Hex(textOf(kept, made.run)))) recordAct(draft);
    return ok();
  };
  const saved = (made: RunChange): Result<void, WorkRefusal> => {
    const { runId } = made.run;
    const before = runs.get(runId);
    if (before === undefined) return err({ code: "run_unknown", runId });
    return isOver(before) ? err({ code: "run_over", runId, status: before.status }) : change(made);
  };
  return {
    waiting: async () => ok(grants().filter(({ runId, projectRunId }) => projectRunId === null && !runs.has(runId))),
    grantOf: async (runId) => ok(grants().find((grant) => grant.runId === runId) ?? null),
    tasksOf: async (requestId) =>
      ok(grants().filter((grant) => grant.requestId === requestId && grant.projectRunId !== null)),
    find: async (runId) => ok(runs.get(runId) ?? null),
    doneBefore: async (workItemId, at) => {
      const done = [...runs.values()].filter((run) => run.workItemId === workItemId && run.status === "done");
      const before = done.filter(({ endedAt }) => endedAt !== null && endedAt <= at);
      return ok(before.toSorted((a, b) => ((a.endedAt ?? "") < (b.endedAt ?? "") ? -1 : 1)).at(-1) ?? null);
    },
    list: async (most) => ok([...runs.values()].toSorted(byStart).toReversed().slice(0, most)),
    unfinished: async () => ok([...runs.values()].filter((run) => !isOver(run)).toSorted(byId)),
    ledger: async (runId) => ok([...ledger.values()].filter((entry) => entry.runId === runId)),
    begin: async (made) => {
      const { runId } = made.run;
      return runs.has(runId) ? err({ code: "run_exists", runId }) : change(made);
    },
    save: async (made) => saved(made),
    executions: async (requestId) => {
      const ids = grants().flatMap((grant) => (grant.requestId === requestId ? [grant.runId] : []));
      const ended = ids.flatMap((id) => runs.get(id) ?? []).filter(isOver);
      return ok(await Promise.all(ended.toSorted(byStart).map((run) => executionOf({ kept, audit, run }))));
    },
    inDoubt: async () => {
      const doubtful = [...runs.values()].filter(({ status }) => status === "in_doubt");
      return ok(doubtful.filter(({ runId }) => !settlements.has(runId)).toSorted(byId));
    },
    settlementOf: async (runId) => ok(settlements.get(runId) ?? null),
    settle: async (settled) => settle({ kept, recordAct }, settled),
  };
}

function settle(
  { kept: { runs, settlements }, recordAct }: { readonly kept: Kept; readonly recordAct: RecordAct },
  settled: SettledRun,
): Result<void, WorkRefusal> {
  const { runId } = settled.settlement;
  const run = runs.get(runId);
  if (run === undefined) return err({ code: "run_unknown", runId });
  if (run.status !== "in_doubt") return err({ code: "run_not_in_doubt", runId, status: run.status });
  const before = settlements.get(runId);
  if (before !== undefined) return err({ code: "run_settled", runId, choice: before.choice });
  settlements.set(runId, settled.settlement);
  recordAct(settledDraft(run, settled));
  return ok();
}

function textOf({ ledger }: Kept, run: RunRecord): string {
  const entries = [...ledger.values()].filter(({ runId }) => runId === run.runId);
  return executionText({ run: runRecordToWire(run), ledger: entries.map(ledgerEntryToWire) });
}

type Executed = { readonly kept: Kept; readonly audit: AuditLog; readonly run: RunRecord };

async function executionOf({ kept, audit, run }: Executed): Promise<KeptExecution> {
  const settlement = kept.settlements.get(run.runId);
  const entries = await audit.entries({ beforeSeq: null, from: null, to: null, limit: LIMITS.pageRows });
  assert(entries.ok, "a chain in memory is read");
  const lines = entries.value.flatMap(({ hash, ...entry }): readonly AuditRow[] => {
    const text = canonicalJson(entry);
    assert(text.ok, "an entry has canonical bytes");
    return entry.data["run_id"] === run.runId ? [{ seq: entry.seq, text: text.value, hash }] : [];
  });
  return {
    record: textOf(kept, run),
    settlement: settlement === undefined ? null : settlementText(settlement),
    audit: lines.toReversed(),
  };
}

const byId = (a: RunRecord, b: RunRecord): number => (a.runId < b.runId ? -1 : 1);
const byStart = (a: RunRecord, b: RunRecord): number =>
  a.startedAt === b.startedAt ? byId(a, b) : a.startedAt < b.startedAt ? -1 : 1;
