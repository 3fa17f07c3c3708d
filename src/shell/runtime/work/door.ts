import { assert, err, LIMITS, ok, type Result } from "#base";
import type { RunRecord, StoreFault, WorkSummary } from "#model";
import type { ApprovalStore, BatchViews, GrantedRun, RequestHeading, WorkDoor } from "#ports";
import { cancelLeft, type LeftDeps } from "./steer/cancel-left.ts";
import { cancelUndriven } from "./end-undriven.ts";
import { viewProject } from "./project-summary.ts";
import type { Runner } from "./runner.ts";
import { waitingRun } from "./unrun.ts";

type DoorDeps = LeftDeps &
  BatchViews & { readonly runner: Runner; readonly approvals: Pick<ApprovalStore, "find" | "headings"> };
type Listed = { readonly run: RunRecord; readonly grant: GrantedRun | null };

/** Runs as people see them: those that wait to be run among them, so that nothing granted is out of sight. */
export function createWorkDoor(deps: DoorDeps): Pick<WorkDoor, "list" | "show" | "cancel"> {
  const { store, runner } = deps;
  return {
    async list({ status, idPart = "" } = {}) {
      // What was granted and is not begun stands as pending.
      const isWanted = status === undefined || status === "pending";
      const waiting = isWanted ? await store.waiting() : ok([]);
      if (!waiting.ok) return waiting;
      const asked = { limit: LIMITS.runsListed, ...(idPart === "" ? {} : { idPart }) };
      const runs = await store.list({ ...asked, status });
      if (!runs.ok) return runs;
      // What was decided about stands as pending too, once nobody asks any more.
      const asking = status === "pending" ? await store.list({ ...asked, status: "waiting" }) : ok([]);
      if (!asking.ok) return asking;
      const isMeant = ({ runId, requestId }: GrantedRun): boolean =>
        [runId, requestId].some((id) => id.startsWith(idPart)) || runId.endsWith(idPart);
      const granted = waiting.value.filter(isMeant).toReversed();
      const listed: Listed[] = granted.map((grant) => ({ run: waitingRun(grant), grant }));
      for (const run of [...runs.value, ...asking.value]) listed.push({ run, grant: null });
      const summaries = await summariesOf(deps, listed.slice(0, LIMITS.runsListed));
      if (!summaries.ok) return summaries;
      return ok(summaries.value.filter(({ run }) => status === undefined || run.status === status));
    },
    async show(runId) {
      const found = await find(deps, runId);
      if (!found.ok) return found;
      if (found.value === null) return err({ code: "run_unknown", runId });
      const ledger = await store.ledger(runId);
      if (!ledger.ok) return ledger;
      const network = await store.networkOf(runId);
      if (!network.ok) return network;
      const summaries = await summariesOf(deps, [found.value]);
      if (!summaries.ok) return summaries;
      const [summary] = summaries.value;
      assert(summary !== undefined, "a run that was found has its summary");
      const undo = await deps.viewOf(runId);
      if (!undo.ok) return undo;
      return ok({ ...summary, ledger: ledger.value, network: network.value, undo: undo.value });
    },
    async cancel(runId, actor) {
      const isDriven = await runner.cancel(runId, actor);
      const found = await find(deps, runId);
      if (!found.ok) return found;
      if (found.value === null) return err({ code: "run_unknown", runId });
      const { run, grant } = found.value;
      if (isDriven) return run.status === "cancelled" ? ok(run) : err({ code: "run_over", runId, status: run.status });
      if (run.endedAt !== null) return err({ code: "run_over", runId, status: run.status });
      return grant === null ? cancelLeft(deps, { run, actor }) : cancelUndriven(deps, { grant, kept: null, actor });
    },
  };
}

/** A run that was begun, or the grant that waits. */
async function find({ store }: DoorDeps, runId: string): Promise<Result<Listed | null, StoreFault>> {
  const run = await store.find(runId);
  if (!run.ok) return run;
  if (run.value !== null) return ok({ run: run.value, grant: null });
  const grant = await store.grantOf(runId);
  if (!grant.ok) return grant;
  return ok(grant.value === null ? null : { run: waitingRun(grant.value), grant: grant.value });
}

/** A run is called what its plan is called. What takes a batch back runs on the same decision, and says so. */
function titleOf({ workItemId, planHash }: RunRecord, request: RequestHeading | null): string {
  if (request === null) return workItemId;
  const isUndo = request.kind === "batch_review" && request.planHash !== planHash;
  return isUndo ? `Undo: ${request.intent}` : request.intent.replace(/^Run(?: the project)?: /, "");
}

/** A run that waits for a decision which was made goes on when something drives it; nobody is asked any more. */
async function asDecided({ approvals }: DoorDeps, run: RunRecord): Promise<Result<Decided, StoreFault>> {
  if (run.status !== "waiting" || run.question === undefined) return ok({ run });
  const request = await approvals.find(run.question.requestId);
  if (!request.ok) return request;
  const { state, kind } = request.value ?? { state: "expired", kind: null };
  if (state === "pending") return ok({ run });
  const signsIn = state === "approved" && kind === "permission_escalation";
  return ok({ run: { ...run, status: "pending" }, ...(signsIn ? { signsIn } : {}) });
}
type Decided = Pick<WorkSummary, "run" | "signsIn">;

/** Reads the details of all runs at once: a list of a hundred makes as many reads as a list of one. */
async function summariesOf(
  deps: DoorDeps,
  listed: readonly Listed[],
): Promise<Result<readonly WorkSummary[], StoreFault>> {
  const begun = listed.flatMap(({ run, grant }) => (grant === null ? [run.runId] : []));
  const known = await deps.store.grantsOf(begun);
  if (!known.ok) return known;
  const grants = listed.map(({ run, grant }) => grant ?? known.value.get(run.runId) ?? null);
  const headings = await deps.approvals.headings(grants.flatMap((grant) => grant?.requestId ?? []));
  if (!headings.ok) return headings;
  const summaries: WorkSummary[] = [];
  for (const [index, { run }] of listed.entries()) {
    const grant = grants[index] ?? null;
    const heading = grant === null ? null : (headings.value.get(grant.requestId) ?? null);
    const summary = await summaryOf(deps, { run, grant, heading });
    if (!summary.ok) return summary;
    summaries.push(summary.value);
  }
  return ok(summaries);
}

type Summed = Listed & { readonly heading: RequestHeading | null };

async function summaryOf(
  deps: DoorDeps,
  { run: kept, grant, heading }: Summed,
): Promise<Result<WorkSummary, StoreFault>> {
  const decided = await asDecided(deps, kept);
  if (!decided.ok) return decided;
  const { run } = decided.value;
  const progress = deps.runner.progressOf(run.runId);
  const settlement = run.status === "in_doubt" ? await deps.store.settlementOf(run.runId) : ok(null);
  if (!settlement.ok) return settlement;
  const plain = {
    ...decided.value,
    requestId: grant?.requestId ?? "",
    title: titleOf(run, heading),
    progress,
    settlement: settlement.value,
  };
  const projection = heading?.projection ?? null;
  const projectRunId = grant?.projectRunId ?? null;
  if (grant === null || projection === null) return ok({ ...plain, projectRunId, project: null });
  const view = await viewProject({ ...plain, store: deps.store, grant, projection });
  return view.ok ? ok({ ...plain, ...view.value, projectRunId }) : view;
}
