import * as z from "zod/mini";
import type { ApprovalLapse } from "../work/work-words.ts";
import type { Instant } from "#base";
import { DECISION_STATES } from "../approval/decision-states.ts";
import { camelRecord, recordOf, writerOf } from "../approval/record-codec.ts";
import { taintSchema } from "../message/taint.ts";
import { MODEL_FAILURES } from "../talk/model-words.ts";
import { id, instantSchema } from "../values.ts";
import type { RunRecord } from "../work/run-records.ts";

/**
 * What the planner is asked about a run: `advice` while the run waits for it, and `replan` for another way, once the run
 * has ended without success.
 */
const CONSULT_KINDS = ["advice", "replan"] as const;
export type ConsultKind = (typeof CONSULT_KINDS)[number];

/**
 * `waiting`: its question is on the queue; `asking`: it was put to the model, and no answer is kept yet; `answered`: the
 * answer is kept, and what follows from it is not done yet; `ended`: something came of it; `failed`: nothing did.
 */
const CONSULT_STATES = ["waiting", "asking", "answered", "ended", "failed"] as const;
type ConsultState = (typeof CONSULT_STATES)[number];

/** Why nothing came of it, besides what kept the model from answering. */
export const CONSULT_FAILURES = [
  ...MODEL_FAILURES,
  "consult_interrupted",
  "consult_given_up",
  "answer_held_back",
  "no_other_way",
  "not_revised",
  "plan_not_asked",
  "replan_depth_reached",
  "advice_late",
  "advice_unneeded",
  "advice_over_budget",
  "approval_lapsed",
] as const;
export type ConsultFailure = (typeof CONSULT_FAILURES)[number];

const count = z.int().check(z.gte(0));

/** One question to the planner about one run. It follows from the run, so that there is one of it however often it is told. */
export const consultationSchema = recordOf(
  z.strictObject({
    /** The id of its message on the queue too. */
    consultation_id: id,
    kind: z.enum(CONSULT_KINDS),
    run_id: id,
    work_item_id: id,
    /** Which one it is, and how many there may be: re-plans of one beginning, or calls of the run's budget. */
    number: z.int().check(z.gte(1)),
    number_max: count,
    state: z.enum(CONSULT_STATES),
    began_at: instantSchema,
    asked_at: z.nullable(instantSchema),
    ended_at: z.nullable(instantSchema),
    /** What the model said, as it said it; used and never shown. */
    answer: z.nullable(z.string()),
    /** Of everything that the model was shown. */
    taint: z.nullable(taintSchema),
    tokens_used: count,
    /** What the planner advised, as far as gates let it through. Other kinds, and those of before, have none. */
    guidance: z.prefault(z.nullable(z.string()), null),
    /** The request that asks the owner about the other way. */
    request_id: z.nullable(id),
    failure: z.nullable(z.enum(CONSULT_FAILURES)),
    /** In words, why the plan was not put to the owner. */
    refused: z.nullable(z.string()),
  }),
);
export type Consultation = z.infer<typeof consultationSchema>;

export const consultationToWire = writerOf(consultationSchema);
/** For rows that Silas wrote itself; null for anything else. */
export function consultationFromWire(body: unknown): Consultation | null {
  const parsed = consultationSchema.safeParse(body);
  return parsed.success ? parsed.data : null;
}

export const isConsultOver = ({ state }: Pick<Consultation, "state">): boolean =>
  state === "ended" || state === "failed";

/** Whether this run still waits for it. */
export const isAwaited = (
  { consult, endedAt }: Pick<RunRecord, "consult" | "endedAt">,
  { consultationId }: Pick<Consultation, "consultationId">,
): boolean => endedAt === null && consult?.consultationId === consultationId;

/** A change of a consultation. INVARIANT: only from the state it names; whoever comes late changes nothing. */
export type ConsultChange = {
  readonly from: ConsultState;
  readonly consultation: Consultation;
  readonly at: Instant;
};
export type ConsultRefusal =
  | { readonly code: "consult_unknown"; readonly consultationId: string }
  /** The approval of the run no longer holds, and nobody is asked on its behalf. */
  | { readonly code: "approval_lapsed"; readonly runId: string; readonly reason: ApprovalLapse }
  | { readonly code: "consult_moved_on"; readonly consultationId: string; readonly state: ConsultState };

/** What came of it, as it is told outside: without what the model said before the gates. */
const toldSchema = recordOf(
  z.strictObject({
    kind: z.enum(CONSULT_KINDS),
    number: z.int(),
    number_max: count,
    state: z.enum(CONSULT_STATES),
    guidance: z.nullable(z.string()),
    request_id: z.nullable(z.string()),
    /** What was decided about the request, where there is one. */
    decided: z.nullable(z.enum(DECISION_STATES)),
    /** The run of the other way, and how it stands in words, once it was approved. */
    other_run_id: z.nullable(z.string()),
    other_line: z.nullable(z.string()),
    failure: z.nullable(z.enum(CONSULT_FAILURES)),
    refused: z.nullable(z.string()),
  }),
);
export const toldConsultSchema = toldSchema;
export type ToldConsult = z.infer<typeof toldSchema>;
export type ToldConsultBody = z.input<typeof toldSchema>;

/** What became of the request for another way. */
export type OtherWay = Pick<ToldConsult, "requestId" | "decided" | "otherRunId" | "otherLine">;

export const toldOf = (
  { kind, number, numberMax, state, ...told }: Consultation,
  other: OtherWay | null,
): ToldConsult => ({
  kind,
  number,
  numberMax,
  state,
  guidance: told.guidance,
  ...(other ?? { requestId: told.requestId, decided: null, otherRunId: null, otherLine: null }),
  failure: told.failure,
  refused: told.refused,
});
export const toldConsultFromWire = (body: ToldConsultBody): ToldConsult => camelRecord(body);
export const toldConsultToWire = writerOf(toldSchema);
