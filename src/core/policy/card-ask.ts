import { LIMITS, oneLine } from "#base";
import { CARD_INTENT_CHARS, type Card, type ShownPayload } from "#model";
import { cutLine, quantity } from "./card-words.ts";

type Decision = Extract<ShownPayload, { readonly kind: "decision" }>;
type Draft = Extract<ShownPayload, { readonly kind: "draft_review" }>;
type AskWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
  readonly further?: readonly Card["ctas"][number][];
};

/** A step that asks for a decision. What it asks stands in the plan that was approved, and on the card. [CARD-16] */
export function decisionWords({ step, step_name: name, options, allow_freetext: mayWrite }: Decision): AskWords {
  const ways = [
    ...(options.length === 0 ? [] : [quantity(options.length, "option")]),
    ...(mayWrite ? ["words of your own"] : []),
  ].join(" and ");
  return {
    intent: cutLine(oneLine(`Decide for step ${step}: ${name}`), CARD_INTENT_CHARS),
    rationale: `A step of a plan that you approved asks you; there are ${ways}. The answer is laid in a file of its run, as text, and the steps after it go on with that. Without one they do not begin.`,
    affectedItems: null,
    approve: "Answer with your choice",
    decline: "Decide nothing: its run ends here",
  };
}

/** A step that shows a draft. Only what is approved or edited here is what the steps after it find. [CARD-16] */
export function draftWords({ step, step_name: name, draft }: Draft): AskWords {
  return {
    intent: cutLine(oneLine(`Look at the draft of step ${step}: ${name}`), CARD_INTENT_CHARS),
    rationale:
      `A step of a plan that you approved shows you ${quantity(draft.length, "character")} of text. The steps after it find exactly what you approve or write here, and do not begin without it.`.slice(
        0,
        LIMITS.titleChars,
      ),
    affectedItems: { count: 1, summary: "1 draft" },
    approve: "Approve the draft as it is",
    decline: "Reject it: its run ends here",
    further: [
      { action: "edit", role: "safe", consequenceLabel: "Approve your own version" },
      { action: "rephrase", role: "safe", consequenceLabel: "Ask for another draft" },
    ],
  };
}
