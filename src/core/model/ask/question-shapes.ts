import * as z from "zod/mini";
import { LIMITS, neutralise } from "#base";
import { line } from "../approval/fields.ts";
import { askedShape } from "../approval/step-question.ts";
import { maxLength } from "../values.ts";

/**
 * What a step of a run asks the owner: to decide between options, or to look at a draft. All of it is bound, so that an
 * answer is one to this very question, of this very step, and to no other.
 */

/** Text of several lines that hides nothing; short enough that an answer fits under a signature. */
export const plainText = (charsMax: number) =>
  z.string().check(
    maxLength(charsMax),
    z.regex(/\S/),
    z.refine<string>((text) => neutralise(text) === text && !text.includes("\r"), "unsafe_text"),
  );

/** One way to decide. A tap is all the care there is for it; what weighs more is a plan of its own. [CARD-16] */
const decisionOptionSchema = z.strictObject({
  label: line(LIMITS.nameChars),
  value: line(LIMITS.nameChars),
  approval_tier: z.prefault(z.literal("tap"), "tap"),
});

export const decisionShape = {
  ...askedShape,
  question: line(LIMITS.titleChars),
  options: z.array(decisionOptionSchema).check(maxLength(LIMITS.askOptions)),
  allow_freetext: z.boolean(),
  /** Where the answer is laid, in the workspace. */
  file: line(LIMITS.titleChars),
} as const;

export const draftShape = {
  ...askedShape,
  /** What it is for, as the plan says. */
  context: line(LIMITS.titleChars),
  draft: plainText(LIMITS.draftChars),
  /** Where it lies in the workspace, and where what becomes of it will lie. */
  file: line(LIMITS.titleChars),
} as const;

/** Each value stands for one thing, and there is a way to answer. */
export function isAnswerable({ options, allow_freetext: mayWrite }: Ways): boolean {
  const values = new Set(options.map(({ value }) => value));
  return values.size === options.length && (mayWrite || options.length >= 2);
}
type Ways = { readonly options: readonly { readonly value: string }[]; readonly allow_freetext: boolean };
