import type { MessageOf } from "../bus/queue-message.ts";
import type { Consultation, ConsultKind } from "./consultation.ts";

/** The id follows from the run, so that another way is asked for once, however often a request is sent. [BUS-15] */
export const replanIdOf = (runId: string): string => `replan_request:${runId}`;

/** One for each time that a run is stuck. */
export const adviceIdOf = (runId: string, number: number): string => `consult_planner:${runId}:${number}`;

const KINDS = { advice: "consult_planner", replan: "replan_request" } as const satisfies {
  readonly [K in ConsultKind]: string;
};

/** Tells the planner that it is asked. It names the run, whose plan and failure are loaded from their stores. */
export const consultMessage = ({
  consultationId,
  kind,
  runId,
  workItemId,
  beganAt,
}: Consultation): MessageOf<"consult_planner" | "replan_request"> => ({
  id: consultationId,
  kind: KINDS[kind],
  sentBy: "runtime",
  scopeId: "owner",
  traceId: runId,
  // The reason to ask is what programs printed.
  taint: "external",
  createdAt: beganAt,
  payload: { consultationId, runId, workItemId },
});
