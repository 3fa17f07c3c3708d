import * as z from "zod/mini";
import { recordOf } from "../approval/record-codec.ts";
import { longId as id } from "../values.ts";

const count = z.int().check(z.gte(0));
const texts = z.record(z.string(), z.string());
/** A name of the vault and never what is kept there. [EXEC-03] [SECRET-04] */
const ref = z.string().check(z.regex(/^(?!(?:owner|silas)-)[a-z0-9][a-z0-9._-]{0,127}$/));

/** What a step may take and print unless its plan says otherwise. */
const TIMEOUT_SECONDS = 300;
const OUTPUT_BYTES = 100_000;

/**
 * Everything that whoever carries out a step is given, and nothing more: what is not in here cannot reach it. No
 * conversation, no memory, no approval, no secret. [EXEC-01] [EXEC-02]
 */
export const executionEnvelopeSchema = recordOf(
  z.strictObject({
    execution_id: id,
    step_index: count,
    /** The briefing of the plan; a program does not get to see it. */
    task_description: z.string(),
    /** The tool. */
    action: z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/)),
    args: z.record(z.string(), z.json()),
    /** What earlier steps of the attempt left, by name: the place in the workspace. */
    input_artifacts: texts,
    /** The secrets it may use: a name of the step, and the name in the vault. */
    credential_refs: z.record(z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,39}$/)), ref),
    timeout_seconds: z.prefault(z.number().check(z.gte(0)), TIMEOUT_SECONDS),
    max_output_bytes: z.prefault(count, OUTPUT_BYTES),
    /** What of its sandbox is its own; places belong to the whole attempt. */
    sandbox_config: recordOf(z.strictObject({ network_access: z.boolean(), env: texts })),
  }),
);
export type ExecutionEnvelope = z.infer<typeof executionEnvelopeSchema>;
