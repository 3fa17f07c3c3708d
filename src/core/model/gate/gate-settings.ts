import * as z from "zod/mini";
import { GATE_ACTIONS, GATE_CODES } from "./gate-records.ts";
import { maxLength, minLength } from "../values.ts";

export const PII_KINDS = ["card", "iban", "ssn", "email", "phone"] as const;
/** `exception` blocks; `fix` takes out what was found and goes on. */
const onFail = z.optional(z.enum(["exception", "fix"]));
const onlyException = z.optional(z.literal("exception"));
const bounds = z
  .strictObject({ min: z.number(), max: z.number() })
  .check(z.refine(({ min, max }) => min <= max, "range_inverted"));

/** What providers may answer, and what the checks that ship with Silas take as `config`. */
export const gateSchemas = {
  /** More than this may stand in an answer; nobody reads it. */
  answer: z.object({
    action: z.enum(GATE_ACTIONS),
    code: z.optional(z.enum(GATE_CODES)),
    reason: z.string(),
    value: z.optional(z.nullable(z.union([z.string(), z.number()]))),
    score: z.optional(z.nullable(z.number())),
    flags: z.optional(z.array(z.string())),
    modified_context: z.optional(z.unknown()),
  }),
  normalise: z.strictObject({
    clamp: z.optional(bounds),
    trim: z.optional(z.boolean()),
    lower: z.optional(z.boolean()),
    keep_allowed: z.optional(z.boolean()),
  }),
  pii: z.strictObject({
    on_fail: onFail,
    kinds: z.optional(z.array(z.enum(PII_KINDS)).check(minLength(1), maxLength(PII_KINDS.length))),
  }),
  secrets: z.strictObject({ on_fail: onFail }),
  jailbreak: z.strictObject({ on_fail: onlyException }),
  toxicity: z.strictObject({
    on_fail: onlyException,
    words: z.optional(z.array(z.string().check(minLength(2), maxLength(80))).check(maxLength(100))),
  }),
} as const;
