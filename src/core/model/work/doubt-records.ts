import * as z from "zod/mini";
import { assert, canonicalJson } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { instantSchema, maxLength, minLength } from "../values.ts";
import { checkResultSchema } from "./run-records.ts";

/**
 * A run in doubt, as something to be decided: a step may have changed a place outside, and Silas did not see its end.
 * Only a person can look there. The run itself stays as it ended; what was decided is kept beside it, once.
 */

/**
 * `happened`: nothing is repeated, and the checks of the plan are asked. `again`: the same plan is proposed once more and
 * needs an approval of its own. `leave`: nothing more is done.
 */
export const SETTLE_CHOICES = ["happened", "again", "leave"] as const;
export type SettleChoice = (typeof SETTLE_CHOICES)[number];

const id = z.string().check(minLength(1), maxLength(160));

export const runSettlementSchema = recordOf(
  z.strictObject({
    run_id: id,
    choice: z.enum(SETTLE_CHOICES),
    at: instantSchema,
    /** True only when the plan has checks and every one of them passed when they were asked after the choice. */
    is_verified: z.boolean(),
    /** What the checks said after the choice; empty when none were asked. */
    results: z.array(checkResultSchema),
    /** The request that asks for the same plan again. */
    request_id: z.nullable(id),
  }),
);
export type RunSettlement = z.infer<typeof runSettlementSchema>;
export type RunSettlementBody = z.input<typeof runSettlementSchema>;

export const runSettlementToWire = writerOf(runSettlementSchema);

/** As it is kept and shown in a receipt: the chain holds the hash of this text. */
export function settlementText(settlement: RunSettlement): string {
  const text = canonicalJson(runSettlementToWire(settlement));
  assert(text.ok, "a decision about a run has canonical bytes");
  return text.value;
}

const doubtStepSchema = recordOf(
  z.strictObject({
    attempt: z.int(),
    /** Counted from 1. */
    number: z.int(),
    steps: z.int(),
    name: z.string(),
    /** False: it ended, and Silas was interrupted after it. */
    is_open: z.boolean(),
    started_at: instantSchema,
  }),
);

/** Everything a card needs to ask what became of a run in doubt. Names and results are the plan's or a program's words. */
export const doubtSchema = recordOf(
  z.strictObject({
    run_id: id,
    request_id: z.string(),
    work_item_id: id,
    title: z.string(),
    /** What Silas saw. */
    reason: z.string(),
    step: z.nullable(doubtStepSchema),
    /** Where something may have been changed. */
    places: z.array(z.string()),
    /** What the checks said when they were asked after the interruption; empty when they were not. */
    results: z.array(checkResultSchema),
    /** How many checks `happened` goes on to. */
    checks: z.int(),
    since: instantSchema,
  }),
);
export type Doubt = z.infer<typeof doubtSchema>;
export type DoubtBody = z.input<typeof doubtSchema>;

export const doubtToWire = writerOf(doubtSchema);

/** `POST /api/work/:id/settle`; the answer is `{ settlement }`. `GET /api/work/doubts` answers `{ doubts }`. */
export const settleRunSchema = z.strictObject({ choice: z.enum(SETTLE_CHOICES) });
