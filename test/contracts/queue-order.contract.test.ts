import { describe, expect, test } from "vitest";
import { must, at } from "./journal-fixture.ts";
import {
  dispatchNamed,
  failedAt,
  hopelessAt,
  idsOf,
  lease,
  leaseOne,
  messageEvents,
  openQueue,
  questionNamed,
  send,
  statesIn,
  unusedAt,
  type Opened,
} from "./queue-fixture.ts";

const QUESTIONS = { kinds: ["user_message"] } as const;

async function settleNext(opened: Opened, minutes = 0): Promise<string> {
  const held = await leaseOne(opened, { ...QUESTIONS, at: at(minutes) });
  must(await opened.queue.settle({ lease: held, at: at(minutes) }));
  return held.id;
}

describe("messages with the same order key", () => {
  test("[BUS-16] are leased one at a time, while other keys go on", async () => {
    const opened = await openQueue();
    for (const scope of ["x", "y", "z"])
      for (const number of [1, 2]) await send(opened, questionNamed(`${scope}${number}`, scope));
    const leased = await lease(opened, QUESTIONS);
    expect(idsOf(leased)).toEqual(["x1", "y1", "z1"]);
    expect(await lease(opened, { ...QUESTIONS, holder: "two" })).toEqual([]);
    expect(await lease(opened, { ...QUESTIONS, id: "x2" })).toEqual([]);
    for (const held of leased.slice(1)) must(await opened.queue.settle({ lease: held, at: at(0.1) }));
    expect(idsOf(await lease(opened, { ...QUESTIONS, at: at(0.2) }))).toEqual(["y2", "z2"]);
  });

  test("keep their order across failures, unused deliveries, expired leases and recoveries", async () => {
    const opened = await openQueue();
    const { queue } = opened;
    for (const id of ["x1", "x2", "x3"]) await send(opened, questionNamed(id, "x"));
    must(await queue.giveBack({ lease: await leaseOne(opened, QUESTIONS), ...failedAt(0) }));
    must(await queue.giveBack({ lease: await leaseOne(opened, QUESTIONS), ...unusedAt(0) }));
    await leaseOne(opened, QUESTIONS);
    await queue.recover("one", at(0));
    await leaseOne(opened, QUESTIONS);
    expect(await leaseOne(opened, { ...QUESTIONS, at: at(2), holder: "two" })).toMatchObject({ id: "x1", delivery: 3 });
    await queue.recover("two", at(2));
    expect([await settleNext(opened, 3), await settleNext(opened, 3), await settleNext(opened, 3)]).toEqual([
      "x1",
      "x2",
      "x3",
    ]);
  });

  test("go on past a dead one", async () => {
    const opened = await openQueue();
    for (const id of ["x1", "x2"]) await send(opened, questionNamed(id, "x"));
    must(await opened.queue.giveBack({ lease: await leaseOne(opened, QUESTIONS), ...hopelessAt(0) }));
    expect(await settleNext(opened)).toBe("x2");
    expect(await send(opened, questionNamed("x3", "x"))).toBe("added");
    expect(statesIn(opened)).toEqual(["x1 dead", "x3 ready"]);
  });

  test("wait behind a derived message that was sent before them", async () => {
    const opened = await openQueue();
    for (const id of ["x1", "x2"]) await send(opened, questionNamed(id, "x"));
    const derived = [questionNamed("x3", "x", { traceId: "x1" })];
    must(await opened.queue.settle({ lease: await leaseOne(opened, QUESTIONS), at: at(0), derived }));
    expect(statesIn(opened)).toEqual(["x2 ready", "x3 behind"]);
  });
});

test("a scope with many messages does not delay the others: each scope gets its turn", async () => {
  const opened = await openQueue();
  for (let number = 1; number <= 4; number += 1) await send(opened, questionNamed(`many${number}`, "many"));
  for (let number = 1; number <= 2; number += 1) await send(opened, questionNamed(`few${number}`, "few"), 1);
  const order: string[] = [];
  for (let turn = 2; turn < 8; turn += 1) order.push(await settleNext(opened, turn));
  expect(order).toEqual(["many1", "few1", "many2", "few2", "many3", "many4"]);
});

describe("a message that cannot be read", () => {
  const damage = ({ file }: Opened, id: string, sql: string): void =>
    file.exec(`DROP TRIGGER IF EXISTS queue_stays; UPDATE queue SET ${sql} WHERE message_id = '${id}'`);

  test.each([
    ["broken JSON", "message = '{'", "unreadable", null],
    ["another version of its payload", "message = json_set(message, '$.payload.more', 1)", "unreadable", null],
    ["a field that is unknown", "message = json_set(message, '$.grants', 1)", "unreadable", null],
    ["the text of another kind", "kind = 'decided'", "unreadable", null],
    ["an unknown kind in its text", "message = json_set(message, '$.message_kind', 'wake')", "not_understood", null],
  ])(
    "because of %s is dead with its reason, and the next one of its key goes on",
    async (_what, sql, reason, message) => {
      const opened = await openQueue();
      for (const id of ["x1", "x2"]) await send(opened, questionNamed(id, "x"));
      await send(opened, questionNamed("y1", "y"));
      damage(opened, "x1", sql);
      const kinds = ["user_message", "decided"] as const;
      expect(idsOf(await lease(opened, { kinds }))).toContain("y1");
      expect(opened.queue.dead()).toMatchObject([{ id: "x1", message, reason }]);
      expect(idsOf(await lease(opened, { kinds }))).not.toContain("x1");
      expect(statesIn(opened)).toEqual(["x1 dead", "x2 leased", "y1 leased"]);
      expect(await messageEvents(opened)).toEqual(["message_dead"]);
    },
  );

  test("because its kind is unknown is dead after a recovery, wherever it stands in its order", async () => {
    const opened = await openQueue();
    for (const id of ["x1", "x2", "x3", "x4"]) await send(opened, questionNamed(id, "x"));
    for (const id of ["y1", "y2", "y3"]) await send(opened, questionNamed(id, "y"));
    for (const id of ["x2", "y1", "y2"])
      damage(opened, id, "kind = 'wake', message = json_set(message, '$.message_kind', 'wake')");
    const x1 = await leaseOne(opened, QUESTIONS);
    expect(x1.id).toBe("x1");
    await opened.queue.recover("two", at(0));
    expect(statesIn(opened)).toEqual([
      "y1 dead",
      "y2 dead",
      "x1 leased",
      "x2 behind",
      "x3 behind",
      "x4 behind",
      "y3 ready",
    ]);
    // One that is behind another is dead when it is its turn, and the next goes on.
    must(await opened.queue.settle({ lease: x1, at: at(0) }));
    expect(statesIn(opened)).toEqual(["y1 dead", "y2 dead", "x2 dead", "x3 ready", "x4 behind", "y3 ready"]);
    expect(opened.queue.dead().map(({ reason }) => reason)).toEqual(Array<string>(3).fill("not_understood"));
  });

  test("because its kind is unknown is dead after a recovery, also where a newer version was killed while it held it", async () => {
    const opened = await openQueue();
    for (const id of ["x1", "x2"]) await send(opened, questionNamed(id, "x"));
    await leaseOne(opened, QUESTIONS);
    damage(opened, "x1", "kind = 'wake', message = json_set(message, '$.message_kind', 'wake')");
    await opened.queue.recover("two", at(0));
    expect(statesIn(opened)).toEqual(["x1 dead", "x2 ready"]);
  });

  test("because an earlier version had its kind is dead with its reason, and the next one of its key goes on", async () => {
    const opened = await openQueue();
    for (const id of ["x1", "x2"]) await send(opened, questionNamed(id, "x"));
    const status = `json_set(message, '$.message_kind', 'execution_status', '$.payload', json('{"status":"running"}'))`;
    damage(opened, "x1", `kind = 'execution_status', message = ${status}`);
    await opened.queue.recover("one", at(0));
    expect(statesIn(opened)).toEqual(["x1 dead", "x2 ready"]);
    expect(opened.queue.dead()).toMatchObject([{ id: "x1", message: null, reason: "not_understood" }]);
    expect(await messageEvents(opened)).toEqual(["message_dead"]);
  });

  test("of another version that has the same kind is dead before its handler sees it", async () => {
    const opened = await openQueue();
    await send(opened, dispatchNamed("a"));
    damage(opened, "a", "message = json_set(message, '$.payload.event', 'run_ended')");
    expect(await lease(opened)).toEqual([]);
    expect(opened.queue.dead()).toMatchObject([{ id: "a", reason: "unreadable", deliveries: 1 }]);
  });
});
