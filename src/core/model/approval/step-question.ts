import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "./fields.ts";
import { digest, id, maxLength, minLength } from "../values.ts";

/**
 * One call of a run that a gate asks about: the step, the tool and exactly the arguments that would run, and what each
 * gate that asks was given. All of it is bound; an approval lets this one call begin once and no other. [WORK-24]
 */

const number = z.int().check(z.gte(1));

/** Which step of which run is asked about, and on whose approval it runs. */
export const askedShape = {
  /** Of this question alone; no other question of any run has it. */
  operation_id: id,
  run_id: id,
  /** The request on whose approval the run stands. */
  plan_request_id: id,
  plan_id: id,
  plan_hash: digest,
  attempt: number,
  /** Counted from 1. */
  step: number,
  step_name: line(LIMITS.nameChars * 2),
} as const;

/** Exactly what would run, and every gate that asks about it. */
export const calledShape = {
  tool: line(LIMITS.nameChars),
  args: z.record(z.string(), z.json()),
  asked_by: z
    .array(
      z.strictObject({
        gate: line(LIMITS.nameChars),
        /** Null for a gate that looks at no value. */
        value: z.nullable(z.union([z.string().check(maxLength(LIMITS.textChars)), z.number()])),
        reason: line(LIMITS.titleChars),
      }),
    )
    .check(minLength(1), maxLength(LIMITS.planParts)),
} as const;

export const stepShape = { ...askedShape, ...calledShape } as const;
