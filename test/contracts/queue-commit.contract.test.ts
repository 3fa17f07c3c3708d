import { describe, expect, onTestFinished, test } from "vitest";
import { createQueue, type Database, type Queue } from "#engine";
import { openDatabase } from "#sim";
import { at, must } from "./journal-fixture.ts";
import {
  dispatchNamed,
  idsOf,
  lease,
  leaseOne,
  openQueue,
  questionNamed,
  requestOf,
  send,
  statesIn,
  type Opened,
} from "./queue-fixture.ts";

const LOST = { error: { code: "lease_lost" } };
const FULL = Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 13 });

/** A queue on a connection of its own, with a table whose rows a handler writes. */
async function openWithEffects(wrap: (db: Database) => Database = (db) => db) {
  const opened = await openQueue();
  const own = openDatabase(opened.dataDir);
  onTestFinished(() => own.close());
  const db = wrap(own);
  db.run("CREATE TABLE effects (id TEXT PRIMARY KEY) STRICT");
  const acts: string[] = [];
  const queue: Queue = createQueue({ db, recordAct: ({ event }) => void acts.push(event) });
  const write = (id: string) => (): void => void db.run("INSERT INTO effects (id) VALUES (:id)", { id });
  const effects = (): readonly string[] =>
    db.all<{ readonly id: string }>("SELECT id FROM effects ORDER BY id").map(({ id }) => id);
  return { opened: { ...opened, queue } satisfies Opened, queue, acts, write, effects };
}

describe("settling", () => {
  test("[BUS-17] deletes the message, sends what follows and writes the effect in one commit", async () => {
    const { opened, queue, write, effects } = await openWithEffects();
    await send(opened, dispatchNamed("a"));
    let told = 0;
    queue.onAdded(() => void (told += 1));
    const derived = [dispatchNamed("next", { traceId: "a" })];
    must(await queue.settle({ lease: await leaseOne(opened), at: at(0), derived, write: write("a") }));
    expect([statesIn(opened), effects(), told]).toEqual([["next ready"], ["a"], 1]);
  });

  test("[BUS-08] [BUS-09] [BUS-17] [BUS-20] with a message that may not follow changes nothing", async () => {
    const { opened, queue, write, effects } = await openWithEffects();
    await send(opened, dispatchNamed("a", { taint: "external" }));
    const held = await leaseOne(opened);
    const good = dispatchNamed("good", { traceId: "a", taint: "external" });
    const refusals = [
      [{ ...good, id: "bad", traceId: "elsewhere" }, "trace_differs"],
      [{ ...good, id: "bad", taint: "owner" }, "trust_raised"],
      [{ ...good, id: "bad", sentBy: "user" }, "message_unrouted"],
      [{ ...good, id: "not an id" }, "message_malformed"],
      [{ ...good, payload: { ...good.payload, runId: "other" } }, "message_differs"],
    ] as const;
    for (const [bad, code] of refusals) {
      const settled = await queue.settle({ lease: held, at: at(0), derived: [good, bad], write: write("a") });
      expect(settled).toMatchObject({ error: { code } });
      expect([statesIn(opened), effects()]).toEqual([["a leased"], []]);
    }
    must(await queue.settle({ lease: held, at: at(0), derived: [good] }));
    expect(statesIn(opened)).toEqual(["good ready"]);
  });

  test("[BUS-17] with a write that throws changes nothing", async () => {
    const { opened, queue, effects } = await openWithEffects();
    await send(opened, dispatchNamed("a"));
    const held = await leaseOne(opened);
    const write = (): never => {
      throw new Error("a bug");
    };
    await expect(queue.settle({ lease: held, at: at(0), write })).rejects.toThrow("a bug");
    expect([statesIn(opened), effects()]).toEqual([["a leased"], []]);
    must(await queue.settle({ lease: held, at: at(0) }));
    expect(await send(opened, dispatchNamed("a"))).toBe("known");
  });

  test("[BUS-12] under a lost lease writes nothing", async () => {
    const { opened, queue, write, effects } = await openWithEffects();
    await send(opened, dispatchNamed("a"));
    const first = await leaseOne(opened);
    const second = await leaseOne(opened, { at: at(2), holder: "two" });
    const derived = [dispatchNamed("next", { traceId: "a" })];
    expect(await queue.settle({ lease: first, at: at(2), derived, write: write("first") })).toMatchObject(LOST);
    expect([statesIn(opened), effects()]).toEqual([["a leased"], []]);
    must(await queue.settle({ lease: second, at: at(2), write: write("second") }));
    expect(effects()).toEqual(["second"]);
  });
});

describe("calls of the same moment", () => {
  test("are one commit", async () => {
    let commits = 0;
    const { opened } = await openWithEffects((db) => ({
      ...db,
      transaction: (work) => {
        commits += 1;
        return db.transaction(work);
      },
    }));
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => send(opened, dispatchNamed(id))));
    expect([commits, statesIn(opened).length]).toEqual([1, 20]);
    await send(opened, dispatchNamed("alone"));
    expect(commits).toBe(2);
  });

  test("[BUS-15] [BUS-16] are each told whether their message is new, and are in the order in which they were sent", async () => {
    const { opened, queue } = await openWithEffects();
    await send(opened, questionNamed("old1", "old"));
    const twice = questionNamed("new1", "new");
    for (const [also, answers] of [
      [[], []],
      [
        [questionNamed("old1", "old"), { ...twice, scopeId: "other" }],
        ["known", "message_differs"],
      ],
    ] as const) {
      const [suffix, count] = [also.length === 0 ? "a" : "b", statesIn(opened).length];
      const messages = [`x1${suffix}`, `x2${suffix}`, `old2${suffix}`, `y1${suffix}`].map((id) =>
        questionNamed(id, id.slice(0, id.search(/[0-9]/))),
      );
      const first = also.length === 0 ? [twice] : [];
      const sent = await Promise.all([...messages, ...first, ...also].map((message) => queue.enqueue(message, at(1))));
      const told = sent.map((one) => (one.ok ? one.value : one.error.code));
      expect(told).toEqual([...[...messages, ...first].map(() => "added"), ...answers]);
      expect(statesIn(opened).length).toBe(count + messages.length + first.length);
    }
    expect(statesIn(opened)).toEqual([
      "old1 ready",
      "x1a ready",
      "x2a behind",
      "old2a behind",
      "y1a ready",
      "new1 ready",
      "x1b behind",
      "x2b behind",
      "old2b behind",
      "y1b behind",
    ]);
  });

  test("fail alone: one that is refused and one that throws take nothing of the others back", async () => {
    const { opened, queue, write, effects } = await openWithEffects();
    for (const id of ["a", "b", "c", "d"]) await send(opened, dispatchNamed(id));
    const [a, b, c, d] = await lease(opened);
    if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("nothing is ready");
    const raising = [dispatchNamed("next", { traceId: "elsewhere" })];
    const throwing = (): never => {
      write("c")();
      throw new Error("a bug");
    };
    const answers = await Promise.allSettled([
      queue.settle({ lease: a, at: at(0), write: write("a") }),
      queue.settle({ lease: b, at: at(0), derived: raising, write: write("b") }),
      queue.settle({ lease: c, at: at(0), write: throwing }),
      queue.settle({ lease: d, at: at(0), write: write("d") }),
      queue.enqueue(dispatchNamed("e"), at(0)),
    ]);
    expect(answers).toMatchObject([
      { value: { ok: true } },
      { value: { error: { code: "trace_differs" } } },
      { reason: { message: "a bug" } },
      { value: { ok: true } },
      { value: { value: "added" } },
    ]);
    expect([statesIn(opened), effects()]).toEqual([
      ["b leased", "c leased", "e ready"],
      ["a", "d"],
    ]);
  });

  test("are all rejected when their commit fails, and none of them took effect", async () => {
    let isFull = false;
    const { opened, queue } = await openWithEffects((db) => ({
      ...db,
      transaction: (work) =>
        db.transaction(() => {
          const result = work();
          if (isFull) throw FULL;
          return result;
        }),
    }));
    isFull = true;
    const sent = await Promise.allSettled(["a", "b"].map((id) => queue.enqueue(dispatchNamed(id), at(0))));
    const rejected = { status: "rejected", reason: { name: "Fault", code: "disk_full", retryable: true } };
    expect(sent).toMatchObject([rejected, rejected]);
    expect(statesIn(opened)).toEqual([]);
    isFull = false;
    expect(await send(opened, dispatchNamed("a"))).toBe("added");
  });
});

test("a fault while an unreadable message is killed loses none of the readable ones that were leased with it", async () => {
  let isFull = false;
  const { opened, queue, acts } = await openWithEffects((db) => ({
    ...db,
    transaction: (work) => {
      if (isFull) throw FULL;
      return db.transaction(work);
    },
  }));
  for (const id of ["bad", "good"]) await send(opened, dispatchNamed(id));
  opened.file.exec("DROP TRIGGER queue_stays; UPDATE queue SET message = '{' WHERE message_id = 'bad'");
  isFull = true;
  const held = await lease(opened);
  expect([idsOf(held), statesIn(opened)]).toEqual([["good"], ["bad leased", "good leased"]]);
  isFull = false;
  // Its lease expires, and it is killed then.
  expect(await queue.heartbeat(held, { at: at(0.9), leaseMs: 60_000 })).toEqual([]);
  expect(await lease(opened, { at: at(1) })).toEqual([]);
  expect([statesIn(opened), acts]).toEqual([["bad dead", "good leased"], ["message_dead"]]);
});

test("[BUS-10] [BUS-12] two connections to one file never lease the same message, nor two of one order key", async () => {
  const first = await openQueue();
  const second = await openQueue(first.dataDir);
  for (let number = 0; number < 40; number += 1) await send(first, questionNamed(`m${number}`, `scope-${number % 8}`));
  const handled: string[] = [];
  for (let round = 0; handled.length < 40 && round < 50; round += 1) {
    const request = (holder: string) => requestOf({ kinds: ["user_message"], holder, countMax: 3, at: at(round / 10) });
    const [one, two] = await Promise.all([first.queue.lease(request("one")), second.queue.lease(request("two"))]);
    const scopes = [...one, ...two].map(({ message }) => message.scopeId);
    expect(new Set(scopes).size).toBe(scopes.length);
    const settle = (queue: Queue) => (held: (typeof one)[number]) => queue.settle({ lease: held, at: at(round / 10) });
    for (const settled of await Promise.all([...one.map(settle(first.queue)), ...two.map(settle(second.queue))]))
      must(settled);
    handled.push(...idsOf(one), ...idsOf(two));
  }
  expect([handled.length, new Set(handled).size]).toEqual([40, 40]);
});
