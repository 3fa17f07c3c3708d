import type { QueueMessage } from "../bus/queue-message.ts";
import type { Consultation, ConsultKind } from "./consultation.ts";

/** The id follows from the run, so that another way is asked for once however often somebody says so. [BUS-15] */
export const replanIdOf = (runId: string): string => `replan_request:${runId}`;

/** One for each time that a run is stuck. */
export const adviceIdOf = (runId: string, number: number): string => `consult_planner:${runId}:${number}`;

const KINDS = { advice: "consult_planner", replan: "replan_request" } as const satisfies {
  readonly [K in ConsultKind]: QueueMessage["messageKind"];
};

/** The consultation that a message to the planner is about; null when it is about something else. */
export function consultedBy({ messageKind, payload }: Pick<QueueMessage, "messageKind" | "payload">): string | null {
  const consultationId = payload?.["consultation_id"];
  const isKnown = Object.values<string>(KINDS).includes(messageKind);
  return isKnown && typeof consultationId === "string" ? consultationId : null;
}

/** What tells the planner that it is asked. It names the run, whose plan and failure are read where they are kept. */
export const consultMessage = ({ consultationId, kind, runId, workItemId, beganAt }: Consultation): QueueMessage => ({
  messageId: consultationId,
  traceId: runId,
  content: "",
  sender: "runtime",
  messageKind: KINDS[kind],
  scopeId: "owner",
  // It is asked because of what programs printed.
  taint: "external",
  taskId: workItemId,
  parentTaskId: null,
  workItem: null,
  planMarkdown: null,
  approvalToken: null,
  artifacts: null,
  constraints: null,
  payload: { consultation_id: consultationId },
  errorCode: null,
  retryable: null,
  originAgent: null,
  attemptNumber: null,
  urgency: "informational",
  createdAt: beganAt,
});
