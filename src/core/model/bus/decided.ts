import { parseCanonicalJson, type Instant } from "#base";
import type { AuditActor } from "../audit.ts";
import type { RequestKind } from "../cards.ts";
import type { KeptRequest } from "../decisions.ts";
import { readProjection } from "../approval/plan-projection.ts";
import { isRunKind } from "../work/execution-records.ts";
import type { MessageOf } from "./queue-message.ts";

/** All work is the owner's today. */
const SCOPE = "owner";

type Decision = {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly at: Instant;
  readonly actor: AuditActor;
  /** The run that it lets begin, and what that run works on. */
  readonly run?: { readonly runId: string; readonly workItemId: string } | undefined;
};

/** The id follows from the run, or from the request where none begins: sent twice, it is one message. [BUS-15] */
export const decidedIdOf = (subjectId: string): string => `decided:${subjectId}`;

/** The run or request whose decision a queue message of this id tells; null for a message of another kind. */
export const subjectIdIn = (id: string): string | null => /^decided:(.+)$/.exec(id)?.[1] ?? null;

/**
 * Says that a decision was made, or that a run may begin by an earlier one. INVARIANT: it names records and grants
 * nothing: request, plan, approval and use are loaded from their stores. [WORK-06]
 */
export function decidedOf({ requestId, kind, at, actor, run }: Decision): MessageOf<"decided"> {
  const subjectId = run?.runId ?? requestId;
  return {
    id: decidedIdOf(subjectId),
    kind: "decided",
    sentBy: "runtime",
    scopeId: SCOPE,
    traceId: subjectId,
    // The owner acted in this moment, or else a goal did, on what its checks printed.
    taint: actor.kind === "system" ? "external" : "owner",
    createdAt: at,
    payload: { requestId, kind, ...run },
  };
}

/** Whether approving this request starts a run: a plan with steps or of a model, or a batch of files. */
export function beginsRun({ kind, projection }: Pick<KeptRequest, "kind" | "projection">): boolean {
  if (kind === "plan_approval") {
    // A plan that was just judged was read for it. Any other text is asked for this field alone.
    const read = readProjection(projection);
    return isRunKind((read.ok ? read.value.whole : fieldsOf(projection))?.["executor_kind"]);
  }
  return kind === "batch_review" && fieldsOf(projection)?.["action"] === "move_files";
}

function fieldsOf(projection: string): { readonly [field: string]: unknown } | null {
  const parsed = parseCanonicalJson(projection);
  return parsed.ok ? (parsed.value as { readonly [field: string]: unknown } | null) : null;
}
