import { parseStrictJson, type Instant } from "#base";
import type { AuditActor } from "../audit.ts";
import type { KeptRequest } from "../decisions.ts";
import { isRunKind } from "../work/executor-output.ts";
import type { QueueMessage } from "./queue-message.ts";

/** All work is the owner's today. */
const SCOPE = "owner";
const EVENT = "run_granted";

export type Dispatched = {
  readonly runId: string;
  readonly workItemId: string;
  readonly at: Instant;
  readonly actor: AuditActor;
};

/** The id follows from the run, so that a run is dispatched once however often somebody says so. [BUS-15] */
export const dispatchIdOf = (runId: string): string => `${EVENT}:${runId}`;
/** The run whose dispatch has this id; null when it is the id of something else. */
export const runOfDispatch = (messageId: string): string | null =>
  messageId.startsWith(`${EVENT}:`) ? messageId.slice(EVENT.length + 1) : null;

/**
 * What tells whoever runs work that an approval let a run begin. INVARIANT: it names the run and grants nothing: plan,
 * approval and use are read from where they are kept. [WORK-06]
 */
export const dispatchOf = ({ runId, workItemId, at, actor }: Dispatched): QueueMessage => ({
  messageId: dispatchIdOf(runId),
  traceId: runId,
  content: "",
  sender: "runtime",
  messageKind: "system_event",
  scopeId: SCOPE,
  // What the owner did not do in this moment, a goal did, on what its checks printed.
  taint: actor.kind === "system" ? "external" : "owner",
  taskId: workItemId,
  parentTaskId: null,
  workItem: null,
  planMarkdown: null,
  approvalToken: null,
  artifacts: null,
  constraints: null,
  payload: { event: EVENT, run_id: runId },
  errorCode: null,
  retryable: null,
  originAgent: null,
  attemptNumber: null,
  urgency: "informational",
  createdAt: at,
});

/** The run that a message is about; null when it is about something else. */
export function dispatchedRun({ messageKind, payload }: Pick<QueueMessage, "messageKind" | "payload">): string | null {
  const runId = payload?.["run_id"];
  return messageKind === "system_event" && payload?.["event"] === EVENT && typeof runId === "string" ? runId : null;
}

/** Whether approving this lets something run: a plan with steps or of a model, or a batch of files. Anything else waits for nobody. */
export function beginsRun({ kind, projection }: Pick<KeptRequest, "kind" | "projection">): boolean {
  const parsed = parseStrictJson(projection);
  const bound = parsed.ok
    ? (parsed.value as { readonly executor_kind?: unknown; readonly action?: unknown } | null)
    : null;
  if (kind === "plan_approval") return isRunKind(bound?.executor_kind);
  return kind === "batch_review" && bound?.action === "move_files";
}
