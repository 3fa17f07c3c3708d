import { beforeEach, expect, test } from "vitest";
import { dropTurns, hearTurn, useLiveTurns } from "./live-turns.ts";

const shown = () => useLiveTurns.getState();
const hear = (offset: number, text: string, messageId = "one") => hearTurn({ kind: "delta", messageId, offset, text });
beforeEach(dropTurns);

test("[WEB-10] a reply grows by its deltas; what repeats or leaves a gap changes nothing, and the text so far mends it", () => {
  hear(0, "Good ");
  hear(5, "mor");
  const before = shown();
  hear(0, "Good ");
  hear(99, "ning");
  expect(shown()).toBe(before);
  expect(shown()).toEqual({ one: { text: "Good mor", isHeld: false, isEnded: false } });
  hear(0, "Good morning");
  hear(0, "Hello", "two");
  expect(shown()).toEqual({
    one: { text: "Good morning", isHeld: false, isEnded: false },
    two: { text: "Hello", isHeld: false, isEnded: false },
  });
});

test("a reply that a gate holds is told as such, and the end of a reply leaves what is shown until the next one begins", () => {
  hearTurn({ kind: "held", messageId: "one" });
  hear(0, "Hello", "two");
  expect(shown()["one"]).toEqual({ text: "", isHeld: true, isEnded: false });
  hearTurn({ kind: "ended", messageId: "two" });
  expect(shown()["two"]?.text).toBe("Hello");
  hear(0, "Next", "three");
  expect(Object.keys(shown())).toEqual(["one", "three"]);
  dropTurns();
  expect(shown()).toEqual({});
});
