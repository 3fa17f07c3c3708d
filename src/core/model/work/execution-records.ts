import * as z from "zod/mini";
import { assert, canonicalJson, parseStrictJson, sha256Hex, LIMITS } from "#base";
import { networkUseToWire, type NetworkUse } from "../egress/network-use.ts";
import { RUN_STATUSES, artifactName, endSchema, error, ERROR_CHARS } from "./run-records.ts";
import { recordOf } from "../approval/record-codec.ts";
import { taintSchema } from "../message/taint.ts";
import { digestSchema as digest, longId as id, maxLength } from "../values.ts";
import { many, type ValueKind } from "../config-nodes.ts";

/**
 * What was done on one use of an approval, as one text: the run with the results of its checks, every step of its ledger,
 * and what it did with its network. The entry of the chain about the end of the run holds the hash of this text, so that
 * a receipt can show all of it and nobody can show anything else. It is made of the rows as they are kept: what a later
 * version adds to its records changes no text of before.
 */
export function executionText({ run, ledger, network = [] }: KeptRows): string {
  const used = network.length === 0 ? {} : { network: network.map(networkUseToWire) };
  const text = canonicalJson({ run, ledger: ledger.map(withShortOutput), ...used });
  assert(text.ok, "WORK-28 a run has canonical bytes");
  return text.value;
}
/** Records as they go over the wire. */
export type KeptRows = {
  readonly run: unknown;
  readonly ledger: readonly unknown[];
  /** Left out of the text where there is none. */
  readonly network?: readonly NetworkUse[];
};

/** Longer output stands in a receipt by its digest. */
const OUTPUT_CHARS = 1_000;

function withShortOutput(entry: unknown): unknown {
  if (entry === null || typeof entry !== "object") return entry;
  const { return_value: output, ...rest } = entry as { readonly [field: string]: unknown };
  if (typeof output !== "string" || output.length <= OUTPUT_CHARS) return entry;
  return { ...rest, return_value: null, return_digest: { sha256: sha256Hex(output), chars: output.length } };
}

const executionSchema = z.object({
  run: z.object({
    run_id: z.string(),
    work_item_id: z.string(),
    token_id: z.string(),
    plan_hash: z.string(),
    status: z.enum(RUN_STATUSES),
    is_verified: z.boolean(),
    attempts: z.int(),
    results: z.array(z.object({ name: z.string(), passed: z.boolean() })),
  }),
  ledger: z.array(
    z.object({
      execution_id: z.string(),
      run_id: z.string(),
      attempt: z.optional(z.int()),
      step_index: z.optional(z.int()),
      tool: z.optional(z.string()),
      decision: z.optional(z.object({ request_id: z.string(), operation_id: z.string(), token_id: z.string() })),
    }),
  ),
});
/** What of such a text is held against the approval and the chain. */
export type Execution = z.infer<typeof executionSchema>;

export function readExecution(text: string): Execution | null {
  const parsed = parseStrictJson(text);
  return executionSchema.safeParse(parsed.ok ? parsed.value : null).data ?? null;
}

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

/** Kinds of executors that need nobody else: what a plan names itself, and a model. Any other kind runs nothing. */
export const isRunKind = (kind: unknown): boolean => kind === "steps" || kind === "model";

/** Who asks about a call of a model whose effects outlive its workspace, where otherwise a gate is named. */
export const HIGH_RISK_CALL = "high-risk call";

/** The values of which a model makes the end of its work. */

const plain = { reading: "document", role: "plain" } as const;

/* @__NO_SIDE_EFFECTS__ */
export function summaryText(): ValueKind<string> {
  const schema = z.string().check(maxLength(LIMITS.planTextChars));
  return { ...plain, schema, expected: `text of at most ${LIMITS.planTextChars} characters` };
}
/* @__NO_SIDE_EFFECTS__ */
export function resultNames(): ValueKind<readonly string[]> {
  return many({ ...plain, schema: artifactName, expected: "the name of a result" }, LIMITS.planNames);
}
/* @__NO_SIDE_EFFECTS__ */
export function nextSteps(): ValueKind<readonly string[]> {
  const schema = z.string().check(maxLength(ERROR_CHARS));
  return many({ ...plain, schema, expected: `text of at most ${ERROR_CHARS} characters` }, LIMITS.planParts);
}
