import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { dispatchIdOf, type QueueMessage } from "#model";
import { readQueues } from "#stores";
import { requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { failedAt, lease, leaseOne, messageNamed, namesOf, send, type Opened } from "./queue-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

const RUNTIME = "runtime_queue";

async function events({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries.filter(({ event }) => event.startsWith("message_")).map(({ event }) => event);
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the queue store (%s)", (_name, open) => {
  test("[BUS-11] [BUS-12] a message is held by one reader until it is settled, given back, or its time is over", async () => {
    const opened = await open();
    expect(await send(opened, messageNamed("a"))).toBe("added");
    const first = await leaseOne(opened);
    expect(first).toMatchObject({ message: messageNamed("a"), delivery: 1 });
    expect(await lease(opened)).toEqual([]);
    expect(await lease(opened, { at: at(0.99) })).toEqual([]);
    const second = await leaseOne(opened, { at: at(1), consumer: "other" });
    expect(second.delivery).toBe(2);
    expect(second.fence).toBeGreaterThan(first.fence);
    const late = { code: "lease_lost" };
    expect(await opened.queue.settle({ lease: first, at: at(1), derived: [] })).toMatchObject({ error: late });
    expect(await opened.queue.nack({ lease: first, ...failedAt(1) })).toMatchObject({ error: late });
    expect(must(await opened.queue.heartbeat([first], { at: at(1), leaseMs: 60_000 }))).toEqual([first]);
    must(await opened.queue.settle({ lease: second, at: at(1.5), derived: [] }));
    expect(await lease(opened, { at: at(9) })).toEqual([]);
    expect(await opened.queue.settle({ lease: second, at: at(1.6), derived: [] })).toMatchObject({ error: late });
  });

  test("[BUS-12] a heartbeat prolongs a lease; whoever is too late settles nothing, unless nobody else has it and it is prolonged", async () => {
    const opened = await open();
    await send(opened, messageNamed("a"));
    const held = await leaseOne(opened);
    expect(must(await opened.queue.heartbeat([held], { at: at(0.9), leaseMs: 60_000 }))).toEqual([]);
    expect(await lease(opened, { at: at(1.8) })).toEqual([]);
    expect(await opened.queue.settle({ lease: held, at: at(3), derived: [] })).toMatchObject({
      error: { code: "lease_lost" },
    });
    expect(must(await opened.queue.heartbeat([held], { at: at(3), leaseMs: 60_000 }))).toEqual([]);
    must(await opened.queue.settle({ lease: held, at: at(3.5), derived: [] }));
  });

  test("[BUS-13] what is given back is delivered again and, after five deliveries, set aside with its reason, in sight and in the chain", async () => {
    const opened = await open();
    await send(opened, messageNamed("a"));
    await send(opened, messageNamed("b"));
    for (let delivery = 1; delivery <= 5; delivery += 1) {
      const held = await leaseOne(opened, { at: at(delivery) });
      expect([held.messageId, held.delivery]).toEqual(["a", delivery]);
      const back = must(await opened.queue.nack({ lease: held, ...failedAt(delivery) }));
      expect(back).toBe(delivery < 5 ? "waits" : "dead");
    }
    expect(namesOf(await lease(opened, { at: at(6) }))).toEqual(["b"]);
    expect(must(await opened.queue.deadLetters(RUNTIME))).toEqual([
      { messageId: "a", message: messageNamed("a"), reason: "handling_failed", deliveries: 5, at: at(5) },
    ]);
    expect(must(await opened.queue.deadLetters("proxy_queue"))).toEqual([]);
    expect(await events(opened)).toEqual(["message_dead"]);
    expect(await send(opened, messageNamed("a"))).toBe("known");
    expect(await lease(opened, { at: at(6.5) })).toEqual([]);
  });

  test("[BUS-13] what nothing was tried with is given back without counting, and what is hopeless is set aside at once", async () => {
    const opened = await open();
    await send(opened, messageNamed("a"));
    for (let time = 0; time < 9; time += 1) {
      const held = await leaseOne(opened, { at: at(time) });
      expect(held.delivery).toBe(1);
      must(await opened.queue.nack({ lease: held, ...failedAt(time), how: "unused" }));
    }
    const held = await leaseOne(opened, { at: at(10) });
    const hopeless = { ...failedAt(10), how: "hopeless", reason: "not_understood" } as const;
    expect(must(await opened.queue.nack({ lease: held, ...hopeless }))).toBe("dead");
  });

  test("[BUS-14] at a start nobody holds anything: it is delivered again, however often Silas ended with it in hand", async () => {
    const opened = await open();
    await send(opened, messageNamed("a"));
    expect(must(await opened.queue.putBack(RUNTIME))).toBe(0);
    for (let starts = 1; starts <= 9; starts += 1) {
      expect((await leaseOne(opened)).delivery).toBe(1);
      expect(must(await opened.queue.putBack("proxy_queue"))).toBe(0);
      expect(must(await opened.queue.putBack(RUNTIME))).toBe(1);
    }
    expect(must(await opened.queue.deadLetters(RUNTIME))).toEqual([]);
  });

  test("a lease that is over too often sets its message aside as well", async () => {
    const opened = await open();
    await send(opened, messageNamed("a"));
    for (let times = 0; times < 5; times += 1) await leaseOne(opened, { at: at(times * 2) });
    expect(await lease(opened, { at: at(20) })).toEqual([]);
    expect(must(await opened.queue.deadLetters(RUNTIME))).toMatchObject([{ reason: "lease_expired" }]);
  });

  test("[BUS-15] [BUS-16] the same id is one message; what a reader has acted on it is never given again, another reader is", async () => {
    const opened = await open();
    expect(await send(opened, messageNamed("a"))).toBe("added");
    expect(await send(opened, messageNamed("a"))).toBe("known");
    const other = messageNamed("a", { content: "something else" });
    expect(await opened.queue.enqueue({ queue: RUNTIME, message: other, at: at(0) })).toMatchObject({
      error: { code: "message_differs" },
    });
    must(await opened.queue.settle({ lease: await leaseOne(opened), at: at(0), derived: [] }));
    expect(await send(opened, messageNamed("a"))).toBe("added");
    expect(await lease(opened)).toEqual([]);
    expect(await send(opened, messageNamed("a"))).toBe("added");
    expect(namesOf(await lease(opened, { consumer: "other" }))).toEqual(["a"]);
  });

  test("[BUS-17] marking, taking away and what follows are one: what may not follow takes all of it back", async () => {
    const opened = await open();
    await send(opened, messageNamed("a", { taint: "external" }));
    const held = await leaseOne(opened);
    const next = (over: Partial<QueueMessage>) => {
      const message = messageNamed("next", { traceId: "a", taint: "external", messageKind: "replan_request", ...over });
      return { queue: "planner_queue", message } as const;
    };
    const refusals = [
      [next({ traceId: "elsewhere" }), "trace_differs"],
      [next({ taint: "owner" }), "trust_raised"],
      [next({ messageKind: "plan_result" }), "message_unrouted"],
      [next({ messageKind: "replan_request", errorCode: "timeout" }), "error_payload_missing"],
    ] as const;
    for (const [derived, code] of refusals) {
      const kept = next({ messageId: "kept" });
      expect(await opened.queue.settle({ lease: held, at: at(0), derived: [kept, derived] })).toMatchObject({
        error: { code },
      });
      expect(await lease(opened, { queue: "planner_queue" })).toEqual([]);
    }
    must(await opened.queue.settle({ lease: held, at: at(0), derived: [next({}), next({ messageId: "second" })] }));
    expect(namesOf(await lease(opened, { queue: "planner_queue" }))).toEqual(["next", "second"]);
    expect(await lease(opened, { at: at(9) })).toEqual([]);
  });

  test("[BUS-19] [BUS-21] a reader gets what its own queue has and nothing else; what no route allows is recorded, and delivered to nobody", async () => {
    const opened = await open();
    await send(opened, messageNamed("a"));
    for (const queue of ["proxy_queue", "planner_queue", "executor_queue"] as const) {
      expect(await lease(opened, { queue })).toEqual([]);
      expect(await opened.queue.enqueue({ queue, message: messageNamed("b"), at: at(0) })).toMatchObject({
        error: { code: "message_unrouted" },
      });
      expect(await lease(opened, { queue })).toEqual([]);
    }
    expect(await events(opened)).toEqual(["message_unrouted", "message_unrouted", "message_unrouted"]);
    expect(namesOf(await lease(opened))).toEqual(["a"]);
  });

  test("scopes take turns: one with many messages keeps no other waiting, and the oldest of each comes first", async () => {
    const opened = await open();
    for (let number = 0; number < 6; number += 1)
      await send(opened, messageNamed(`many-${number}`, { scopeId: "many" }));
    expect(namesOf(await lease(opened, { countMax: 2 }))).toEqual(["many-0", "many-1"]);
    for (const name of ["few-0", "few-1"]) await send(opened, messageNamed(name, { scopeId: "few" }));
    expect(namesOf(await lease(opened))).toEqual(["many-2", "few-0", "many-3", "few-1", "many-4", "many-5"]);
  });

  test("as many as were asked for and no more; one by its name, and no other", async () => {
    const opened = await open();
    for (const name of ["a", "b", "c"]) await send(opened, messageNamed(name));
    expect(namesOf(await lease(opened, { messageId: "b" }))).toEqual(["b"]);
    expect(namesOf(await lease(opened, { messageId: "b" }))).toEqual([]);
    expect(namesOf(await lease(opened, { countMax: 1 }))).toEqual(["a"]);
    for (let number = 0; number <= LIMITS.leaseBatch; number += 1) await send(opened, messageNamed(`more-${number}`));
    expect(await lease(opened, { countMax: 1_000 })).toHaveLength(LIMITS.leaseBatch);
  });

  test("[WORK-06] [FLOW-06] whoever approves a plan with steps has it dispatched in the same commit; what runs nothing is not dispatched", async () => {
    const opened = await open();
    const approve = async (name: string, projection: object): Promise<void> => {
      const request = { ...requestFor(name), projection: JSON.stringify(projection) };
      must(await opened.approvals.propose(request));
      const spending = spendingFor(tokenFor(name, 2), { lineage: `run-${name}`, requestId: request.requestId });
      must(await opened.approvals.spend(spending));
    };
    await approve("steps", { executor_kind: "steps" });
    await approve("prose", { executor_kind: null });
    // A further use of an approval is that of a repair, or takes a batch back.
    must(await opened.approvals.spend(spendingFor(tokenFor("steps", 2), { lineage: "run-again" })));
    const refused = spendingFor(tokenFor("steps", 2), { lineage: "run-refused" });
    expect(await opened.approvals.spend(refused)).toMatchObject({ error: { code: "uses_exhausted" } });
    const waiting = await lease(opened);
    expect(namesOf(waiting)).toEqual([dispatchIdOf("run-steps"), dispatchIdOf("run-again")]);
    expect(waiting[0]?.message).toMatchObject({
      sender: "runtime",
      messageKind: "system_event",
      taint: "owner",
      traceId: "run-steps",
      workItem: null,
      approvalToken: null,
    });
  });
});

test("what was added or set aside is there for whoever looks into the file, which refuses to change it", async () => {
  const opened = await openFile();
  await send(opened, messageNamed("a"));
  await send(opened, messageNamed("b"));
  const held = await leaseOne(opened);
  must(await opened.queue.nack({ lease: held, ...failedAt(0), how: "hopeless" }));
  const database = new DatabaseSync(join(opened.dataDir, "silas.db"));
  for (const sql of [
    "DELETE FROM queue_messages WHERE state = 'dead'",
    "UPDATE queue_messages SET message = '{}'",
    "UPDATE queue_messages SET state = 'waiting', reason = NULL, dead_at = NULL WHERE state = 'dead'",
  ]) {
    expect(() => database.exec(sql), sql).toThrow(/never/);
  }
  database.close();
  expect(must(readQueues(opened.dataDir))).toMatchObject({
    waiting: 1,
    dead: [{ messageId: "a", reason: "handling_failed" }],
  });
  expect(must(readQueues(join(opened.dataDir, "nowhere")))).toEqual({ waiting: 0, dead: [] });
});

test("a message that somebody broke is set aside as unreadable, and keeps nobody from the others", async () => {
  const opened = await openFile();
  for (const name of ["a", "b"]) await send(opened, messageNamed(name));
  const database = new DatabaseSync(join(opened.dataDir, "silas.db"));
  database.exec("DROP TRIGGER queue_messages_stay; UPDATE queue_messages SET message = '{' WHERE message_id = 'a'");
  database.close();
  expect(namesOf(await lease(opened))).toEqual(["b"]);
  expect(must(await opened.queue.deadLetters(RUNTIME))).toMatchObject([
    { messageId: "a", message: null, reason: "unreadable" },
  ]);
});

test("looking where nothing is to be had waits for nobody who writes", async () => {
  const opened = await openFile();
  const database = new DatabaseSync(join(opened.dataDir, "silas.db"));
  database.exec("BEGIN IMMEDIATE");
  expect(await lease(opened)).toEqual([]);
  expect(must(await opened.queue.putBack(RUNTIME))).toBe(0);
  database.close();
});
