import { LIMITS, ok, type Result } from "#base";
import { runLine, toldOf, type Consultation, type OtherWay, type StoreFault, type ToldConsult } from "#model";
import type { ApprovalStore, WorkDoor } from "#ports";

type ToldDeps = { readonly approvals: Pick<ApprovalStore, "find">; readonly list: WorkDoor["list"] };

/** What the planner was asked about a run, each with what became of the other way it proposed. */
export async function loadTold(
  deps: ToldDeps,
  consultations: readonly Consultation[],
): Promise<Result<readonly ToldConsult[], StoreFault>> {
  const told: ToldConsult[] = [];
  for (const consultation of consultations) {
    const other = consultation.requestId === null ? ok(null) : await loadOther(deps, consultation.requestId);
    if (!other.ok) return other;
    told.push(toldOf(consultation, other.value));
  }
  return ok(told);
}

/** One that nobody decided on in time and that was asked again is told of as it is asked now. */
async function loadOther({ approvals, list }: ToldDeps, firstId: string): Promise<Result<OtherWay | null, StoreFault>> {
  let found = await approvals.find(firstId);
  for (let again = 0; again < LIMITS.runsListed; again += 1) {
    const next = found.ok ? (found.value?.replacedBy ?? null) : null;
    if (next === null) break;
    found = await approvals.find(next);
  }
  if (!found.ok) return found;
  if (found.value === null) return ok(null);
  const { requestId, state: decided } = found.value;
  if (decided !== "approved") return ok({ requestId, decided, otherRunId: null, otherLine: null });
  const runs = await list({ idPart: requestId });
  if (!runs.ok) return runs;
  const other = runs.value.find((summary) => summary.requestId === requestId);
  const run = other === undefined ? null : { otherRunId: other.run.runId, otherLine: runLine(other) };
  return ok({ requestId, decided, ...(run ?? { otherRunId: null, otherLine: null }) });
}
