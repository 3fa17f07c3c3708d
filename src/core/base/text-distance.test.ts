import { expect, test } from "vitest";
import { nearest } from "./text-distance.ts";

const KEYS = ["web.port", "web.host", "web.enabled", "models.planner", "models.proxy", "budget.max_tokens"];
const VERBS = ["init", "start", "stop", "status", "open", "doctor", "tasks", "time"];

test.each([
  ["web.prot", KEYS, "web.port"],
  ["Web.Port", KEYS, "web.port"],
  ["models.planer", KEYS, "models.planner"],
  ["budget.maxtokens", KEYS, "budget.max_tokens"],
  ["strat", VERBS, "start"],
  ["staus", VERBS, "status"],
  ["task", VERBS, "tasks"],
  ["docotr", VERBS, "doctor"],
  ["stop", VERBS, "stop"],
])("%s was meant to be %s", (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

test("the nearest one wins, and the first of equals", () => {
  expect(nearest("stat", ["stare", "start"])).toBe("start");
  expect(nearest("cat", ["bat", "hat"])).toBe("bat");
});

test("a word is as long as the limit at most", () => {
  expect(nearest("x".repeat(64), ["x".repeat(65)])).toBe("x".repeat(65));
  expect(nearest("x".repeat(65), ["x".repeat(65)])).toBeNull();
});

test("a third of the letters may be wrong, at most three", () => {
  expect([nearest("abcdef", ["abcdxy"]), nearest("abcdef", ["abcxyz"])]).toEqual(["abcdxy", null]);
  expect([nearest("abcdef", ["abcdefgh"]), nearest("abcdef", ["abcdefghi"])]).toEqual(["abcdefgh", null]);
  const long = "abcdefghijklmno";
  expect([nearest(long, [`xyz${long}`]), nearest(long, [`wxyz${long}`])]).toEqual([`xyz${long}`, null]);
});

test("nothing near enough is nothing", () => {
  expect(nearest("weather", VERBS)).toBeNull();
  expect(nearest("", VERBS)).toBeNull();
  expect(nearest("x".repeat(10_000), VERBS)).toBeNull();
  expect(nearest("start", [])).toBeNull();
});
