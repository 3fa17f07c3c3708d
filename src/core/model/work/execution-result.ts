import * as z from "zod/mini";
import { recordOf } from "../approval/record-codec.ts";
import { taintSchema } from "../message/taint.ts";
import { digestSchema as digest } from "../values.ts";
import { artifactName, endSchema, error } from "./run-records.ts";

const id = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,159}$/));
const count = z.int().check(z.gte(0));
const amount = z.number().check(z.gte(0));

/**
 * Everything that whoever carried out a step answers with; the ledger and the budget know the step from it and from
 * nothing else. `return_value` and `content` may be shown to a model, through gates and with their trust; `metadata` is
 * for Silas itself, and no model and no gate gets to see it. [EXEC-04]
 */
export const executionResultSchema = recordOf(
  z
    .strictObject({
      /** Both are those of the envelope it answers. */
      execution_id: id,
      step_index: count,
      success: z.boolean(),
      /** What it printed, as far as its envelope lets it. */
      return_value: z.string(),
      content: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
      metadata: recordOf(
        z.strictObject({
          /** How its program ended; null where none was started or its end was not seen. */
          exit: z.nullable(endSchema),
          artifact_bytes: z.record(artifactName, count),
        }),
      ),
      /** The SHA-256 of what it left, by name. */
      artifacts: z.record(artifactName, digest),
      /** No default: whoever ran it says what it may be trusted with. */
      taint: taintSchema,
      error,
      duration_seconds: amount,
      tokens_used: count,
      cost_usd: amount,
    })
    .check(z.refine(({ success, error: why }) => success === (why === null))),
);
export type ExecutionResult = z.infer<typeof executionResultSchema>;
