import type { JsonValue } from "#base";
import type { Gate, GateContext } from "#model";

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
