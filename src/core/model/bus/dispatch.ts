import { parseStrictJson, type Instant } from "#base";
import type { AuditActor } from "../audit.ts";
import type { KeptRequest } from "../decisions.ts";
import { isRunKind } from "../work/executor-output.ts";
import type { MessageOf } from "./queue-message.ts";

/** All work is the owner's today. */
const SCOPE = "owner";
const EVENT = "run_granted";

export type Dispatched = {
  readonly runId: string;
  readonly workItemId: string;
  readonly at: Instant;
  readonly actor: AuditActor;
};

/** The id follows from the run, so that a run is dispatched once, however often a dispatch is sent. [BUS-15] */
export const dispatchIdOf = (runId: string): string => `${EVENT}:${runId}`;

/** The run whose dispatch has this id; null when it is the id of another kind of message. */
export const runOfDispatch = (messageId: string): string | null =>
  messageId.startsWith(`${EVENT}:`) ? messageId.slice(EVENT.length + 1) : null;

/**
 * Tells the runner that an approval let a run begin. INVARIANT: it names the run and grants nothing: plan, approval and
 * use are loaded from their stores. [WORK-06]
 */
export const dispatchOf = ({ runId, workItemId, at, actor }: Dispatched): MessageOf<"system_event"> => ({
  id: dispatchIdOf(runId),
  kind: "system_event",
  sentBy: "runtime",
  scopeId: SCOPE,
  traceId: runId,
  // The owner acted in this moment, or else a goal did, on what its checks printed.
  taint: actor.kind === "system" ? "external" : "owner",
  createdAt: at,
  payload: { event: EVENT, runId, workItemId },
});

/** Whether approving this request starts a run: a plan with steps or of a model, or a batch of files. */
export function beginsRun({ kind, projection }: Pick<KeptRequest, "kind" | "projection">): boolean {
  const parsed = parseStrictJson(projection);
  const bound = parsed.ok
    ? (parsed.value as { readonly executor_kind?: unknown; readonly action?: unknown } | null)
    : null;
  if (kind === "plan_approval") return isRunKind(bound?.executor_kind);
  return kind === "batch_review" && bound?.action === "move_files";
}
