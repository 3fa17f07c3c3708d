import { LIMITS, oneLine } from "#base";
import { CARD_INTENT_CHARS, HIGH_RISK_CALL, type Card, type ShownPayload } from "#model";
import { cutLine, quantity } from "./card-words.ts";

type Question = Extract<ShownPayload, { readonly kind: "step_approval" }>;
type StepWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
};

/** What a gate asks before one step of a run: which gate, about what value, and that it is this call and no other. */
export function stepWords({ step, step_name: name, asked_by: askedBy }: Question): StepWords {
  const [first, ...others] = askedBy;
  const more = others.length === 0 ? "" : ` and ${quantity(others.length, "other gate")}`;
  const about = typeof first?.value === "number" ? ` about ${first.value}` : "";
  const asker =
    first?.gate === HIGH_RISK_CALL
      ? `A model chose this call${more}, and`
      : `Gate ${first?.gate}${more} asks you${about}:`;
  const why = `${asker} ${first?.reason}.`;
  const isModel = first?.gate === HIGH_RISK_CALL;
  const instead = isModel ? "Otherwise it is not run, and the model is told so." : "Otherwise its run ends before it.";
  const rest = ` Exactly this call would begin, once. ${instead}`;
  return {
    intent: cutLine(oneLine(`Let step ${step} run: ${name}`), CARD_INTENT_CHARS),
    rationale: `${cutLine(oneLine(why), LIMITS.titleChars - rest.length)}${rest}`,
    affectedItems: null,
    approve: `Approve: run step ${step} once`,
    decline: `Block: step ${step} does not run, and ${isModel ? "the model is told so" : "its run ends"}`,
  };
}
