import { expect, test } from "vitest";
import { err, LIMITS, ok, sha256Hex, type Instant } from "#base";
import type { AuditQuery } from "#model";
import type { WorkTitles } from "#ports";
import { createActivityDoor, readActivity } from "./audit-activity.ts";
import { createAuditWorld } from "./audit.fixture.ts";
import { must } from "./must.fixture.ts";

const AT = "2026-11-15T08:00:00.000Z" as Instant;
const ALL = { beforeSeq: null, from: null, to: null, limit: 100 };
const ENDED = { status: "done", is_verified: true, attempts: 1, checks: 3, checks_passed: 3 } as const;

/** Runs of these work items ended, the last named the newest. */
async function setUp(ids: readonly string[], titlesOf: WorkTitles["titlesOf"]) {
  const { audit, clock } = createAuditWorld();
  for (const id of ids) {
    const data = { run_id: `run-${id}`, work_item_id: id, ...ENDED };
    must(await audit.append({ event: "run_ended", data, at: clock.now(), actor: { kind: "system" } }));
  }
  const titles = { titlesOf, gateNamesOf: async () => ok([]) };
  return { read: (query: AuditQuery) => readActivity({ audit, titles, gates: [] }, query) };
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

test("a gate is called by its name, found by the digest that is on record: in the configuration or in the plan of the run", async () => {
  const { audit, clock } = createAuditWorld();
  const asked: (readonly string[])[] = [];
  for (const name of ["Ask before paying", 'Look "twice"', "unknown now"]) {
    const gate = `sha256:${sha256Hex(name)}`;
    const data = {
      trigger: "on_tool_call" as const,
      scope_id: "run-1",
      gate,
      code: "blocked",
      on_block: "report",
      escalates: true,
    };
    must(await audit.append({ event: "gate_blocked", data, at: clock.now(), actor: { kind: "system" } }));
  }
  const gateNamesOf = async (runIds: readonly string[]) => {
    asked.push(runIds);
    return ok(['Look "twice"', "another"]);
  };
  const titles = { titlesOf: async () => ok(new Map<string, string>()), gateNamesOf };
  const parts = { audit, titles, gates: [{ name: "Ask before paying" }] };
  const sentences = must(await readActivity(parts, ALL)).items.map(({ sentence }) => sentence);
  expect(sentences[2]).toBe('The gate "Ask before paying" blocked a tool call (blocked)');
  expect(sentences[1]).toBe(`The gate "Look 'twice'" blocked a tool call (blocked)`);
  expect(sentences[0]).toMatch(/^The gate sha256:[0-9a-f]{8}… blocked a tool call \(blocked\)$/);
  expect(asked).toEqual([["run-1"]]);
});

test("what cannot be looked up is told by its id, and nothing is asked where no work is named", async () => {
  const failing = await setUp(["task-1"], async () => err({ code: "store_failed", retryable: false } as const));
  expect(must(await failing.read(ALL)).items[0]?.sentence).toBe("task-1 is done, 3 of 3 checks passed");
  const silent = await setUp([], async () => expect.unreachable("nothing names work"));
  expect(must(await silent.read(ALL)).items).toEqual([]);
});

test("the steps that bring a database up to date are told as one, which is the last; another store or a later start is another", async () => {
  const { audit, clock } = createAuditWorld();
  const act = async (event: "migration_applied" | "instance_stopped", data: object): Promise<void> => {
    must(
      await audit.append({ event, data, at: clock.now(), actor: { kind: "system" } } as Parameters<
        typeof audit.append
      >[0]),
    );
  };
  const step = (store: string, migration: string) => act("migration_applied", { store, migration });
  await step("journal", "001_initial");
  for (const name of ["001_initial", "002_keys", "003_more"]) await step("runtime", name);
  await act("instance_stopped", {});
  await step("runtime", "004_later");
  const titles = { titlesOf: async () => ok(new Map<string, string>()), gateNamesOf: async () => ok([]) };
  const { items } = must(await readActivity({ audit, titles, gates: [] }, ALL));
  expect(items.map(({ sentence }) => sentence)).toEqual([
    "Brought the runtime database to layout 4, for later",
    "Silas stopped",
    "Brought the runtime database to layout 3, for more",
    "Brought the journal database to its first layout",
  ]);
});

test("many who look at the chain at once have it verified once, and who comes later has it verified anew", async () => {
  const { audit } = createAuditWorld();
  let verified = 0;
  const titles = { titlesOf: async () => ok(new Map<string, string>()), gateNamesOf: async () => ok([]) };
  const whole = { verify: () => (verified++, audit.verify("genesis")) };
  const activity = createActivityDoor({ audit, whole, titles, gates: [] });
  const answers = await Promise.all(Array.from({ length: 20 }, () => activity.chain("whole")));
  expect(answers.every((answer) => must(answer).valid)).toBe(true);
  expect(verified).toBe(1);
  await activity.chain("whole");
  expect(verified).toBe(2);
});

test("opening Activity verifies the entries since the last checkpoint, and all of them on request", async () => {
  const { audit } = createAuditWorld();
  const stopped = { event: "instance_stopped", data: {}, at: AT, actor: { kind: "system" } } as const;
  for (let entry = 0; entry < 5; entry += 1) must(await audit.append(stopped));
  must(await audit.checkpoint({ checkpointId: "mark", at: AT, key: null }));
  must(await audit.append(stopped));
  const titles = { titlesOf: async () => ok(new Map<string, string>()), gateNamesOf: async () => ok([]) };
  const activity = createActivityDoor({ audit, whole: { verify: () => audit.verify("genesis") }, titles, gates: [] });
  expect(must(await activity.chain("since_checkpoint"))).toMatchObject({ valid: true, entriesChecked: 1 });
  expect(must(await activity.chain("whole"))).toMatchObject({ valid: true, entriesChecked: 7 });
});

test("a full page says whether anything came before it, to the entry", async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `task-${index}`);
  const query = { ...ALL, limit: LIMITS.pageRows };
  for (const [count, hasMore] of [
    [LIMITS.pageRows - 1, false],
    [LIMITS.pageRows, false],
    [LIMITS.pageRows + 1, true],
  ] as const) {
    const activity = await setUp(ids(count), async () => ok(new Map()));
    const page = must(await activity.read(query));
    expect([count, page.items.length, page.next_before_seq !== null]).toEqual([
      count,
      Math.min(count, LIMITS.pageRows),
      hasMore,
    ]);
  }
});
