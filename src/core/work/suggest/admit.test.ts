import { describe, expect, test } from "vitest";
import type { Suggestion } from "#model";
import { admitIdeas, staleSuggestions } from "./admit.ts";
import { ago, factsOf, keptOf, missedOf, NOW } from "./suggest.fixture.ts";
import { suggestIdle } from "./suggest.ts";

const LIMITS = { dedupeMs: 180 * 60_000, cooldownMs: 120 * 60_000, pendingMax: 5, perHour: 6 };
const ideasOf = (count: number) =>
  suggestIdle(factsOf({ missed: Array.from({ length: count }, (_, index) => missedOf(`task-${index}`)) }));
const [IDEA] = ideasOf(1);
const KEY = IDEA?.cooldownKey ?? "";

const isSaid = (...kept: readonly Suggestion[]): boolean =>
  admitIdeas({ ideas: ideasOf(1), kept, at: NOW, limits: LIMITS }).length === 1;

describe("when something is said again", () => {
  test("[SUGG-06] [SUGG-08] not for 180 minutes since it was said, and not for 120 since it was answered; the later end counts", () => {
    expect(isSaid()).toBe(true);
    expect(isSaid(keptOf(KEY, { createdAt: ago(10_000) }))).toBe(false);
    const answered = (saidMin: number, answeredMin: number, state: Suggestion["state"]): Suggestion =>
      keptOf(KEY, { createdAt: ago(saidMin), handledAt: ago(answeredMin), state });
    for (const state of ["accepted", "deferred"] as const) {
      expect(isSaid(answered(179, 170, state))).toBe(false);
      expect(isSaid(answered(180, 170, state))).toBe(true);
      expect(isSaid(answered(300, 119, state))).toBe(false);
      expect(isSaid(answered(300, 120, state))).toBe(true);
    }
    // That it expired was nobody's answer: only the time since it was said counts.
    expect(isSaid(answered(181, 1, "expired"))).toBe(true);
    expect(isSaid(answered(179, 1, "expired"))).toBe(false);
    // Whoever wants to hear no more of it hears no more of it.
    expect(isSaid(answered(1_000_000, 999_999, "dismissed"))).toBe(false);
    expect(isSaid(keptOf("ask_again:another", { createdAt: ago(5) }))).toBe(true);
  });

  test("[SUGG-09] [LIM-05] no more than five wait, and no more than six are said in an hour", () => {
    const said = (kept: readonly Suggestion[]): number =>
      admitIdeas({ ideas: ideasOf(9), kept, at: NOW, limits: LIMITS }).length;
    const many = (count: number, over: Partial<Suggestion>): readonly Suggestion[] =>
      Array.from({ length: count }, (_, index) => keptOf(`ask_again:before-${index}`, over));
    expect(said([])).toBe(5);
    expect(said(many(3, { createdAt: ago(500) }))).toBe(2);
    expect(said(many(7, { createdAt: ago(500) }))).toBe(0);
    const answered = { state: "deferred", createdAt: ago(30), handledAt: ago(20) } as const;
    expect(said(many(4, answered))).toBe(2);
    expect(said(many(6, answered))).toBe(0);
    expect(said(many(6, { ...answered, createdAt: ago(60) }))).toBe(5);
  });

  test("what waits and has lost its reason is found, and nothing else is", () => {
    const kept = [keptOf(KEY), keptOf("ask_again:gone"), keptOf("ask_again:past", { state: "deferred" })];
    expect(staleSuggestions(kept, ideasOf(1)).map(({ cooldownKey }) => cooldownKey)).toEqual(["ask_again:gone"]);
  });
});
