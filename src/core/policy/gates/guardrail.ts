import { err, LIMITS, ok, type JsonValue, type Result } from "#base";
import type { Gate, GateContext } from "#model";
import type { ProviderAnswer } from "./answer.ts";
import { extractFor } from "./extract.ts";
import type { Validation } from "./validators/validator.ts";

type GuardedText = {
  readonly text: string;
  readonly rewrite: ((value: JsonValue) => { readonly [key: string]: JsonValue }) | null;
};

/** The text a validator looks at: the message, the reply, or the value that `extract` names. [GUARD-04] */
export function textToGuard(gate: Gate, context: GateContext): Result<GuardedText, ProviderAnswer> {
  const found = extractFor(gate, context);
  if (found === null || typeof found.value !== "string") {
    return err({ action: "block", code: "text_missing", reason: "There is no text to check" });
  }
  if (found.value.length > LIMITS.gateTextChars) {
    return err({ action: "block", code: "text_too_long", reason: "The text is too long to check" });
  }
  return ok({ text: found.value, rewrite: found.rewrite });
}

/** What a validation means for the gate. The text itself is never repeated in it. [GUARD-05] [GUARD-06] [GUARD-07] */
export function judgeValidation(validation: Validation, { rewrite }: Pick<GuardedText, "rewrite">): ProviderAnswer {
  switch (validation.state) {
    case "passed":
      return { action: "continue", code: "passed", reason: "Nothing was found" };
    case "failed":
      return { action: "block", code: "validator_failed", reason: validation.message };
    case "fixed": {
      const { message, text } = validation;
      // What cannot be put right where it stands must not go on as it is.
      if (rewrite === null) return { action: "block", code: "validator_failed", reason: message };
      return { action: "continue", code: "fixed", reason: `${message} (taken out)`, modified_context: rewrite(text) };
    }
  }
}

/** A gate that asks for a validator nobody has. */
export const unknownValidator = (name: string | null): ProviderAnswer => ({
  action: "block",
  code: "validator_unknown",
  reason: `No validator: ${name ?? "none named"}`,
});
