import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import { modelSetting } from "#model";
import type { Leaving, Timers } from "#ports";
import { createModels } from "./create-models.ts";
import { createMemoryModels } from "./memory-models.ts";
import {
  completion,
  configOf,
  KEY,
  modelServer,
  NEVER,
  opened,
  question,
  status,
  type Speech,
} from "./model-server.fixture.ts";
import type { Network } from "../network.ts";

describe("asking a model", () => {
  test("what leaves is exactly what was recorded, for the configured address alone, with the key of the vault in its header and nowhere else", async () => {
    const server = await modelServer(() => "Good morning.");
    const receipts: Leaving[] = [];
    const onLeave = async (leaving: Leaving) => {
      expect(server.heard).toEqual([]);
      receipts.push(leaving);
      return true;
    };
    const models = opened(configOf(server.baseUrl, { ref: "model.key" }));
    const answer = await models.ask(question({ onLeave }));
    expect(answer).toEqual({
      ok: true,
      value: expect.objectContaining({ parts: [{ kind: "text", text: "Good morning." }], tokensIn: 11, tokensOut: 3 }),
    });
    const [heard] = server.heard;
    expect(heard?.path).toBe("/v1/chat/completions");
    expect(heard?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(heard?.body).not.toContain(KEY);
    expect(JSON.parse(heard?.body ?? "")).toMatchObject({ model: "m", max_tokens: 50, temperature: 0 });
    expect(receipts).toEqual([
      {
        host: `127.0.0.1:${server.port}`,
        model: "m",
        bytes: Buffer.byteLength(heard?.body ?? ""),
        sha256: sha256Hex(heard?.body ?? ""),
        keyRef: "model.key",
      },
    ]);
  });

  const cases: readonly (readonly [string, Speech, string])[] = [
    ["refuses the key", status(401), "model_key_refused"],
    ["is asked too often", status(429), "model_busy"],
    ["has an error", status(500), "model_failed"],
    ["does not know the model", status(404), "model_refused"],
    ["points elsewhere", status(302, { location: "http://127.0.0.1:1/" }), "model_redirects"],
    ["says no JSON", (response) => void response.end("<html>hello</html>"), "model_unreadable"],
    ["says JSON of another kind", (response) => void response.end('{"choices":[]}'), "model_unreadable"],
    ["says nothing and hangs up", (response) => void response.destroy(), "model_unreachable"],
    ["shows the key", (response) => void response.end(completion(`your key is ${KEY}`)), "model_shows_key"],
    [
      "never stops",
      (response) => {
        response.on("error", () => {});
        for (let part = 0; part < 80; part += 1) response.write("x".repeat(65_536));
      },
      "model_answer_too_large",
    ],
  ];
  test.each(cases)("one that %s gives one code, in one try, and none of its words", async (_name, speech, code) => {
    const server = await modelServer(() => speech);
    const asked = await opened(configOf(server.baseUrl, { ref: "model.key" })).ask(question());
    expect(asked).toEqual({ ok: false, error: { code } });
    expect(server.heard).toHaveLength(1);
  });

  test("one that does not answer is given up after the configured time, and at once when everything is stopped", async () => {
    const waiting = new Map<() => void, number>();
    const timers: Timers = {
      after: (delayMs, work) => {
        waiting.set(work, delayMs);
        return () => void waiting.delete(work);
      },
    };
    // It has the question, and says nothing until the time is up.
    const server = await modelServer(() => () => {
      expect([...waiting.values()]).toEqual([7_000]);
      for (const work of waiting.keys()) work();
    });
    const slow = await opened(configOf(server.baseUrl), { timers }).ask(question());
    expect(slow).toEqual({ ok: false, error: { code: "model_timeout" } });
    expect(waiting.size).toBe(0);
    const controller = new AbortController();
    const other = await modelServer(() => () => {});
    const asking = opened(configOf(other.baseUrl)).ask(question({ signal: controller.signal }));
    await expect.poll(() => other.heard.length).toBe(1);
    controller.abort();
    expect(await asking).toEqual({ ok: false, error: { code: "model_interrupted" } });
  });

  test("nothing leaves that could not be recorded, whose key is missing, or that is too long", async () => {
    const server = await modelServer(() => "x");
    const models = opened(configOf(server.baseUrl));
    expect(await models.ask(question({ onLeave: async () => false }))).toMatchObject({
      error: { code: "model_not_recorded" },
    });
    const keyless = opened(configOf(server.baseUrl, { ref: "other.key" }));
    expect(await keyless.ask(question())).toMatchObject({ error: { code: "model_key_missing" } });
    const long = question({ prompt: "x".repeat(4_200_000) });
    expect(await models.ask(long)).toMatchObject({ error: { code: "model_question_too_large" } });
    expect(server.heard).toEqual([]);
  });

  test("an address elsewhere is looked up, and refused when its name leads to this machine or an inner network", async () => {
    const server = await modelServer(() => "x");
    const dialled: string[] = [];
    const leading = (address: string): Network => ({
      resolve: async () => [address],
      dial: (to) => {
        dialled.push(to.address);
        return connect({ host: "127.0.0.1", port: server.port });
      },
      secure: (socket) => ({ socket, proven: Promise.resolve(true) }),
      ownAddresses: () => [],
    });
    const ask = (address: string) =>
      opened(configOf("https://models.example.org/v1"), { network: leading(address) }).ask(question());
    for (const inner of ["127.0.0.1", "10.0.0.7", "192.168.1.4", "169.254.169.254", "::1"]) {
      expect(await ask(inner)).toMatchObject({ error: { code: "model_unreachable" } });
    }
    expect([dialled, server.heard]).toEqual([[], []]);
    expect(await ask("93.184.216.34")).toMatchObject({ ok: true });
    expect(dialled).toEqual(["93.184.216.34"]);
  });

  test("the twin promises the same about what leaves", async () => {
    const twin = createMemoryModels(() => "Good morning.");
    expect(await twin.ask(question())).toMatchObject({
      ok: true,
      value: { parts: [{ kind: "text", text: "Good morning." }] },
    });
    expect(await twin.ask(question({ onLeave: async () => false }))).toMatchObject({
      error: { code: "model_not_recorded" },
    });
    expect(await twin.ask(question({ prompt: "x".repeat(4_200_000) }))).toMatchObject({ ok: false });
    const absent = createMemoryModels(() => "x", { kind: "absent", reason: "key_missing" });
    expect(await absent.ask(question())).toMatchObject({ error: { code: "model_absent" } });
    expect(twin.asked).toHaveLength(1);
  });
});

describe("which model answers", () => {
  test("the planner's is the one the configuration names, and nothing else about the question changes with it", async () => {
    const server = await modelServer(() => "x");
    const bodyFor = async (planner: string): Promise<unknown> => {
      await opened(configOf(server.baseUrl, { planner })).ask(question());
      return JSON.parse(server.heard.at(-1)?.body ?? "");
    };
    const [one, other] = [await bodyFor("compatible:one"), await bodyFor("compatible:two:7b")];
    expect(one).toMatchObject({ model: "one" });
    expect({ ...(one as object), model: "two:7b" }).toEqual(other);
  });

  test.each([
    ["ollama:llama3.2:3b", null, { baseUrl: "http://127.0.0.1:11434/v1", model: "llama3.2:3b", reach: "local" }],
    ["lmstudio:any", null, { baseUrl: "http://127.0.0.1:1234/v1", reach: "local" }],
    [
      "compatible:m",
      "https://models.example.org/v1/",
      { baseUrl: "https://models.example.org/v1", port: 443, reach: "remote" },
    ],
    ["compatible:m", "http://localhost:8080", { baseUrl: "http://localhost:8080", port: 8080, reach: "local" }],
    ["compatible:m", "http://[::1]:8080/v1", { host: "::1", reach: "local" }],
  ])("%s at %s is used", (planner, baseUrl, place) => {
    expect(modelSetting(configOf(baseUrl, { planner }))).toMatchObject({ kind: "set", place });
  });

  test.each([
    ["openrouter:anthropic/claude", null, "key_missing"],
    ["compatible:m", null, "address_missing"],
    ["somebody:m", null, "provider_unknown"],
    ["compatible:m", "http://models.example.org/v1", "address_refused"],
    ["compatible:m", "http://192.168.1.4:11434/v1", "address_refused"],
    ["compatible:m", "https://10.0.0.7/v1", "address_refused"],
    ["compatible:m", "https://user:pass@models.example.org/v1", "address_refused"],
    ["compatible:m", "https://models.example.org/v1?key=1", "address_refused"],
    ["compatible:m", "file:///etc/passwd", "address_refused"],
    ["compatible:m", "http://127.0.0.1.example.org/v1", "address_refused"],
    ["compatible:m", "http://0177.0.0.1/v1", "address_refused"],
  ])("%s at %s is no model", (planner, baseUrl, reason) => {
    expect(modelSetting(configOf(baseUrl, { planner }))).toEqual({ kind: "absent", reason });
  });
});

test("a model that is not set up is not asked, and nothing is said to leave", async () => {
  const onLeave = () => expect.unreachable();
  expect(await opened(configOf(null)).ask(question({ onLeave }))).toEqual({
    ok: false,
    error: { code: "model_absent" },
  });
});

test("a key from the vault is wiped once it is read", async () => {
  const server = await modelServer(() => "Good morning.");
  const bytes = Buffer.from(KEY);
  const models = createModels({
    config: {
      ...configOf(server.baseUrl, { ref: "model.key" }),
      models: { planner: "compatible:m", timeoutSeconds: 7, maxOutputTokens: 50, toolCalls: "native" },
    },
    vault: { get: async () => ({ ok: true, value: bytes }) },
    timers: NEVER,
  });
  expect(await models.ask(question())).toMatchObject({ ok: true });
  expect(server.heard[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(bytes).toEqual(Buffer.alloc(KEY.length));
});

test("the key of a setting goes to the provider that it is set for", async () => {
  const dialled: string[] = [];
  const server = await modelServer(() => "Good morning.");
  const network: Network = {
    resolve: async () => ["93.184.215.14"],
    dial: ({ address, port }) => (
      dialled.push(`${address}:${port}`),
      connect({ host: "127.0.0.1", port: server.port })
    ),
    secure: (socket) => ({ socket, proven: Promise.resolve(true) }),
    ownAddresses: () => [],
  };
  const models = opened(configOf(null, { planner: "openrouter:m", key: KEY }), { network });
  expect(await models.ask(question())).toMatchObject({ ok: true });
  expect(dialled).toEqual(["93.184.215.14:443"]);
  expect(server.heard.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
});

test("the twin of the way to a model keeps the same limits", async () => {
  const long = (chars: number) => question({ system: [], prompt: "x".repeat(chars) });
  const around = JSON.stringify({ system: "", texts: [""] }).length;
  const models = createMemoryModels(() => ({ code: "model_busy" }));
  expect(await models.ask(long(LIMITS.modelQuestionBytes - around))).toEqual({
    ok: false,
    error: { code: "model_busy" },
  });
  expect(await models.ask(long(LIMITS.modelQuestionBytes - around + 1))).toEqual({
    ok: false,
    error: { code: "model_question_too_large" },
  });
  const stop = new AbortController();
  const onLeave = async () => (stop.abort(), true);
  expect(await models.ask(question({ onLeave, signal: stop.signal }))).toEqual({
    ok: false,
    error: { code: "model_interrupted" },
  });
  expect(models.asked).toHaveLength(1);
});
