import { err, ok, sha256Hex, type Result, type Sha256Hex } from "#base";
import type { StoreFault, WorkItem } from "#model";
import type { ApprovalStore, Clock, GrantedRun } from "#ports";
import type { ReadYaml } from "#work";
import { projectProposal } from "../approvals/project-plan.ts";

export type PlanDeps = {
  readonly approvals: Pick<ApprovalStore, "find" | "findApproval">;
  readonly clock: Clock;
  readonly readYaml: ReadYaml;
};

/** The plan behind a grant, read afresh from what was proposed, with the hash of what it would do. */
export type LoadedPlan = { readonly grant: GrantedRun; readonly item: WorkItem; readonly contentHash: Sha256Hex };
export type PlanUnusable = { readonly code: "request_missing" | "plan_unreadable" | "plan_kind_refused" };

export async function loadPlan(
  { approvals, clock, readYaml }: PlanDeps,
  grant: GrantedRun,
): Promise<Result<LoadedPlan, PlanUnusable | StoreFault>> {
  const found = await approvals.find(grant.requestId);
  if (!found.ok) return found;
  const request = found.value;
  if (request === null || request.state !== "approved") return err({ code: "request_missing" });
  // The time and the uses of standing terms concern goals, and a goal does not run by itself.
  const reading = { readYaml, text: request.markdown, at: clock.now(), standingUsesMax: 0 };
  const projected = projectProposal(reading);
  if (!projected.ok) return err({ code: "plan_unreadable" });
  const { item, projection } = projected.value;
  if (item.type !== "task") return err({ code: "plan_kind_refused" });
  return ok({ grant, item, contentHash: sha256Hex(projection) });
}

/** A fault that may be over the next time, unlike one about what is kept. */
export const mayPass = (error: object): boolean => "retryable" in error && error.retryable === true;
