import { expect, test } from "vitest";
import { instantFromMs, LIMITS, type Instant } from "#base";
import { must } from "../must.fixture.ts";
import { createChallenges } from "./challenges.ts";

function openChallenges() {
  let nowMs = Date.UTC(2026, 10, 16, 9);
  const challenges = createChallenges({ now: (): Instant => must(instantFromMs(nowMs)) });
  return {
    ask: (sessionId: string) => challenges.put({ sessionId, purpose: "begin", challenge: `to ${sessionId}` }),
    take: (sessionId: string) => challenges.take({ sessionId, purpose: "begin" })?.challenge ?? null,
    move: (ms: number) => void (nowMs += ms),
  };
}

test("so many questions wait and no more: the oldest goes, and asking a session again makes none go", () => {
  const { ask, take } = openChallenges();
  const sessions = Array.from({ length: LIMITS.passkeyChallenges }, (_, index) => `session-${index}`);
  for (const session of sessions) ask(session);
  ask("session-2");
  expect(take("session-0")).toBe("to session-0");
  ask("session-0");
  ask("one-more");
  expect([take("session-1"), take("session-3"), take("one-more")]).toEqual([null, "to session-3", "to one-more"]);
});

test("a question can be answered until its time is over, and in that moment no longer", () => {
  const { ask, take, move } = openChallenges();
  ask("a");
  ask("b");
  move(LIMITS.passkeyChallengeMs - 1);
  expect(take("a")).toBe("to a");
  move(1);
  expect(take("b")).toBeNull();
});
