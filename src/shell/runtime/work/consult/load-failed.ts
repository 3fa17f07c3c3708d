import { err, ok, type Result } from "#base";
import type { Consultation, KeptRequest, RunRecord, StoreFault, WorkItem } from "#model";
import { approvedSkills } from "#work";
import { projectProposal } from "../../approvals/project-plan.ts";
import type { ConsultDeps } from "./deps.ts";

/** A run that failed, with the plan it was approved for. */
export type FailedPlan = { readonly run: RunRecord; readonly request: KeptRequest; readonly item: WorkItem };

/** All of it as it is kept; the message on the queue names the run and nothing else. */
export async function loadFailed(
  { store, approvals, clock, readYaml }: ConsultDeps,
  { runId }: Consultation,
): Promise<Result<FailedPlan, { readonly code: "failed_plan_missing" } | StoreFault>> {
  const run = await store.find(runId);
  if (!run.ok) return run;
  const grant = await store.grantOf(runId);
  if (!grant.ok) return grant;
  const request = grant.value === null ? ok(null) : await approvals.find(grant.value.requestId);
  if (!request.ok) return request;
  if (run.value === null || request.value === null) return err({ code: "failed_plan_missing" });
  const skills = approvedSkills(request.value.projection);
  const reading = { readYaml, text: request.value.markdown, at: clock.now(), standingUsesMax: 0, skills };
  const read = projectProposal(reading);
  if (!read.ok) return err({ code: "failed_plan_missing" });
  return ok({ run: run.value, request: request.value, item: read.value.item });
}
