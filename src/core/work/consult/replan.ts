import { LIMITS, oneLine, type Instant } from "#base";
import { replacementText, replanIdOf, type Consultation, type RunRecord, type WorkItem } from "#model";
import { FILE_ALONE, planHash, projectPlan } from "../plan-hash.ts";

type Replan = {
  readonly run: Pick<RunRecord, "runId" | "workItemId">;
  /** How many other ways led to this run already. */
  readonly depth: number;
  readonly depthMax: number;
  readonly at: Instant;
};

/** Another way is asked for, or told to be one too many; either is kept with the end of the run. [CONSULT-05] [CONSULT-07] */
export function beginReplan({ run: { runId, workItemId }, depth, depthMax, at }: Replan): Consultation {
  const mayAsk = depth < depthMax;
  return {
    consultationId: replanIdOf(runId),
    kind: "replan",
    runId,
    workItemId,
    number: depth + 1,
    numberMax: depthMax,
    state: mayAsk ? "waiting" : "failed",
    beganAt: at,
    askedAt: null,
    endedAt: mayAsk ? null : at,
    answer: null,
    taint: null,
    tokensUsed: 0,
    guidance: null,
    requestId: null,
    failure: mayAsk ? null : "replan_depth_reached",
    refused: null,
  };
}

/**
 * Whether a plan is another way than the one that failed. The same steps, checks and limits under another name, or with
 * other words around them, are not. [CONSULT-06]
 */
export function isRevised(failed: WorkItem, revised: WorkItem): boolean {
  const { id, title, followUpOf, inputArtifactsFrom } = failed;
  // What a plan with steps says beside them changes nothing that is done.
  const body = revised.steps.length > 0 ? failed.body : revised.body;
  const alike = { ...revised, id, title, body, followUpOf, inputArtifactsFrom };
  return planHash(projectPlan(alike, FILE_ALONE)) !== planHash(projectPlan(failed, FILE_ALONE));
}

type Revision = {
  /** As the model wrote it. */
  readonly plan: string;
  readonly item: Pick<WorkItem, "title">;
  readonly run: Pick<RunRecord, "runId" | "lastError">;
  /** What the model says about it. */
  readonly different: string;
};

/**
 * The plan with what it takes the place of, and why, at the end of its briefing. That is a part of what is hashed, shown
 * and signed, so that nobody approves it without. [CONSULT-08]
 */
export function renderRevision({ plan, item, run, different }: Revision): string {
  const said = oneLine(different).slice(0, LIMITS.planTextChars);
  const why = run.lastError ?? "no reason was kept";
  return `${plan.trimEnd()}\n\n${replacementText({ runId: run.runId, title: item.title, why }, said)}`;
}
