import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { TurnNews } from "#model";
import { createVirtualClock, createVirtualTimers } from "#sim";
import { createTurnFeed } from "./turn-feed.ts";

const ID = "m-1";

function openFeed() {
  const timers = createVirtualTimers(createVirtualClock(0));
  const failures: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (event: string) => void failures.push(event) };
  const feed = createTurnFeed({ timers, log });
  const listen = () => {
    const heard: TurnNews[] = [];
    const stop = feed.subscribe((news) => void heard.push(news));
    return { heard, stop };
  };
  const say = (offset: number, text: string, messageId = ID) => feed.publish({ messageId, offset, text });
  /** Lets every timer that waits run. */
  const pass = () => {
    while (timers.next(Number.MAX_SAFE_INTEGER));
  };
  return { pass, failures, feed, listen, say };
}
const delta = (offset: number, text: string, messageId = ID): TurnNews => ({ kind: "delta", messageId, offset, text });
const held = (messageId = ID): TurnNews => ({ kind: "held", messageId });
const ended = (messageId = ID): TurnNews => ({ kind: "ended", messageId });

describe("the feed of replies", () => {
  test("[WEB-10] the first words go out at once, what gathers meanwhile as one delta, and the rest before the end", () => {
    const { pass, feed, listen, say } = openFeed();
    const { heard } = listen();
    say(0, "Good");
    expect(heard).toEqual([delta(0, "Good")]);
    say(4, " mor");
    say(8, "ning");
    expect(heard).toHaveLength(1);
    pass();
    say(12, ".");
    feed.ended(ID);
    expect(heard).toEqual([delta(0, "Good"), delta(4, " morning"), delta(12, "."), ended()]);
    pass();
    expect(heard).toHaveLength(4);
  });

  test("[WEB-10] a reader who comes later gets the text so far from its beginning, then only what is new", () => {
    const { pass, feed, listen, say } = openFeed();
    say(0, "Good");
    say(4, " mor");
    const { heard } = listen();
    expect(heard).toEqual([delta(0, "Good")]);
    pass();
    feed.held("m-2");
    const later = listen();
    expect(heard).toEqual([delta(0, "Good"), delta(4, " mor"), held("m-2")]);
    expect(later.heard).toEqual([delta(0, "Good mor"), held("m-2")]);
  });

  test("[WEB-10] what repeats, leaves a gap or comes after the end is not told", () => {
    const { pass, feed, listen, say } = openFeed();
    const { heard } = listen();
    say(0, "Good");
    say(0, "Go");
    say(9, "ing");
    pass();
    feed.ended(ID);
    say(4, " morning");
    pass();
    expect(heard).toEqual([delta(0, "Good"), ended()]);
    expect(listen().heard).toEqual([]);
  });

  test("an end is told of a turn of which nothing was published", () => {
    const { feed, listen } = openFeed();
    const { heard } = listen();
    feed.ended(ID);
    expect(heard).toEqual([ended()]);
  });

  test("so many turns and so much text are kept, and no more", () => {
    const { pass, feed, listen, say } = openFeed();
    say(0, "x".repeat(LIMITS.textChars + 1), "huge");
    expect(listen().heard).toEqual([]);
    for (let turn = 0; turn <= LIMITS.turnsInFlight; turn += 1) say(0, "x", `m-${turn}`);
    pass();
    const kept = listen().heard.map(({ messageId }) => messageId);
    expect(kept).toHaveLength(LIMITS.turnsInFlight);
    expect(kept).not.toContain("m-0");
    say(1, "y", "m-0");
    expect(listen().heard).toHaveLength(LIMITS.turnsInFlight);
    feed.ended("m-1");
    expect(listen().heard).toHaveLength(LIMITS.turnsInFlight - 1);
  });

  test("a listener that throws is logged, and the others hear everything; one that left hears nothing", () => {
    const { failures, feed, listen, say } = openFeed();
    const first = listen();
    feed.subscribe(() => {
      throw new Error("a broken page");
    });
    const last = listen();
    say(0, "Good");
    first.stop();
    feed.ended(ID);
    expect(first.heard).toEqual([delta(0, "Good")]);
    expect(last.heard).toEqual([delta(0, "Good"), ended()]);
    expect(failures).toEqual(["turn_listener_failed", "turn_listener_failed"]);
  });
});
