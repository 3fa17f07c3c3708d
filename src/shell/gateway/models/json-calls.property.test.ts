import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { depth } from "../../../../test/depth.ts";
import type { AnswerPart, ConversationMessage, ModelQuestion, ToolCallPart, ToolResultPart } from "#model";
import { createAnswerText } from "../lookout.ts";
import { createJsonForm, encodeQuestion } from "./json-calls.ts";

const RUNS = { numRuns: depth({ sample: 1250, every: 5_000 }) };
const asking = (messages: readonly ConversationMessage[]): ModelQuestion => ({
  system: ["rules"],
  messages,
  tools: [{ name: "t", description: "d", inputSchema: {} }],
  outputTokensMax: 50,
});

/** Reads an answer that comes in these deltas, and what was told of it. */
function read(deltas: readonly string[], messages: readonly ConversationMessage[] = []) {
  const told: string[] = [];
  const text = createAnswerText({
    form: createJsonForm({ messages }),
    key: null,
    onText: (one) => void told.push(one),
  });
  for (const delta of deltas) expect(text.take(delta)).toBeNull();
  const parts = text.end([]);
  if (!parts.ok) throw new Error(parts.error.code);
  return { parts: parts.value, told: told.join("") };
}
const textOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
const answer = (parts: readonly AnswerPart[]): ConversationMessage => ({ role: "assistant", parts });
const encoded = (message: ConversationMessage): string => {
  const [first] = encodeQuestion(asking([message])).messages;
  return (first?.parts ?? []).map((part) => ("text" in part ? part.text : "")).join("");
};

/** Letters, and everything that could be taken for the form itself. */
const PIECES = [
  "{",
  "}",
  "[",
  "]",
  '"',
  ":",
  ",",
  "\\",
  "\n",
  " ",
  "`",
  "```json\n",
  "```",
  "<think>",
  "</think>",
  "{}",
];
const FORMS = [
  '{"tool": "t"',
  '{"message": "hi"}',
  '"args": {"a": 1}',
  '{"tool": "t", "args": {}}',
  "\ud83d",
  "😀",
  "null",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES, ...FORMS), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 14 })
  .map((pieces) => pieces.join(""));
const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  hostile.map((text) => text.toWellFormed()),
);
const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/u);
const args = fc.oneof(
  fc
    .dictionary(fc.string({ unit: "binary", maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
  words.map((text) => text.trim()),
);
const call = fc.record({ name, args }).map((made): ToolCallPart => ({ kind: "tool_call", callId: "", ...made }));

describe("calls as text", () => {
  test("come back as they were: what was said, the tool and its arguments", () => {
    fc.assert(
      fc.property(words, fc.array(call, { maxLength: 3 }), (said, calls) => {
        const parts: readonly AnswerPart[] = [
          ...(said === "" ? [] : [{ kind: "text" as const, text: said }]),
          ...calls,
        ];
        const { parts: back } = read([encoded(answer(parts))]);
        expect(back.map((part) => (part.kind === "text" ? part : { ...part, callId: "" }))).toEqual(parts);
      }),
      RUNS,
    );
  });

  test("come back also from between other words, fences and thoughts, with raw line breaks and more keys", () => {
    const around = fc.constantFrom(
      (json: string) => json,
      (json: string) => `\n ${json}\n`,
      (json: string) => `\`\`\`json\n${json}\n\`\`\``,
      (json: string) => `<think>{"tool": "other"} or not?</think>\n${json}`,
      (json: string) => `Let me see. ${json} That is all.`,
      (json: string) => `I use {braces} and {"x": 1} first:\n\`\`\`\n${json}`,
    );
    fc.assert(
      fc.property(around, name, fc.string({ unit: fc.constantFrom("a", "\n", "\t", " ", "😀") }), (put, tool, line) => {
        const json = `{"thought": "x", "message": "m", "tool": "${tool}", "args": {"text": "${line}"}}`;
        const { parts } = read([put(json)]);
        const made = parts.find((part) => part.kind === "tool_call");
        expect(made?.name).toBe(tool);
        expect(JSON.parse(made?.args ?? "")).toEqual({ text: line });
        expect(textOf(parts).endsWith("m")).toBe(true);
      }),
      { numRuns: depth({ sample: 250, every: 1_000 }) },
    );
  });

  test("never throw, whatever is written, and what was told is the text of the answer, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 5 }), (deltas) => {
        const { parts, told } = read(deltas);
        expect(told).toBe(textOf(parts));
        expect(told.isWellFormed()).toBe(true);
        const whole = read([deltas.join("")]);
        expect(whole.parts).toEqual(parts);
      }),
      RUNS,
    );
  });

  test("are not seen where there are none: such an answer is its own text", () => {
    const plain = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "}", ":", "`", "é", "{ ", "{x") });
    fc.assert(
      fc.property(plain, (said) => {
        expect(read([said]).parts).toEqual(said === "" ? [] : [{ kind: "text", text: said }]);
      }),
      { numRuns: depth({ sample: 250, every: 1_000 }) },
    );
  });

  test("are looked for within limits, also in a long text that never ends", () => {
    for (const piece of ['{"a', "{", '{"a":', '{"tool":"t"}', "```", "```json\n{ ", "<think>", '"', "{ ".repeat(90)]) {
      const long = piece.repeat(Math.floor(300_000 / piece.length));
      for (const said of [`Well ${long}`, long]) expect(read([said]).told.length).toBeLessThanOrEqual(said.length);
    }
  });
});

describe("results as text", () => {
  test("are told whole, by the name and the id of their call", () => {
    const result = fc.record({ name, callId: name, text: words, isError: fc.boolean() });
    fc.assert(
      fc.property(result, (made) => {
        const part: ToolResultPart = { kind: "tool_result", ...made };
        const [, kind, tool, id, rest] =
          /^(Result|Error) of (\S+) \((\S+)\):\n([^]*)$/u.exec(encoded({ role: "tool", parts: [part] })) ?? [];
        expect({ isError: kind === "Error", name: tool, callId: id, text: rest }).toEqual(made);
      }),
      RUNS,
    );
  });
});

describe("a conversation in this form", () => {
  const user = (text: string): ConversationMessage => ({ role: "user", parts: [{ kind: "text", text }] });
  const made = (callId: string): ToolCallPart => ({ kind: "tool_call", callId, name: "t", args: "{}" });
  const came = (callId: string): ConversationMessage => ({
    role: "tool",
    parts: [{ kind: "tool_result", callId, name: "t", text: "none", isError: false }],
  });

  test("takes turns, and has its tools in the last block of the system", () => {
    const { system, messages, tools } = encodeQuestion({
      ...asking([user("one"), user("two"), answer([made("call-1")]), came("call-1"), user("three")]),
      system: ["stable", "today"],
    });
    expect(system[0]).toBe("stable");
    expect(system[1]).toMatch(/^today\n\n# Tools\n[^]*## t\nd\nJSON Schema of "args": \{\}$/u);
    expect(tools).toEqual([]);
    expect(
      messages.map(({ role, parts }) => [role, parts.map((part) => ("text" in part ? part.text : "")).join()]),
    ).toEqual([
      ["user", "one\n\ntwo"],
      ["assistant", '{"tool": "t", "args": {}}'],
      ["user", "Result of t (call-1):\nnone\n\nthree"],
    ]);
  });

  test("gives each call an id that none before it has", () => {
    const messages = [user("one"), answer([made("call-7")]), came("call-7")];
    const { parts } = read(['{"tool": "t"}\n{"tool": "t", "args": "x"}'], messages);
    expect(parts).toEqual([
      { kind: "tool_call", callId: "call-8", name: "t", args: "{}" },
      { kind: "tool_call", callId: "call-9", name: "t", args: "x" },
    ]);
  });

  test("keeps the digits of a long number", () => {
    const { parts } = read(['{"tool": "t", "args": {"id": 12345678901234567890}}']);
    expect(parts).toMatchObject([{ args: '{"id": 12345678901234567890}' }]);
  });

  test("keeps an object that only looks like an answer inside of a text", () => {
    const said = 'Send this: {"message": "hi"} to the hook.';
    expect(read([said]).parts).toEqual([{ kind: "text", text: said }]);
    expect(read(['{"message": "hi"}']).parts).toEqual([{ kind: "text", text: "hi" }]);
    expect(read(["<think>I should say"]).parts).toEqual([]);
  });
});
