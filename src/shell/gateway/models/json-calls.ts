/**
 * Tool calls as text, for models that have none of their own: the tools stand in the system text, and the model answers
 * with one JSON object. What models really write around and inside of that object is accepted; anything else is text.
 */
import type { ConversationMessage, ModelQuestion, OfferedTool, ToolCallPart, ToolResultPart } from "#model";
import type { AnswerForm } from "../lookout.ts";
import { readAnswerObjects, type AnswerObject } from "./json-object.ts";
import { userText } from "./sdk-question.ts";

/** The same question without tools: what they are, and what was called before, is text. */
export function encodeQuestion({ system, messages, tools, outputTokensMax }: ModelQuestion): ModelQuestion {
  const rules = tools.length === 0 ? system : [...system.slice(0, -1), withTools(system.at(-1), tools)];
  return { system: rules, messages: alternating(messages.map(textMessage)), tools: [], outputTokensMax };
}

const withTools = (last: string | undefined, tools: readonly OfferedTool[]): string =>
  [...(last === undefined ? [] : [last]), ANSWER_FORM, ...tools.map(toolText)].join("\n\n");

const ANSWER_FORM = `# Tools
To use a tool, answer with one JSON object and nothing else:
{"message": "what you tell the owner", "tool": "NAME", "args": {}}
"args" follows the JSON Schema of the tool. Use one tool at a time; its result comes with the next message.
Without a tool, answer in plain text.`;

const toolText = ({ name, description, inputSchema }: OfferedTool): string =>
  `## ${name}\n${description}\nJSON Schema of "args": ${JSON.stringify(inputSchema)}`;

type TextMessage = { readonly role: "user" | "assistant"; readonly text: string };

function textMessage(message: ConversationMessage): TextMessage {
  switch (message.role) {
    case "user":
      return { role: "user", text: userText(message.parts) };
    case "assistant":
      return { role: "assistant", text: answerText(message.parts) };
    case "tool":
      return { role: "user", text: message.parts.map(resultText).join("\n\n") };
  }
}

const resultText = ({ name, callId, text, isError }: ToolResultPart): string =>
  `${isError ? "Error" : "Result"} of ${name} (${callId}):\n${text}`;

/** An answer as the model would have written it in this form. */
function answerText(parts: Extract<ConversationMessage, { role: "assistant" }>["parts"]): string {
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  const calls = parts.filter((part) => part.kind === "tool_call");
  if (calls.length === 0) return isPlain(text) ? text : JSON.stringify({ message: text });
  return calls.map((call, index) => callText(call, index === 0 ? text : "")).join("\n");
}

function callText({ name, args }: ToolCallPart, message: string): string {
  const said = message === "" ? "" : `"message": ${JSON.stringify(message)}, `;
  // Arguments that are no object came from a slip. As a string they come back exactly as they were written.
  return `{${said}"tool": ${JSON.stringify(name)}, "args": ${isObject(args) ? args : JSON.stringify(args)}}`;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const isPlain = (text: string): boolean => {
  const decoded = decodeText(text);
  return decoded.calls.length === 0 && decoded.text === text;
};

/** Templates of chat models take turns: two messages of one side in a row are one. */
function alternating(messages: readonly TextMessage[]): readonly ConversationMessage[] {
  const merged: TextMessage[] = [];
  for (const { role, text } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) merged.splice(-1, 1, { role, text: `${last.text}\n\n${text}` });
    else merged.push({ role, text });
  }
  return merged.map(({ role, text }) => ({ role, parts: [{ kind: "text", text }] }));
}

/**
 * Reads an answer in this form while it arrives. Text that begins as a sentence is shown at once, up to an object that may
 * be a call; an answer that begins with anything else is shown when it is whole.
 */
export function createJsonForm({ messages }: Pick<ModelQuestion, "messages">): AnswerForm {
  // Joined when it is whole: a long string that is read after each delta is copied each time.
  const deltas: string[] = [];
  let [waiting, shownChars] = ["", 0];
  let form: "unknown" | "sentence" | "held" = "unknown";
  return {
    take(delta) {
      deltas.push(delta);
      if (form === "unknown") {
        const first = /\S/u.exec(delta)?.[0];
        if (first !== undefined) form = "{`<".includes(first) ? "held" : "sentence";
      }
      waiting += delta;
      if (form !== "sentence") return "";
      const found = MAY_BE_CALL.exec(waiting);
      if (found !== null && found[0].endsWith('"')) form = "held";
      const free = waiting.slice(0, found?.index);
      waiting = waiting.slice(free.length);
      shownChars += free.length;
      return free;
    },
    end() {
      const { text, calls } = decodeText(deltas.join(""));
      return { rest: text.slice(shownChars), calls: withIds(calls, messages) };
    },
  };
}

/** The beginning of an object, perhaps in a fence, or what may become one. Whitespace has a limit, as waiting has. */
const MAY_BE_CALL = /`{1,3}[a-z]{0,10}[ \t\r\n]{0,200}(?:$|\{[ \t\r\n]{0,200}(?:"|$))|\{[ \t\r\n]{0,200}(?:"|$)/u;
const FENCE_BEFORE = /`{1,3}[a-z]{0,10}[ \t\r\n]{0,200}$/u;
const FENCE_CHARS = 213;

type Decoded = { readonly text: string; readonly calls: readonly AnswerObject[] };

function decodeText(raw: string): Decoded {
  const answer = withoutReasoning(raw);
  const found = readAnswerObjects(answer);
  if (found === null) return { text: answer, calls: [] };
  const { start, objects } = found;
  const calls = objects.filter(({ tool }) => tool !== null);
  const message = objects[0]?.message ?? "";
  if (/^\s*[{`]/u.test(answer)) return { text: message, calls };
  // An object that only has a message is an example inside of a text that was shown already.
  if (calls.length === 0) return { text: answer, calls };
  const fence = FENCE_BEFORE.exec(answer.slice(Math.max(0, start - FENCE_CHARS), start));
  return { text: answer.slice(0, start - (fence?.[0].length ?? 0)) + message, calls };
}

const REASONING_BEGINS = /^\s{0,200}<(?:think|thinking|thought|reasoning|reflection)>/iu;
const REASONING_ENDS = /<\/(?:think|thinking|thought|reasoning|reflection)>/iu;
const REASONINGS_MAX = 8;

/** Thoughts before the answer are no part of it; an answer that ends inside of them has none. */
function withoutReasoning(raw: string): string {
  let answer = raw;
  for (let count = 0; count < REASONINGS_MAX && REASONING_BEGINS.test(answer); count += 1) {
    const end = REASONING_ENDS.exec(answer);
    answer = end === null ? "" : answer.slice(end.index + end[0].length).trimStart();
  }
  return answer;
}

/** The text has no ids. They go on from those of the conversation, so that one question always gives the same. */
function withIds(calls: readonly AnswerObject[], messages: ModelQuestion["messages"]): readonly ToolCallPart[] {
  const known = messages.flatMap(({ parts }) => parts.map((part) => ("callId" in part ? part.callId : "")));
  const numbers = known.map((id) => Number(/^call-(\d{1,9})$/u.exec(id)?.[1] ?? 0));
  const last = numbers.reduce((most, number) => Math.max(most, number), 0);
  return calls.map(({ tool, args }, index) => ({
    kind: "tool_call",
    callId: `call-${last + index + 1}`,
    name: tool ?? "",
    args,
  }));
}
