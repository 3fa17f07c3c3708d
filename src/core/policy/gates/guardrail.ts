import { err, LIMITS, ok, type JsonValue, type Result } from "#base";
import type { Gate, GateContext } from "#model";
import type { ProviderAnswer } from "./answer.ts";
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

/** What a gate looks at, and how to say it differently: null where it can only be looked at. */
export type Extracted = {
  readonly value: JsonValue;
  readonly rewrite: ((value: JsonValue) => { readonly [key: string]: JsonValue }) | null;
};

/**
 * The value a gate checks. At a tool call `extract` names an argument, for that is what the tool receives, and only then
 * a variable. Without `extract` it is the message, the reply, the name of the tool or the output of the step. Null when
 * there is none.
 */
export function extractFor(gate: Pick<Gate, "on" | "extract">, context: GateContext): Extracted | null {
  const { extract, on } = gate;
  if (extract === null) return whole(on, context);
  if (on === "on_tool_call" && context.toolArgs !== undefined && Object.hasOwn(context.toolArgs, extract)) {
    const value = context.toolArgs[extract] as JsonValue;
    return { value, rewrite: (next) => ({ tool_args: { [extract]: next } }) };
  }
  if (context.values === undefined || !Object.hasOwn(context.values, extract)) return null;
  return { value: context.values[extract] as string | number, rewrite: null };
}

function whole(on: Gate["on"], context: GateContext): Extracted | null {
  const { message, response, tool } = context;
  if (on === "every_user_message" && message !== undefined) {
    return { value: message, rewrite: (next) => ({ message: next }) };
  }
  if (on === "every_agent_response" && response !== undefined) {
    return { value: response, rewrite: (next) => ({ response: next }) };
  }
  // After a step it is what the step printed.
  if (on === "after_step" && response !== undefined) {
    return { value: response, rewrite: (next) => ({ response: next }) };
  }
  return on === "on_tool_call" && tool !== undefined ? { value: tool, rewrite: null } : null;
}

/** What a person is shown of it: numbers and texts as they are. [PRED-15] */
export function shownValue(value: JsonValue): string | number | null {
  if (typeof value === "string" || typeof value === "number") return value;
  return value === null ? null : JSON.stringify(value);
}
