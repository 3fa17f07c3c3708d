import { expect, test } from "vitest";
import { canonicalJson, LIMITS, sha256Hex } from "#base";
import { readProjection } from "./plan-projection.ts";

const COUNTS = { max_attempts: 1, max_cost_usd: 1, max_planner_calls: 1, max_tokens: 1, max_wall_time_seconds: 1 };

function textOf(title: string): string {
  const capabilities = { commands: [], files: [], hosts: [], secret_refs: [] };
  const plan = { id: "task-1", type: "task", title, budget: COUNTS, capabilities };
  const text = canonicalJson({ ...plan, tasks: [], verify: [], skill_digests: [] });
  if (!text.ok) throw new Error("not canonical");
  return text.value;
}

function read(text: string) {
  const found = readProjection(text);
  if (!found.ok) throw new Error(found.error.reason);
  return found.value;
}

test("[CARD-01] what was read of a text is kept for that text alone, and nothing can change it", () => {
  const first = read(textOf("Tidy"));
  expect(read(textOf("Tidy"))).toBe(first);
  expect(read(textOf("Tidy!"))).toMatchObject({ plan: { title: "Tidy!" }, planHash: sha256Hex(textOf("Tidy!")) });
  expect(() => first.plan.capabilities.hosts.push("example.org")).toThrow(TypeError);
  expect(() => Object.assign(first.whole, { title: "Another" })).toThrow(TypeError);
  expect(() => Object.assign(first, { planHash: sha256Hex("another") })).toThrow(TypeError);
});

test("[CARD-01] another spelling of a text that is kept is refused", () => {
  const text = textOf("Sort");
  expect(readProjection(text).ok).toBe(true);
  expect(readProjection(` ${text}`)).toMatchObject({ ok: false, error: { reason: "not_canonical" } });
});

test("the texts that are kept have a limit, and the oldest go first", () => {
  const first = read(textOf("First"));
  const long = "x".repeat(LIMITS.keptProjectionsChars / 4);
  const second = read(textOf(`${long}2`));
  for (const title of ["3", "4", "5"]) read(textOf(`${long}${title}`));
  expect(read(textOf(`${long}5`))).toBe(read(textOf(`${long}5`)));
  expect(read(textOf(`${long}2`))).not.toBe(second);
  expect(read(textOf("First"))).not.toBe(first);
  // One that is longer than all of them may be is read all the same.
  const longest = textOf("x".repeat(LIMITS.keptProjectionsChars));
  expect(read(longest)).not.toBe(read(longest));
});
