import * as z from "zod/mini";
import { assert, canonicalJson, parseStrictJson, sha256Hex } from "#base";
import { networkUseToWire, type NetworkUse } from "../egress/network-use.ts";
import { RUN_STATUSES } from "./run-records.ts";

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
