/** Streams that no provider should send, over a real connection: each ends as an answer or as one code. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chunk,
  configOf,
  DONE,
  KEY,
  modelServer,
  opened,
  question,
  streaming,
  type Speech,
} from "./model-server.fixture.ts";

/** A server whose next answer is this, and what was told of it. */
async function openServer() {
  let speech: Speech = "";
  const server = await modelServer(() => speech);
  const models = opened(configOf(server.baseUrl, { ref: "model.key" }));
  return async (...parts: readonly (string | Uint8Array)[]) => {
    speech = streaming(...parts);
    const deltas: string[] = [];
    const answer = await models.ask(question({ onText: (delta) => void deltas.push(delta) }));
    return { answer, told: deltas.join("") };
  };
}
const refused = (code: string) => ({ ok: false, error: { code } });
const said = (text: string) => ({ ok: true, value: { parts: [{ kind: "text", text }] } });

const WHOLE = Buffer.from(chunk({ content: "é 😀 " }) + chunk({ content: "漢字" }) + chunk({}, "stop") + DONE);
const NO_TEXT = Uint8Array.from({ length: 8192 }, (_none, at) => (at * 151 + (at >> 8)) % 256);

describe("bytes that are no text", () => {
  test("instead of an answer are unreadable", async () => {
    const ask = await openServer();
    expect((await ask(NO_TEXT)).answer).toEqual(refused("model_unreadable"));
    expect((await ask(NO_TEXT.toReversed())).answer).toEqual(refused("model_unreadable"));
  });

  test("between two pieces of an answer leave no answer", async () => {
    const ask = await openServer();
    const garbage = Buffer.concat([Buffer.from("data: "), NO_TEXT, Buffer.from("\n\n")]);
    const { answer } = await ask(chunk({ content: "Good " }), garbage, chunk({ content: "morning." }, "stop"), DONE);
    expect(answer).toEqual(refused("model_unreadable"));
  });

  test("inside of a text are replaced, and half a character before the end of a piece as well", async () => {
    const ask = await openServer();
    const [before = "", after = ""] = chunk({ content: "a|b" }, "stop").split("|");
    for (const bad of [[0xff], [0xc3], [0xf0, 0x9f, 0x98]]) {
      const { answer, told } = await ask(before, Uint8Array.from(bad), after, DONE);
      expect([answer, told]).toMatchObject([said("a\ufffdb"), "a\ufffdb"]);
    }
  });
});

test("characters are whole, however small the pieces of a stream are", async () => {
  const ask = await openServer();
  for (const bytes of [1, 2, 3, 5]) {
    const pieces = Array.from({ length: Math.ceil(WHOLE.length / bytes) }, (_none, at) =>
      WHOLE.subarray(at * bytes, (at + 1) * bytes),
    );
    const { answer, told } = await ask(...pieces);
    expect([answer, told]).toMatchObject([said("é 😀 漢字"), "é 😀 漢字"]);
  }
});

describe("an end of an answer", () => {
  test.each([
    ["twice in one piece", [chunk({ content: "a" }, "stop"), chunk({}, "stop") + DONE], said("a")],
    ["before its text", [chunk({}, "stop"), chunk({ content: "a" }), DONE], said("a")],
    ["and its mark twice", [chunk({ content: "a" }, "stop"), DONE, DONE], said("a")],
    ["only as a mark", [chunk({ content: "a" }), DONE], said("a")],
    ["nowhere", [chunk({ content: "a" }), chunk({ content: "b" })], refused("model_failed")],
  ])("%s", async (_name, parts, expected) => {
    const ask = await openServer();
    expect((await ask(...parts)).answer).toMatchObject(expected);
  });
});

describe("a megabyte in one delta", () => {
  test.each([
    ["of letters", "x"],
    ["of characters with several bytes", "漢"],
    ["of line breaks, which are escaped on the wire", "\n"],
  ])("%s is an answer like any other", async (_name, unit) => {
    const ask = await openServer();
    const long = unit.repeat(1_048_576);
    const { answer, told } = await ask(chunk({ content: long }, "stop"), DONE);
    expect([answer.ok && answer.value.parts, told.length]).toEqual([[{ kind: "text", text: long }], long.length]);
  });

  test("without an end is none", async () => {
    const ask = await openServer();
    const { answer } = await ask(
      chunk({ content: "a" }),
      `data: {"choices":[{"delta":{"content":"${"x".repeat(1_048_576)}`,
    );
    expect(answer).toEqual(refused("model_failed"));
  });
});

test("a stream with damage anywhere ends as an answer that was told word for word, or as one code", async () => {
  const ask = await openServer();
  const damage = fc.record({ at: fc.nat(WHOLE.length - 1), bytes: fc.uint8Array({ maxLength: 6 }), skip: fc.nat(6) });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), fc.nat(WHOLE.length), async (wounds, cut) => {
      let bytes = WHOLE;
      for (const { at, bytes: put, skip } of wounds)
        bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + skip)]);
      const { answer, told } = await ask(bytes.subarray(0, cut), bytes.subarray(cut));
      const parts = answer.ok ? answer.value.parts : [];
      const text = answer.ok ? parts.map((part) => (part.kind === "text" ? part.text : "")).join("") : told;
      expect(["answered", "model_unreadable", "model_failed"]).toContain(answer.ok ? "answered" : answer.error.code);
      expect(told).toBe(text);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain(KEY);
    }),
    { numRuns: 200 },
  );
});
