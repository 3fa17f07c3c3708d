import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { joinDelta, turnNewsFromWire, turnNewsToWire, type TurnNews } from "./turn-delta.ts";

const ID = "01a1e0e6-9847-710c-a4c4-076a2acbbb26";

describe("frames of a turn in flight", () => {
  test("[WEB-10] each kind of news survives the wire, whatever text it carries", () => {
    const news = fc.oneof(
      fc.record({
        kind: fc.constant("delta" as const),
        messageId: fc.constant(ID),
        offset: fc.nat(LIMITS.textChars),
        text: fc.string({ unit: "binary" }),
      }),
      fc.record({ kind: fc.constantFrom("held" as const, "ended" as const), messageId: fc.constant(ID) }),
    );
    fc.assert(
      fc.property(news, (told: TurnNews) => {
        expect(turnNewsFromWire(JSON.parse(JSON.stringify(turnNewsToWire(told))))).toEqual(told);
      }),
    );
  });

  test("[WEB-10] other frames, unknown fields, negative places and text beyond the limit are no news", () => {
    const delta = { type: "turn_delta", message_id: ID, offset: 0, text: "x" };
    for (const body of [
      null,
      { type: "pong" },
      { ...delta, taint: "owner" },
      { ...delta, offset: -1 },
      { ...delta, offset: 0.5 },
      { ...delta, offset: LIMITS.textChars + 1 },
      { ...delta, text: "x".repeat(LIMITS.textChars + 1) },
      { ...delta, message_id: "" },
      { type: "turn_held" },
    ]) {
      expect(turnNewsFromWire(body)).toBeNull();
    }
  });
});

describe("joining deltas", () => {
  test("[WEB-10] from whatever arrives, in any order and any number of times, a reader has the beginning of the reply", () => {
    const reply = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
    const picks = fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 30 });
    fc.assert(
      fc.property(reply, picks, (text, ranges) => {
        let soFar = "";
        for (const [from, to] of ranges) {
          const [offset, end] = [Math.min(from, to, text.length), Math.min(Math.max(from, to), text.length)];
          const joined = joinDelta(soFar, { offset, text: text.slice(offset, end) });
          expect(joined.length).toBeGreaterThanOrEqual(soFar.length);
          soFar = joined;
          expect(text.startsWith(soFar)).toBe(true);
        }
        expect(joinDelta(soFar, { offset: 0, text })).toBe(text);
      }),
    );
  });

  test("[WEB-10] after a gap nothing is added until the text so far comes again", () => {
    let soFar = joinDelta("", { offset: 0, text: "Good " });
    soFar = joinDelta(soFar, { offset: 9, text: "ing" });
    expect(soFar).toBe("Good ");
    expect(joinDelta(soFar, { offset: 12, text: "." })).toBe("Good ");
    expect(joinDelta(soFar, { offset: 0, text: "Good morning" })).toBe("Good morning");
  });

  test("a reply beyond the limit is not added", () => {
    const whole = "x".repeat(LIMITS.textChars);
    expect(joinDelta("", { offset: 0, text: whole })).toBe(whole);
    expect(joinDelta(whole, { offset: whole.length, text: "x" })).toBe(whole);
    expect(joinDelta("", { offset: 0, text: `${whole}x` })).toBe("");
  });
});
