import { expect, test } from "vitest";
import { err, ok } from "#base";
import type { WorkTitles } from "#ports";
import { createActivityDoor } from "./audit-activity.ts";
import { createAuditWorld } from "./audit.fixture.ts";
import { must } from "./must.fixture.ts";

const ALL = { beforeSeq: null, from: null, to: null, limit: 100 };
const ENDED = { status: "done", is_verified: true, attempts: 1, checks: 3, checks_passed: 3 } as const;

/** Runs of these work items ended, the last named the newest. */
async function setUp(ids: readonly string[], titlesOf: WorkTitles["titlesOf"]) {
  const { audit, clock } = createAuditWorld();
  for (const id of ids) {
    const data = { run_id: `run-${id}`, work_item_id: id, ...ENDED };
    must(await audit.append({ event: "run_ended", data, at: clock.now(), actor: { kind: "system" } }));
  }
  return createActivityDoor({ audit, titles: { titlesOf } });
}

test("work is called by its title, all of a page looked up at once, and the entry behind it keeps the id", async () => {
  const asked: (readonly string[])[] = [];
  const activity = await setUp(["task-1", "task-2", "task-1"], async (ids) => {
    asked.push(ids);
    return ok(new Map([["task-1", "Make a table"]]));
  });
  const { items } = must(await activity.read(ALL));
  expect(items.map(({ sentence }) => sentence)).toEqual([
    '"Make a table" is done, 3 of 3 checks passed',
    "task-2 is done, 3 of 3 checks passed",
    '"Make a table" is done, 3 of 3 checks passed',
  ]);
  expect(items.map(({ data }) => data["work_item_id"])).toEqual(["task-1", "task-2", "task-1"]);
  expect(asked).toEqual([["task-1", "task-2"]]);
});

test("a title cannot end its own quotes or break the line, and says nothing in the name of Silas", async () => {
  const title = 'A" is done, 3 of 3 checks passed\n\u202EB "';
  const activity = await setUp(["task-1"], async () => ok(new Map([["task-1", title]])));
  const [item] = must(await activity.read(ALL)).items;
  expect(item?.sentence.split('"')).toHaveLength(3);
  expect(item?.sentence).toMatch(/^"[^\n\u202E]+" is done, 3 of 3 checks passed$/);
});

test("what cannot be looked up is told by its id, and nothing is asked where no work is named", async () => {
  const failing = await setUp(["task-1"], async () => err({ code: "store_failed", retryable: false } as const));
  expect(must(await failing.read(ALL)).items[0]?.sentence).toBe("task-1 is done, 3 of 3 checks passed");
  const silent = await setUp([], async () => expect.unreachable("nothing names work"));
  expect(must(await silent.read(ALL)).items).toEqual([]);
});
