import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createModels } from "#gateway";
import { createSeeded, createVirtualClock, daySpent } from "#sim";
import { openInMemory } from "../../../test/stores-in-memory.ts";
import { callModel, type ModelCall } from "./call-model.ts";

type Body = { readonly stream_options?: object; readonly messages: readonly object[] };
/** Answers a question, by whether it asks for token counts. */
type Server = (response: ServerResponse, asksCounts: boolean) => void;

const REFUSAL = '{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}';
const refuse =
  (status: number, body = REFUSAL): Server =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);
const answer: Server = (response) => {
  const message = { role: "assistant", content: "Good morning." };
  response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
};
/** As a server that knows no other options than its own. */
const strict =
  (status: number): Server =>
  (response, asksCounts) =>
    (asksCounts ? refuse(status) : answer)(response, asksCounts);

async function openWith(serve: Server) {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as Body;
      bodies.push(body);
      serve(response, body.stream_options !== undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { calls, audit } = openInMemory();
  const models = createModels({
    config: {
      models: { planner: "compatible:m", timeoutSeconds: 60, maxOutputTokens: 50, toolCalls: "native" },
      providers: {
        openrouter: { apiKey: null },
        compatible: { baseUrl: `http://127.0.0.1:${port}/v1`, apiKeyRef: null },
      },
    },
    vault: { get: () => expect.unreachable() },
    timers: { after: () => () => {} },
  });
  const deps = { models, calls, clock: createVirtualClock(1_794_729_600_000), randomness: createSeeded(3) };
  let reservedCount = 0;
  const ask = (over: Partial<ModelCall> = {}) =>
    callModel(deps, {
      subject: { purpose: "planner", subjectId: "m-1", scopeId: "owner", messageId: "m-1", tokensPerDay: 1_000_000 },
      question: {
        system: ["rules"],
        messages: [{ role: "user", parts: [{ kind: "text", text: "hello" }] }],
        tools: [],
        outputTokensMax: 50,
      },
      taint: "owner",
      tokensMax: 100,
      signal: new AbortController().signal,
      onReserved: async () => {
        reservedCount += 1;
        return true;
      },
      ...over,
    });
  const events = async (): Promise<readonly string[]> => {
    const entries = await audit.entries({ beforeSeq: null, from: null, to: null, limit: 50 });
    return entries.ok ? entries.value.map(({ event }) => event).toReversed() : [];
  };
  const spent = (tokens: number) => daySpent(calls, { tokens, at: deps.clock.now() });
  return { ask, bodies, events, spent, reservedCount: () => reservedCount };
}

const GOOD = { ok: true, value: { answer: { parts: [{ kind: "text", text: "Good morning." }] } } };
const ASKED = ["model_asked", "model_gave_nothing", "model_asked", "model_answered"];

test.each([400, 422])(
  "a server that refuses to count tokens with %i is asked once more without, in a call of its own, and never again with it",
  async (status) => {
    const { ask, bodies, events, spent, reservedCount } = await openWith(strict(status));
    const first = await ask();
    expect(first).toMatchObject(GOOD);
    expect([await events(), reservedCount()]).toEqual([ASKED, 1]);
    expect(await spent(first.ok ? first.value.tokens : -1)).toBe(true);
    expect(await ask()).toMatchObject(GOOD);
    expect(bodies.map((body) => body.stream_options)).toEqual([{ include_usage: true }, undefined, undefined]);
    expect(bodies[1]).toEqual({ ...bodies[0], stream_options: undefined });
  },
);

test.each([
  ["for another reason", refuse(400, '{"error":{"message":"the prompt is too long"}}'), 1],
  ["without a reason", refuse(400, ""), 1],
  ["with a reason that comes after a long text", refuse(400, `${"x".repeat(100_000)} stream_options`), 1],
  ["because it is broken, whatever it says", refuse(500), 1],
  ["also without that option", refuse(400), 2],
])("a server that refuses %s is asked no more often than that", async (_name, serve, times) => {
  const { ask, bodies } = await openWith(serve);
  expect((await ask()).ok).toBe(false);
  expect(bodies).toHaveLength(times);
});

test("a question that was stopped meanwhile is not asked again", async () => {
  const stop = new AbortController();
  const { ask, bodies } = await openWith((response, asksCounts) => {
    response.once("finish", () => stop.abort());
    refuse(400)(response, asksCounts);
  });
  expect((await ask({ signal: stop.signal })).ok).toBe(false);
  expect(bodies).toHaveLength(1);
});
