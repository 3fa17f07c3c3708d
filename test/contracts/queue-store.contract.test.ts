import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { LIMITS } from "#base";
import { decidedIdOf, type MessageKind, type QueueMessage } from "#model";
import { readQueues } from "#stores";
import { BY, ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import {
  dispatchNamed,
  failedAt,
  hopelessAt,
  idsOf,
  inCommit,
  lease,
  leaseOne,
  messageEvents,
  openQueue,
  questionNamed,
  requestOf,
  send,
  statesIn,
  unusedAt,
} from "./queue-fixture.ts";

const LOST = { error: { code: "lease_lost" } };
const SPAN = { leaseMs: 60_000 };

test("[BUS-11] [BUS-12] a message is leased to one holder until it is settled, given back, or its lease expires", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  expect(await send(opened, dispatchNamed("a"))).toBe("added");
  const first = await leaseOne(opened);
  expect(first).toMatchObject({ id: "a", message: dispatchNamed("a"), delivery: 1 });
  expect(await lease(opened, { at: at(0.99), holder: "two" })).toEqual([]);
  const second = await leaseOne(opened, { at: at(1), holder: "two" });
  expect(second.delivery).toBe(2);
  expect(second.fence).toBeGreaterThan(first.fence);
  expect(await queue.settle({ lease: first, at: at(1) })).toMatchObject(LOST);
  expect(await queue.giveBack({ lease: first, ...failedAt(1) })).toMatchObject(LOST);
  expect(idsOf(await queue.heartbeat([first, second], { at: at(1), ...SPAN }))).toEqual(["a"]);
  must(await queue.settle({ lease: second, at: at(1.5) }));
  expect(await lease(opened, { at: at(9) })).toEqual([]);
  expect(await queue.settle({ lease: second, at: at(1.6) })).toMatchObject(LOST);
});

test("[BUS-12] a heartbeat prolongs a lease; an expired one settles nothing until it is prolonged", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  await send(opened, dispatchNamed("a"));
  const held = await leaseOne(opened);
  expect(await queue.heartbeat([held], { at: at(0.9), ...SPAN })).toEqual([]);
  expect(await lease(opened, { at: at(1.8) })).toEqual([]);
  let isWritten = false;
  expect(await queue.settle({ lease: held, at: at(3), write: () => void (isWritten = true) })).toMatchObject(LOST);
  expect([isWritten, statesIn(opened)]).toEqual([false, ["a leased"]]);
  expect(await queue.heartbeat([held], { at: at(3), ...SPAN })).toEqual([]);
  must(await queue.settle({ lease: held, at: at(3.5) }));
});

test("[BUS-12] readers of one kind leave the expired leases of another kind alone", async () => {
  const opened = await openQueue();
  await send(opened, dispatchNamed("run"));
  await send(opened, questionNamed("question", "owner"));
  const held = await leaseOne(opened);
  expect(idsOf(await lease(opened, { kinds: ["user_message"], holder: "two", at: at(5) }))).toEqual(["question"]);
  expect(await opened.queue.heartbeat([held], { at: at(5), ...SPAN })).toEqual([]);
});

test("[BUS-13] a failed message is delivered again and is dead after five deliveries, with its reason, in the chain too", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  for (const id of ["a", "b"]) await send(opened, dispatchNamed(id));
  for (let delivery = 1; delivery <= 5; delivery += 1) {
    const held = await leaseOne(opened, { at: at(delivery) });
    expect([held.id, held.delivery]).toEqual(["a", delivery]);
    expect(must(await queue.giveBack({ lease: held, ...failedAt(delivery) }))).toBe(delivery < 5 ? "ready" : "dead");
  }
  expect(idsOf(await lease(opened, { at: at(6) }))).toEqual(["b"]);
  expect(queue.dead()).toEqual([
    { id: "a", message: dispatchNamed("a"), reason: "handling_failed", deliveries: 5, at: at(5) },
  ]);
  expect(await messageEvents(opened)).toEqual(["message_dead"]);
  expect(await send(opened, dispatchNamed("a"))).toBe("known");
  expect(await lease(opened, { at: at(6.5) })).toEqual([]);
});

test("[BUS-13] an unused delivery does not count, and a hopeless message is dead at once", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  await send(opened, dispatchNamed("a"));
  for (let times = 0; times < 9; times += 1) {
    const held = await leaseOne(opened, { at: at(times) });
    expect(held.delivery).toBe(1);
    expect(must(await queue.giveBack({ lease: held, ...unusedAt(times) }))).toBe("ready");
  }
  const held = await leaseOne(opened, { at: at(10) });
  expect(must(await queue.giveBack({ lease: held, ...hopelessAt(10) }))).toBe("dead");
  expect(queue.dead()).toMatchObject([{ reason: "not_understood", deliveries: 1 }]);
});

test("[BUS-13] a message whose lease expires too often is dead", async () => {
  const opened = await openQueue();
  await send(opened, dispatchNamed("a"));
  for (let times = 0; times < 5; times += 1) await leaseOne(opened, { at: at(times * 2) });
  expect(await lease(opened, { at: at(20) })).toEqual([]);
  expect(opened.queue.dead()).toMatchObject([{ reason: "lease_expired" }]);
});

test("[BUS-14] recovery gives back the leases of one holder, however often it ended with them, and no others", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  for (const id of ["a", "b"]) await send(opened, dispatchNamed(id));
  await leaseOne(opened, { holder: "two" });
  for (let starts = 1; starts <= 9; starts += 1) {
    expect(await leaseOne(opened)).toMatchObject({ id: "b", delivery: 1 });
    await queue.recover("three", at(0));
    expect(statesIn(opened)).toEqual(["a leased", "b leased"]);
    await queue.recover("one", at(0));
    expect(statesIn(opened)).toEqual(["a leased", "b ready"]);
  }
  expect(queue.dead()).toEqual([]);
});

test("[BUS-15] [BUS-16] an id stands for one message; once handled it is known and never delivered again", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  expect(await send(opened, dispatchNamed("a"))).toBe("added");
  expect(await send(opened, dispatchNamed("a"))).toBe("known");
  const differs = { error: { code: "message_differs" } };
  expect(await queue.enqueue(dispatchNamed("a", { traceId: "another" }), at(0))).toMatchObject(differs);
  const held = await leaseOne(opened);
  expect(await send(opened, dispatchNamed("a"))).toBe("known");
  must(await queue.settle({ lease: held, at: at(0) }));
  expect(await send(opened, dispatchNamed("a"))).toBe("known");
  expect(await lease(opened, { holder: "two" })).toEqual([]);
  expect(statesIn(opened)).toEqual([]);
});

test("[BUS-15] a message whose work is not over is reopened once, and never doubled", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  await send(opened, dispatchNamed("a"));
  must(await queue.settle({ lease: await leaseOne(opened), at: at(0) }));
  for (let times = 0; times < 3; times += 1) await queue.reopen(dispatchNamed("a"), at(1));
  expect(statesIn(opened)).toEqual(["a ready"]);
  const held = await leaseOne(opened, { at: at(1) });
  await queue.reopen(dispatchNamed("a"), at(1));
  expect(statesIn(opened)).toEqual(["a leased"]);
  must(await queue.settle({ lease: held, at: at(1) }));
  expect(await send(opened, dispatchNamed("a"))).toBe("known");
});

test("[BUS-13] [BUS-15] a dead message is neither reopened nor sent again, and its id stands for no other message", async () => {
  const opened = await openQueue();
  await send(opened, dispatchNamed("a"));
  must(await opened.queue.giveBack({ lease: await leaseOne(opened), ...hopelessAt(0) }));
  await opened.queue.reopen(dispatchNamed("a"), at(1));
  expect(await send(opened, dispatchNamed("a"))).toBe("known");
  const other = await opened.queue.enqueue({ ...dispatchNamed("a"), taint: "external" }, at(1));
  expect(other).toMatchObject({ error: { code: "message_differs" } });
  expect(statesIn(opened)).toEqual(["a dead"]);
});

test("[BUS-15] [BUS-17] the id of a settled message stays, and that of a settled timer does not", async () => {
  const opened = await openQueue();
  const idsKept = (): readonly unknown[] =>
    opened.file
      .prepare("SELECT message_id FROM sent_messages ORDER BY message_id")
      .all()
      .map((row) => row["message_id"]);
  await send(opened, dispatchNamed("a"));
  const held = await leaseOne(opened);
  expect(idsKept()).toEqual(["a"]);
  must(await opened.queue.settle({ lease: held, at: at(0) }));
  const whileWaiting: number[] = [];
  opened.queue.onAdded(() => void whileWaiting.push(idsKept().length));
  for (let times = 0; times < 3; times += 1) await inCommit(opened, () => {});
  expect([whileWaiting, idsKept(), statesIn(opened)]).toEqual([[2, 2, 2], ["a"], []]);
});

test("[BUS-19] [BUS-20] [BUS-21] readers get messages of their own kinds; a sender that the kind does not allow is refused and recorded", async () => {
  const opened = await openQueue();
  const { queue } = opened;
  await send(opened, dispatchNamed("a"));
  const others: readonly MessageKind[] = ["user_message", "consult_planner", "replan_request", "timer_due"];
  for (const kind of others) expect(await lease(opened, { kinds: [kind] })).toEqual([]);
  for (const sentBy of ["user", "proxy", "planner", "executor"] as const) {
    const unrouted = { error: { code: "message_unrouted" } };
    expect(await queue.enqueue(dispatchNamed("b", { sentBy }), at(0))).toMatchObject(unrouted);
  }
  expect(await messageEvents(opened)).toEqual(Array<string>(4).fill("message_unrouted"));
  expect(() => queue.send(dispatchNamed("b", { sentBy: "user" }), at(0))).toThrow("BUS-20");
  expect(idsOf(await lease(opened, { kinds: ["decided", ...others] }))).toEqual(["a"]);
});

test("a lease takes as many messages as asked for, or the one that is named", async () => {
  const opened = await openQueue();
  for (const id of ["a", "b", "c"]) await send(opened, dispatchNamed(id));
  expect(idsOf(await lease(opened, { id: "b" }))).toEqual(["b"]);
  expect(idsOf(await lease(opened, { id: "b" }))).toEqual([]);
  expect(idsOf(await lease(opened, { id: "a", kinds: ["user_message"] }))).toEqual([]);
  expect(idsOf(await lease(opened, { countMax: 1 }))).toEqual(["a"]);
  const more = Array.from({ length: LIMITS.leaseBatch + 1 }, (_, index) => dispatchNamed(`more-${index}`));
  await Promise.all(more.map((message) => send(opened, message)));
  expect(await lease(opened, { countMax: 1_000 })).toHaveLength(LIMITS.leaseBatch);
});

test("a lease over several kinds answers with the messages that have been ready the longest first", async () => {
  const opened = await openQueue();
  await send(opened, questionNamed("late", "x"), 2);
  await send(opened, dispatchNamed("early"), 1);
  const kinds = ["user_message", "decided"] as const;
  // The first kind has enough for the whole lease, and the second one has waited longer.
  expect(idsOf(await lease(opened, { kinds, countMax: 1, at: at(3) }))).toEqual(["early"]);
  await opened.queue.recover("one", at(3));
  expect(idsOf(await lease(opened, { kinds, at: at(3) }))).toEqual(["early", "late"]);
});

test("[WORK-06] [FLOW-06] every decision is sent in its own commit, and names the run that it lets begin", async () => {
  const opened = await openQueue();
  must(await opened.keys.add(KEY, ENROLLED));
  let told = 0;
  opened.queue.onAdded(() => void (told += 1));
  const approve = async (name: string, projection: object): Promise<void> => {
    const request = { ...requestFor(name), projection: JSON.stringify(projection) };
    must(await opened.approvals.propose(request));
    const spending = spendingFor(tokenFor(name, 2), { lineage: `run-${name}`, request });
    must(await opened.approvals.spend(spending));
  };
  await approve("steps", { executor_kind: "steps" });
  await approve("prose", { executor_kind: null });
  const { requestId, planHash } = must(await opened.approvals.propose(requestFor("declined"))).request;
  must(await opened.approvals.decline({ requestId, planHash, at: at(0), actor: BY }));
  // A further use of an approval is a repair, or undoes a batch.
  must(await opened.approvals.spend(spendingFor(tokenFor("steps", 2), { lineage: "run-again" })));
  const refused = spendingFor(tokenFor("steps", 2), { lineage: "run-refused" });
  expect(await opened.approvals.spend(refused)).toMatchObject({ error: { code: "uses_exhausted" } });
  const ready = await lease(opened);
  expect(told).toBe(4);
  expect(idsOf(ready)).toEqual(["request-declined", "run-steps", "request-prose", "run-again"].map(decidedIdOf));
  expect(ready.map(({ message }) => message.payload)).toMatchObject([
    { requestId: "request-declined" },
    { requestId: "request-steps", runId: "run-steps" },
    { requestId: "request-prose" },
    { requestId: "request-steps", runId: "run-again" },
  ]);
  expect(ready[1]?.message).toMatchObject({ sentBy: "runtime", taint: "owner", traceId: "run-steps" });
});

test("messages are in the file for other programs, and the file refuses to change them", async () => {
  const opened = await openQueue();
  for (const id of ["a", "b"]) await send(opened, dispatchNamed(id));
  must(await opened.queue.giveBack({ lease: await leaseOne(opened), ...hopelessAt(0) }));
  for (const sql of [
    "DELETE FROM dead_messages",
    "UPDATE queue SET message = '{}'",
    "UPDATE queue SET order_key = 'other'",
    "UPDATE dead_messages SET reason = 'unreadable'",
  ]) {
    expect(() => opened.file.exec(sql), sql).toThrow(/never/);
  }
  expect(must(readQueues(opened.dataDir))).toMatchObject({ waiting: 1, dead: [{ id: "a", reason: "not_understood" }] });
  expect(must(readQueues(join(opened.dataDir, "nowhere")))).toEqual({ waiting: 0, decided: 0, dead: [] });
});

test("a lease of an empty queue does not wait for another writer", async () => {
  const opened = await openQueue();
  const writer = new DatabaseSync(join(opened.dataDir, "silas.db"));
  writer.exec("BEGIN IMMEDIATE");
  expect(await lease(opened)).toEqual([]);
  writer.close();
});

test("a failing database is a fault, not a refusal", async () => {
  const opened = await openQueue();
  const message: QueueMessage = dispatchNamed("a");
  opened.file.exec("DROP TABLE queue; DROP TABLE dead_messages");
  await expect(opened.queue.enqueue(message, at(0))).rejects.toMatchObject({ name: "Fault", code: "store_failed" });
  await expect(opened.queue.lease(requestOf())).rejects.toMatchObject({ name: "Fault" });
  expect(() => opened.queue.dead()).toThrow("store_failed");
});
