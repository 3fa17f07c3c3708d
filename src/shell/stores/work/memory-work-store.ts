import { assert, canonicalJson, err, LIMITS, ok, sha256Hex, type Instant, type Result } from "#base";
import {
  executionText,
  ledgerEntryToWire,
  isModelTurn,
  runRecordToWire,
  settlementText,
  type AuditRow,
  type Consultation,
  type LedgerEntry,
  type RunRecord,
  type RunSettlement,
  type RunStatus,
  type WorkRefusal,
} from "#model";
import type { ApprovalStore, AuditLog, GrantedRun, KeptExecution, RunChange, SettledRun, WorkStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { beginsWork, decidedIn, lapseOf, type ApprovalFacts } from "../approvals/lapse.ts";
import { draftsOf, isOver, settledDraft } from "./drafts.ts";
import { createMemoryRunNetworkStore } from "./run-network.ts";

type Kept = {
  readonly runs: Map<string, RunRecord>;
  readonly ledger: Map<string, LedgerEntry>;
  readonly settlements: Map<string, RunSettlement>;
  readonly network: ReturnType<typeof createMemoryRunNetworkStore>;
};
export type MemoryWorkParts = {
  readonly recordAct: RecordAct;
  readonly audit: AuditLog;
  /** What approvals let begin, oldest first. */
  readonly grants: () => readonly GrantedRun[];
  /** Where the questions of runs are asked; without it none can be. */
  readonly requests?: Pick<ApprovalStore, "propose" | "find" | "decline">;
  /** The approval of this id, as it stands now. */
  readonly approvalFacts: (tokenId: string) => ApprovalFacts | null;
  /** Where the planner is asked about runs; without it nobody is. */
  readonly beginConsult?: (consultation: Consultation) => void;
};

/** The in-memory twin of the work store: the same behaviour in the plainest code. */
export function createMemoryWorkStore(parts: MemoryWorkParts): WorkStore {
  const { recordAct, audit, grants, requests } = parts;
  const runs: Kept["runs"] = new Map();
  const isEnded = (runId: string): boolean => (runs.get(runId)?.endedAt ?? null) !== null;
  const network = createMemoryRunNetworkStore({ recordAct, isEnded });
  const kept: Kept = { runs, ledger: new Map(), settlements: new Map(), network };
  const { ledger, settlements } = kept;
  const { heldUntil, begin, saved } = createWrites(parts, kept);
  return {
    waiting: async () => ok(grants().filter(({ runId, projectRunId }) => projectRunId === null && !runs.has(runId))),
    grantOf: async (runId) => ok(grants().find((grant) => grant.runId === runId) ?? null),
    grantsOf: async (runIds) =>
      ok(new Map(grants().flatMap((grant) => (runIds.includes(grant.runId) ? [[grant.runId, grant] as const] : [])))),
    tasksOf: async (requestId) =>
      ok(grants().filter((grant) => grant.requestId === requestId && grant.projectRunId !== null)),
    find: async (runId) => ok(runs.get(runId) ?? null),
    doneBefore: async (workItemId, at) => ok(lastDone([...runs.values()], { workItemId, at })),
    list: async (asked) => ok(listed(asked, { runs, grants: grants() })),
    hasEnded: async (runId) => ok(isEnded(runId)),
    heldUntil,
    unfinished: async () => ok([...runs.values()].filter((run) => !isOver(run)).toSorted(byStart)),
    tokensSince: async (at) => ok(tokensSince(ledger.values(), at)),
    ledger: async (runId) => ok([...ledger.values()].filter((entry) => entry.runId === runId)),
    begin,
    save: saved,
    ask: async (made, request) => {
      const asked = await requests?.propose(request);
      return asked === undefined || asked.ok ? saved(made) : asked;
    },
    executions: async (requestId) => {
      const ids = grants().flatMap((grant) => (grant.requestId === requestId ? [grant.runId] : []));
      const ended = ids.flatMap((id) => runs.get(id) ?? []).filter(isOver);
      return ok(await Promise.all(ended.toSorted(byStart).map((run) => executionOf({ kept, audit, run }))));
    },
    addNetworkUse: network.addNetworkUse,
    networkOf: network.networkOf,
    inDoubt: async () => ok(doubtfulOf(kept).toSorted(byStart)),
    countInDoubt: async () => ok(doubtfulOf(kept).length),
    settlementOf: async (runId) => ok(settlements.get(runId) ?? null),
    settle: async (settled) => settle({ kept, recordAct }, settled),
  };
}

function createWrites(parts: MemoryWorkParts, kept: Kept) {
  const { recordAct, requests } = parts;
  const { runs, ledger } = kept;
  const { mayBegin, heldUntil } = createLapses(parts, ledger);
  const change = (made: RunChange): Result<void, never> => {
    runs.set(made.run.runId, made.run);
    for (const entry of made.entries) ledger.set(entry.executionId, entry);
    for (const draft of draftsOf(made, () => sha256Hex(textOf(kept, made.run)))) recordAct(draft);
    return ok();
  };
  return {
    heldUntil,
    async begin(made: RunChange): Promise<Result<void, WorkRefusal>> {
      const { runId } = made.run;
      if (runs.has(runId)) return err({ code: "run_exists", runId });
      const held = await mayBegin(made);
      return held.ok ? change(made) : held;
    },
    async saved(made: RunChange): Promise<Result<void, WorkRefusal>> {
      const { runId } = made.run;
      const before = runs.get(runId);
      if (before === undefined) return err({ code: "run_unknown", runId });
      if (isOver(before)) return err({ code: "run_over", runId, status: before.status });
      const held = await mayBegin(made);
      if (!held.ok) return held;
      await leaveQuestion(requests, { before, change: made });
      const answer = change(made);
      if (made.consult !== undefined) parts.beginConsult?.(made.consult);
      return answer;
    },
  };
}

/** Whether approvals still hold, as the store on the file asks it inside of its transaction. */
function createLapses({ requests, approvalFacts }: MemoryWorkParts, ledger: Kept["ledger"]) {
  const decisionsOf = async (run: RunRecord): Promise<readonly (ApprovalFacts | null)[]> => {
    const asked = run.question === undefined ? null : await requests?.find(run.question.requestId);
    const given = asked?.ok === true && asked.value?.state === "approved" ? asked.value.tokenId : null;
    const used = decidedIn([...ledger.values()].filter(({ runId }) => runId === run.runId));
    return [...(given === null ? [] : [given]), ...used].map(approvalFacts);
  };
  return {
    async mayBegin(made: RunChange): Promise<Result<void, WorkRefusal>> {
      const decisions = [...(await decisionsOf(made.run)), ...decidedIn(made.entries).map(approvalFacts)];
      const own = approvalFacts(made.run.tokenId);
      const reason = beginsWork(made) ? lapseOf(own, { at: made.at, decisions: () => decisions }) : null;
      return reason === null ? ok() : err({ code: "approval_lapsed", runId: made.run.runId, reason });
    },
    heldUntil: async (run: RunRecord): Promise<Result<Instant | null, never>> => {
      const ends = (await decisionsOf(run)).flatMap((one) => (one?.key === "enrolled" ? [one.expiresAt] : []));
      return ok(ends.toSorted().at(-1) ?? null);
    },
  };
}

const doubtfulOf = ({ runs, settlements }: Pick<Kept, "runs" | "settlements">): readonly RunRecord[] =>
  [...runs.values()].filter(({ runId, status }) => status === "in_doubt" && !settlements.has(runId));

type Known = { readonly runs: Kept["runs"]; readonly grants: readonly GrantedRun[] };

function listed(asked: Parameters<WorkStore["list"]>[0], { runs, grants }: Known): readonly RunRecord[] {
  const { limit, status, idPart = "" } = asked;
  const requestOf = (id: string): string => grants.find(({ runId }) => runId === id)?.requestId ?? "";
  return newestOf(runs, status)
    .filter(({ runId }) => runId.endsWith(idPart) || [runId, requestOf(runId)].some((id) => id.startsWith(idPart)))
    .slice(0, limit);
}

const newestOf = (runs: Kept["runs"], status: RunStatus | undefined): readonly RunRecord[] =>
  [...runs.values()]
    .filter((run) => status === undefined || run.status === status)
    .toSorted(byStart)
    .toReversed();

type Changing = { readonly before: RunRecord; readonly change: RunChange };

async function leaveQuestion(requests: MemoryWorkParts["requests"], { before, change }: Changing): Promise<void> {
  const { run, at, actor } = change;
  const asked = before.question?.requestId;
  if (requests === undefined || asked === undefined || asked === run.question?.requestId) return;
  const left = await requests.find(asked);
  if (!left.ok || left.value?.state !== "pending") return;
  const { requestId, planHash } = left.value;
  await requests.decline({ requestId, planHash, at, actor });
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

function textOf({ ledger, network }: Kept, run: RunRecord): string {
  const entries = [...ledger.values()].filter(({ runId }) => runId === run.runId);
  return executionText({
    run: runRecordToWire(run),
    ledger: entries.map(ledgerEntryToWire),
    network: network.usesOf(run.runId),
  });
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

const tokensSince = (entries: Iterable<LedgerEntry>, at: Instant): number =>
  [...entries]
    .filter((entry) => isModelTurn(entry) && entry.startedAt >= at)
    .reduce((sum, { tokensUsed }) => sum + tokensUsed, 0);

type Done = { readonly workItemId: string; readonly at: Instant };

function lastDone(runs: readonly RunRecord[], { workItemId, at }: Done): RunRecord | null {
  const done = runs.filter((run) => run.workItemId === workItemId && run.status === "done");
  const before = done.filter(({ endedAt }) => endedAt !== null && endedAt <= at);
  return before.toSorted((a, b) => ((a.endedAt ?? "") < (b.endedAt ?? "") ? -1 : 1)).at(-1) ?? null;
}
