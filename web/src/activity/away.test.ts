import { expect, test } from "vitest";
import type { ActivityItem } from "#model";
import { awaySince, summaryOf } from "./away.ts";
import { groupRuns } from "./group-runs.ts";

const HOUR = 3_600_000;
const NOON = new Date(2026, 10, 16, 12).getTime();

type Told = {
  readonly seq: number;
  readonly ms: number;
  readonly run?: string;
  readonly state?: ActivityItem["state"];
};
const item = ({ seq, ms, run, state = "done" }: Told): ActivityItem => ({
  seq,
  at: new Date(ms).toISOString() as ActivityItem["at"],
  event: "run_ended",
  actor: { kind: "system" },
  sentence: `${seq}`,
  state,
  data: run === undefined ? {} : { run_id: run },
  hash: "",
  prev_hash: "",
});

test("somebody was away when they were last here more than an hour ago; a clock that went back says nothing", () => {
  expect(awaySince({ lastMs: null, nowMs: NOON })).toBeNull();
  expect(awaySince({ lastMs: NOON - HOUR, nowMs: NOON })).toBeNull();
  expect(awaySince({ lastMs: NOON - HOUR - 1, nowMs: NOON })).toBe(NOON - HOUR - 1);
  expect(awaySince({ lastMs: NOON + 24 * HOUR, nowMs: NOON })).toBeNull();
});

test("what happened meanwhile is counted, and what of it did not end well", () => {
  const items = [
    item({ seq: 4, ms: NOON }),
    item({ seq: 3, ms: NOON - HOUR, state: "failed" }),
    item({ seq: 2, ms: NOON - 2 * HOUR, state: "unfinished" }),
    item({ seq: 1, ms: NOON - 3 * HOUR, state: "failed" }),
  ];
  expect(summaryOf(items, NOON - 3 * HOUR)).toEqual({ count: 3, failed: 2 });
  expect(summaryOf(items, NOON)).toBeNull();
});

test("what a day has of one run stands under the newest of it, and nothing is left out", () => {
  const items = [
    item({ seq: 6, ms: NOON, run: "a" }),
    item({ seq: 5, ms: NOON - 1, run: "b" }),
    item({ seq: 4, ms: NOON - 2 }),
    item({ seq: 3, ms: NOON - 3, run: "a" }),
    item({ seq: 2, ms: NOON - 4, run: "b" }),
    // Begun the day before.
    item({ seq: 1, ms: NOON - 24 * HOUR, run: "a" }),
  ];
  const groups = groupRuns(items).map(({ head, rest }) => [head.seq, rest.map(({ seq }) => seq)]);
  expect(groups).toEqual([
    [6, [3]],
    [5, [2]],
    [4, []],
    [1, []],
  ]);
});
