import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CONFIG_ROWS } from "#config";
import { readingOf } from "./config-keys.ts";
import { projectOf, readProject } from "./project.ts";

/** Keys that have their whole effect in a rule that is checked at the start. */
const RULED = new Set(["approval.auto_approve_risk_levels", "autonomy.hysteresis_delta", "execution.sync_execution"]);
/** This number only falls. */
const NOT_USED_YET_COUNT = 70;

const reading = readingOf(readProject(fileURLToPath(new URL("../..", import.meta.url))));
const used = CONFIG_ROWS.filter(({ isNotUsedYet }) => !isNotUsedYet).map(({ key }) => key);
const unused = CONFIG_ROWS.filter(({ isNotUsedYet }) => isNotUsedYet).map(({ key }) => key);

test("every configuration key has a reader, or is marked as not used yet", () => {
  expect(used.filter((key) => !RULED.has(key) && !reading.isPossible(key))).toEqual([]);
});

test("a configuration key that is marked as not used yet has no reader", () => {
  expect(unused.filter((key) => reading.isCertain(key))).toEqual([]);
});

test("the list of configuration keys that are not used yet does not grow", () => {
  expect(unused).toHaveLength(NOT_USED_YET_COUNT);
});

test("a reader is found in the product alone, and by more than a common word", () => {
  const code = "const { enabled } = settings; use(config.channels.maxPeers, config.memory.size);";
  const { isCertain, isPossible } = readingOf(
    projectOf({ "src/a.ts": code, "src/config/b.ts": "lost.only", "src/c.test.ts": "tested.only" }),
  );
  expect(["memory.size", "channels.max_peers"].map(isCertain)).toEqual([true, true]);
  expect(["bus.enabled", "lost.only", "tested.only", "memory.other"].map(isPossible)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
