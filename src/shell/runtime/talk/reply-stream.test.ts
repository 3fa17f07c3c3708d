import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GateOutcome } from "#model";
import { createReplyStream } from "./reply-stream.ts";

const PASSED: GateOutcome = {
  policy: [],
  context: {},
  verdict: "continue",
  firstBlock: null,
  escalation: null,
  evaluations: 1,
};

type Gate = (text: string) => Partial<GateOutcome> | Promise<Partial<GateOutcome>>;

function open(window: number | "whole", gate: Gate = () => ({})) {
  const shown: string[] = [];
  const peeked: string[] = [];
  let held = 0;
  const stream = createReplyStream({
    window,
    messageId: "m-1",
    feed: {
      publish({ offset, text }) {
        expect(offset).toBe(shown.join("").length);
        shown.push(text);
      },
      held: () => void (held += 1),
    },
    async peek(text) {
      peeked.push(text);
      return { ...PASSED, context: { response: text }, ...(await gate(text)) };
    },
  });
  return { ...stream, text: () => shown.join(""), held: () => held, peeked };
}

/** Lets everything that waits for nothing but promises happen. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe("an answer that arrives", () => {
  test("without a gate every character is shown at once", () => {
    const stream = open(0);
    stream.onText("He");
    expect(stream.text()).toBe("He");
    stream.onText("llo");
    expect([stream.text(), stream.shown(), stream.held(), stream.peeked]).toEqual(["Hello", "Hello", 0, []]);
  });

  test("with a gate for the whole answer nothing is shown, and the reader is told so", async () => {
    const stream = open("whole");
    stream.onText("Hello");
    await settle();
    expect([stream.text(), stream.shown(), stream.held()]).toEqual(["", "", 1]);
  });

  test("with a window the gates see a text before any of it is shown, and its end is held back", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        async (deltas, window) => {
          const stream = open(window);
          for (const delta of deltas) {
            stream.onText(delta);
            await settle();
          }
          const whole = deltas.join("");
          expect(whole.startsWith(stream.text())).toBe(true);
          expect(stream.text().length).toBeLessThanOrEqual(Math.max(0, whole.length - window));
          // At most one half of a character more than the window is kept.
          expect(stream.text().length).toBeGreaterThanOrEqual(Math.max(0, whole.length - window - 1));
          expect(stream.text().isWellFormed()).toBe(true);
          expect(["", ...stream.peeked].some((text) => text.startsWith(stream.text()))).toBe(true);
        },
      ),
    );
  });

  test.each<readonly [string, Gate]>([
    ["stops", (text) => (text.includes("secret") ? { verdict: "block" } : {})],
    ["changes", (text) => (text.includes("secret") ? { context: { response: "[redacted]" } } : {})],
    ["fails on", (text) => (text.includes("secret") ? Promise.reject(new Error("broken")) : {})],
  ])("what a gate %s is never shown, and nothing after it", async (_how, gate) => {
    const stream = open(10, gate);
    for (const word of ["Here is something long. ", "The secret ", "is out. ", "And more of it follows here."]) {
      stream.onText(word);
      await settle();
    }
    expect(stream.text()).toBe("Here is someth");
    expect(stream.held()).toBe(1);
  });

  test("text that arrives while the gates are asked is asked about next, one question at a time", async () => {
    const waiting: (() => void)[] = [];
    const stream = open(2, () => new Promise((resolve) => waiting.push(() => resolve({}))));
    stream.onText("abcd");
    stream.onText("efgh");
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    await settle();
    expect([stream.text(), stream.peeked]).toEqual(["ab", ["abcd", "abcdefgh"]]);
    waiting[1]?.();
    await settle();
    expect(stream.text()).toBe("abcdef");
  });
});
