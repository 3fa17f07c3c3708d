import { expect, test } from "vitest";
import type { JournalRecord } from "#model";
import { brokenLawOf } from "./laws.ts";

const NINE = "2026-11-15T09:00:00.000Z";
const BEFORE = "2026-11-15T08:59:59.999Z";
const AFTER = "2026-11-15T09:00:00.001Z";

test.each([
  ["timeEntry", { startedAt: NINE, endedAt: BEFORE }, "JOURNAL-05 an end is after its start"],
  ["timeEntry", { startedAt: NINE, endedAt: NINE }, "JOURNAL-05 an end is after its start"],
  ["timeEntry", { startedAt: NINE, endedAt: AFTER }, null],
  ["timeEntry", { startedAt: NINE, endedAt: null }, null],
  ["planBlock", { startTime: NINE, endTime: BEFORE }, "JOURNAL-07 a block ends after it starts"],
  ["planBlock", { startTime: NINE, endTime: NINE }, "JOURNAL-07 a block ends after it starts"],
  ["planBlock", { startTime: NINE, endTime: AFTER }, null],
])("a record of kind %s with %j breaks: %s", (kind, body, broken) => {
  expect(brokenLawOf({ id: "one", kind, body } as never as JournalRecord)).toBe(broken);
});
