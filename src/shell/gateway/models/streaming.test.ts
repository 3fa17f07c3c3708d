import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { AnswerPart, OfferedTool } from "#model";
import type { ModelAsking, Timers } from "#ports";
import {
  chunk,
  completion,
  configOf,
  DONE,
  event,
  KEY,
  modelServer,
  opened,
  question,
  status,
  streaming,
  type Speech,
} from "./model-server.fixture.ts";

const TOOLS: readonly OfferedTool[] = [
  { name: "find_task", description: "Finds a task.", inputSchema: { type: "object", properties: {} } },
];
const text = (words: string): AnswerPart => ({ kind: "text", text: words });

/** Asks a server that speaks so, and collects what was told while the answer came. */
async function asked(speech: Speech, over: Partial<ModelAsking> = {}, rest: Parameters<typeof opened>[1] = {}) {
  const server = await modelServer(() => speech);
  const deltas: string[] = [];
  const onText = (delta: string) => void deltas.push(delta);
  const models = opened(configOf(server.baseUrl, { ref: "model.key" }), rest);
  return { answer: await models.ask(question({ onText, ...over })), deltas, server };
}
const refused = (code: string) => ({ ok: false, error: { code } });

describe("an answer that is streamed", () => {
  test("is told as it arrives: the second half is sent only when the first was heard", async () => {
    const heard = Promise.withResolvers<void>();
    const speech: Speech = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": waiting\n\n" + chunk({ role: "assistant", content: "Good " }));
      void heard.promise.then(() => response.end(chunk({ content: "morning." }, "stop") + DONE));
    };
    const deltas: string[] = [];
    const onText = (delta: string): void => {
      deltas.push(delta);
      heard.resolve();
    };
    const { answer, server } = await asked(speech, { onText });
    expect(deltas).toEqual(["Good ", "morning."]);
    expect(answer).toMatchObject({ ok: true, value: { parts: [text("Good morning.")], finish: "stop" } });
    expect(JSON.parse(server.heard[0]?.body ?? "")).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("has the tokens that its provider counts, and an estimate where it does not", async () => {
    const usage = event({ choices: [], usage: { prompt_tokens: 70, completion_tokens: 8, total_tokens: 78 } });
    const { answer } = await asked(streaming(chunk({ content: "x" }, "stop"), usage, DONE));
    expect(answer).toMatchObject({ value: { tokensIn: 70, tokensOut: 8 } });
    const silent = await asked(streaming(chunk({ content: "x" }, "stop"), DONE));
    expect(silent.answer.ok && silent.answer.value.tokensIn > 0 && silent.answer.value.tokensOut > 0).toBe(true);
  });

  test("leaves out what the model thought", async () => {
    const { answer, deltas } = await asked(
      streaming(chunk({ reasoning_content: "hmm" }), chunk({ reasoning: "so" }), chunk({ content: "Yes." }, "stop")),
    );
    expect([answer, deltas]).toMatchObject([{ value: { parts: [text("Yes.")] } }, ["Yes."]]);
  });

  test.each([
    ["two reasons", [chunk({ content: "a" }, "stop"), chunk({}, "length"), DONE], "length"],
    ["no reason", [chunk({ content: "a" }), DONE], "other"],
    ["an unknown reason", [chunk({ content: "a" }, "tired"), DONE], "other"],
    ["a filter", [chunk({ content: "a" }, "content_filter"), DONE], "content_filter"],
  ])("that ends with %s has one", async (_name, parts, finish) => {
    const { answer } = await asked(streaming(...parts));
    expect(answer).toMatchObject({ value: { parts: [text("a")], finish } });
  });

  test("that is one JSON object instead is one delta, whatever it calls itself", async () => {
    for (const type of ["application/json", "text/event-stream", "text/plain"]) {
      const { answer, deltas } = await asked((response) => {
        response.writeHead(200, { "content-type": type });
        response.write(" \n");
        response.end(completion("Good morning."));
      });
      expect(answer).toMatchObject({ value: { parts: [text("Good morning.")], finish: "stop", tokensIn: 11 } });
      expect(deltas).toEqual(["Good morning."]);
    }
  });
});

describe("characters", () => {
  const WORDS = "é 😀 漢字";

  test("are whole, wherever the bytes of a stream are cut", async () => {
    const bytes = Buffer.from(chunk({ content: WORDS }) + chunk({}, "stop") + DONE);
    const emoji = bytes.indexOf(Buffer.from("😀"));
    for (const cut of [emoji + 1, emoji + 2, emoji + 3]) {
      const { answer, deltas } = await asked(streaming(bytes.subarray(0, cut), bytes.subarray(cut)));
      expect([answer, deltas]).toMatchObject([{ value: { parts: [text(WORDS)] } }, [WORDS]]);
    }
  });

  test("whose two halves are in two deltas are told once they are whole; a half alone is replaced", async () => {
    const [high, low] = ["\ud83d", "\ude00"];
    const { answer, deltas } = await asked(
      streaming(chunk({ content: `a${high}` }), chunk({ content: `${low}b${low}` }), chunk({ content: high }, "stop")),
    );
    expect(deltas).toEqual(["a", "😀b\ufffd", "\ufffd"]);
    expect(answer).toMatchObject({ value: { parts: [text("a😀b\ufffd\ufffd")] } });
  });

  test("that are not finished when a stream ends are no answer", async () => {
    const bytes = Buffer.from(chunk({ content: "a" }) + 'data: {"choices":[{"delta":{"content":"😀');
    const { answer } = await asked(streaming(bytes.subarray(0, bytes.length - 2)));
    expect(answer).toEqual(refused("model_failed"));
  });
});

describe("calls of tools", () => {
  const call = (index: number, over: object) => chunk({ tool_calls: [{ index, ...over }] });
  const made = (callId: string, args: string) => ({ kind: "tool_call", callId, name: "find_task", args });

  test("are put together from their pieces, and are not run by anybody here", async () => {
    const { answer, deltas } = await asked(
      streaming(
        chunk({ content: "Let me see." }),
        call(0, { id: "a", type: "function", function: { name: "find_task", arguments: '{"na' } }),
        call(0, { function: { arguments: 'me":"x"}' } }),
        call(1, { id: "b", type: "function", function: { name: "find_task", arguments: "{}" } }),
        chunk({}, "tool_calls"),
        DONE,
      ),
      { tools: TOOLS },
    );
    expect(answer).toMatchObject({
      value: { parts: [text("Let me see."), made("a", '{"name":"x"}'), made("b", "{}")], finish: "tool_calls" },
    });
    expect(deltas).toEqual(["Let me see."]);
  });

  test("keep arguments that are no JSON, and get an id of their own where two share one", async () => {
    const pieces = (id: string, index: number, args: string) =>
      call(index, { id, type: "function", function: { name: "find_task", arguments: args } });
    const { answer } = await asked(
      streaming(pieces("a", 0, "name: x"), pieces("a", 1, "{}"), chunk({}, "stop"), DONE),
      { tools: TOOLS },
    );
    expect(answer).toMatchObject({ value: { finish: "tool_calls", parts: [made("a", "name: x"), { args: "{}" }] } });
    expect(idsOf(answer).size).toBe(2);
    const whole = { role: "assistant", content: null, tool_calls: ["{}", "[]"].map((args) => toolCall("a", args)) };
    const { answer: plain } = await asked(
      (response) => void response.end(JSON.stringify({ choices: [{ message: whole, finish_reason: "tool_calls" }] })),
      { tools: TOOLS },
    );
    expect(plain).toMatchObject({ value: { parts: [made("a", "{}"), { name: "find_task", args: "[]" }] } });
    expect(idsOf(plain).size).toBe(2);
  });
  const idsOf = (answer: Awaited<ReturnType<typeof asked>>["answer"]): ReadonlySet<string> =>
    new Set(answer.ok ? answer.value.parts.map((part) => ("callId" in part ? part.callId : "")) : []);
  const toolCall = (id: string, args: string) => ({
    id,
    type: "function",
    function: { name: "find_task", arguments: args },
  });

  test.each([
    ["without a name", { id: "a", function: { arguments: "{}" } }],
    ["with an empty name", { id: "a", function: { name: " ", arguments: "{}" } }],
  ])("%s are no answer", async (_name, piece) => {
    const { answer } = await asked(streaming(call(0, piece), chunk({}, "tool_calls"), DONE), { tools: TOOLS });
    expect(answer).toEqual(refused("model_unreadable"));
  });

  test("and their results go out by role, with the tools beside them", async () => {
    const { server } = await asked(streaming(chunk({ content: "x" }, "stop"), DONE), {
      system: ["rules", "today"],
      tools: TOOLS,
      messages: [
        {
          role: "user",
          parts: [
            { kind: "text", text: "one" },
            { kind: "text", text: "two" },
          ],
        },
        {
          role: "assistant",
          parts: [
            { kind: "text", text: "Let me see." },
            { kind: "tool_call", callId: "a", name: "find_task", args: '{ "id": 12345678901234567890 }' },
            { kind: "tool_call", callId: "b", name: "find_task", args: "" },
          ],
        },
        {
          role: "tool",
          parts: [
            { kind: "tool_result", callId: "a", name: "find_task", text: "none\n", isError: false },
            { kind: "tool_result", callId: "b", name: "find_task", text: "no name was given", isError: true },
          ],
        },
      ],
    });
    expect(JSON.parse(server.heard[0]?.body ?? "")).toMatchObject({
      tool_choice: "auto",
      tools: [{ type: "function", function: { name: "find_task", parameters: TOOLS[0]?.inputSchema } }],
      messages: [
        { role: "system", content: "rules\n\ntoday" },
        { role: "user", content: "one\n\ntwo" },
        {
          role: "assistant",
          content: "Let me see.",
          tool_calls: [
            { id: "a", function: { name: "find_task", arguments: '{ "id": 12345678901234567890 }' } },
            { id: "b", function: { arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "none\n" },
        { role: "tool", tool_call_id: "b", content: "Error: no name was given" },
      ],
    });
  });
});

describe("what is no answer", () => {
  const cases: readonly (readonly [string, Speech, string])[] = [
    ["garbage", streaming("\u0000\u0001 what?\n\n"), "model_unreadable"],
    ["an event that is no JSON", streaming("data: {oops\n\n", DONE), "model_unreadable"],
    [
      "an event that is no JSON between others",
      streaming(chunk({ content: "a" }), "data: {oops\n\n", chunk({}, "stop"), DONE),
      "model_unreadable",
    ],
    ["an event of another kind", streaming(event({ hello: 1 }), DONE), "model_unreadable"],
    ["nothing at all", streaming(), "model_unreadable"],
    ["an error inside of the stream", streaming(event({ error: { message: "overloaded" } })), "model_failed"],
    ["an error that is a word", streaming(event({ error: "overloaded" }), DONE), "model_failed"],
    [
      "an error beside a choice",
      streaming(event({ error: { code: 502 }, choices: [{ delta: { content: "" }, finish_reason: "error" }] }), DONE),
      "model_failed",
    ],
    ["an error instead of an answer", (response) => void response.end('{"error":{"message":"no"}}'), "model_failed"],
    ["a stream without an end", streaming(chunk({ content: "half an ans" })), "model_failed"],
    ["too many requests", status(429), "model_busy"],
    ["a failure", status(503), "model_failed"],
  ];
  test.each(cases)("%s is one code, and is not asked for again", async (_name, speech, code) => {
    const { answer, server } = await asked(speech);
    expect([answer, server.heard.length]).toEqual([refused(code), 1]);
  });

  test("a stream that is cut keeps nothing, though some of it was told", async () => {
    const told = Promise.withResolvers<void>();
    const { answer } = await asked(
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(chunk({ content: "Good " }));
        void told.promise.then(() => response.destroy());
      },
      { onText: () => told.resolve() },
    );
    expect(answer).toEqual(refused("model_unreachable"));
  });

  test("a text may be as long as the limit in one delta, and no longer", async () => {
    const longest = "x".repeat(LIMITS.modelAnswerChars);
    const { answer, deltas } = await asked(streaming(chunk({ content: longest }, "stop"), DONE));
    expect(answer.ok && answer.value.parts).toEqual([text(longest)]);
    expect(deltas).toEqual([longest]);
    const longer = await asked(streaming(chunk({ content: longest }), chunk({ content: "x" }, "stop"), DONE));
    expect(longer.answer).toEqual(refused("model_answer_too_large"));
    expect(longer.deltas.join("").length).toBeLessThanOrEqual(LIMITS.modelAnswerChars);
  });
});

describe("the key", () => {
  test.each([
    ["in one delta", streaming(chunk({ content: `it is ${KEY}` }, "stop"), DONE)],
    ["over two deltas", streaming(chunk({ content: "it is sk-sec" }), chunk({ content: "ret-key" }, "stop"), DONE)],
    ["escaped", streaming(chunk({ content: KEY }, "stop").replace("sk-secret", "\\u0073k-secret"), DONE)],
    ["in a thought", streaming(chunk({ reasoning_content: KEY }), chunk({ content: "x" }, "stop"), DONE)],
    [
      "in a call",
      streaming(
        chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "t", arguments: '{"key":"sk-se' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: 'cret-key"}' } }] }, "tool_calls"),
        DONE,
      ),
    ],
  ])("is not told and not kept %s", async (_name, speech) => {
    const { answer, deltas } = await asked(speech);
    expect(answer).toEqual(refused("model_shows_key"));
    expect(deltas.join("")).not.toContain("sk-sec");
  });

  test("delays only an end that could be its beginning", async () => {
    const { answer, deltas } = await asked(
      streaming(chunk({ content: "ask" }), chunk({ content: "-me" }), chunk({ content: " sk-" }, "stop"), DONE),
    );
    expect(deltas).toEqual(["a", "sk-me", " ", "sk-"]);
    expect(answer).toMatchObject({ value: { parts: [text("ask-me sk-")] } });
  });
});

describe("a stream that is given up", () => {
  /** Says one word and holds the connection open; tells when the other side has closed it. */
  function openEnded() {
    const closed = Promise.withResolvers<void>();
    const speech: Speech = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.once("close", () => closed.resolve());
      response.write(chunk({ content: "Good " }));
    };
    return { speech, closed: closed.promise };
  }

  test("ends at once when it is stopped, with its connection", async () => {
    const { speech, closed } = openEnded();
    const stop = new AbortController();
    const { answer } = await asked(speech, { signal: stop.signal, onText: () => stop.abort() });
    expect(answer).toEqual(refused("model_interrupted"));
    await closed;
  });

  test("ends when its time is over", async () => {
    const { speech, closed } = openEnded();
    const waiting = new Map<() => void, number>();
    const timers: Timers = {
      after: (delayMs, work) => {
        waiting.set(work, delayMs);
        return () => void waiting.delete(work);
      },
    };
    const onText = (): void => {
      expect([...waiting.values()]).toEqual([7_000]);
      for (const work of waiting.keys()) work();
    };
    const { answer } = await asked(speech, { onText }, { timers });
    expect([answer, waiting.size]).toEqual([refused("model_timeout"), 0]);
    await closed;
  });

  test("is closed although whoever was told threw", async () => {
    const { speech, closed } = openEnded();
    const onText = (): void => {
      throw new Error("a bug of the caller");
    };
    await expect(asked(speech, { onText })).rejects.toThrow("a bug of the caller");
    await closed;
  });
});

describe("a model without calls of its own", () => {
  test("is given the tools as text, and its JSON object is a call", async () => {
    const said = 'Sure.\n```json\n{"message": "Looking.", "tool": "find_task", "args": {"name":\n"x"}}\n```';
    const { answer, deltas, server } = await asked(
      streaming(...[...said].map((content) => chunk({ content })), chunk({}, "stop"), DONE),
      { tools: TOOLS },
      { toolCalls: "json" },
    );
    expect(answer).toMatchObject({
      value: {
        finish: "tool_calls",
        parts: [text("Sure.\nLooking."), { kind: "tool_call", callId: "call-1", name: "find_task" }],
      },
    });
    expect(deltas.join("")).toBe("Sure.\nLooking.");
    const body = JSON.parse(server.heard[0]?.body ?? "");
    expect(body.tools).toBeUndefined();
    expect(body.messages[0].content).toMatch(/^rules\n\n# Tools\n[^]*## find_task\nFinds a task\./);
  });

  test("is read as it is where it is offered no tools", async () => {
    const said = '{"message": "Looking.", "plan_action": null}';
    const { answer, deltas } = await asked(
      streaming(chunk({ content: said }, "stop"), DONE),
      {},
      { toolCalls: "json" },
    );
    expect([answer, deltas]).toMatchObject([{ value: { parts: [text(said)], finish: "stop" } }, [said]]);
  });
});
