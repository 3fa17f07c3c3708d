import { expect, onTestFinished, test } from "vitest";
import { err, ok, sha256Hex, type Result } from "#base";
import { decidedIdOf, decidedOf, REQUEST_KINDS, type KeptRequest, type RequestKind, type StoreFault } from "#model";
import { createAuditRules } from "#policy";
import { createVirtualClock, createVirtualTimers } from "#sim";
import { openRuntimeInMemory } from "#stores";
import { DONE, type Outcome } from "../queue/reader.ts";
import { createDecisions } from "./create.ts";
import { settleByKind } from "./settle-by-kind.ts";
import type { DecisionParts } from "./settler.ts";

const FULL: StoreFault = { code: "disk_full", retryable: true };
const CORRUPT: StoreFault = { code: "store_corrupt", retryable: false };
const bus = { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 5 };

type Given = { readonly by?: "terminal" | "owner"; readonly state?: KeptRequest["state"]; readonly runId?: string };

type World = {
  readonly memory?: DecisionParts["memory"]["settle"];
  readonly skills?: DecisionParts["skills"]["settle"];
  readonly connections?: DecisionParts["connections"]["settle"];
  readonly goals?: DecisionParts["goals"]["settle"];
  readonly batches?: DecisionParts["batches"]["settle"];
  readonly drive?: (runId: string) => Promise<Outcome>;
};

/** A real queue, and parts that say what they were asked to do. */
function world(given: World = {}) {
  const clock = createVirtualClock(Date.UTC(2026, 10, 16, 9));
  const timers = createVirtualTimers(clock);
  const { queue, handle } = openRuntimeInMemory({ auditRules: createAuditRules(sha256Hex), clock });
  onTestFinished(() => handle.close());
  const kept = new Map<string, KeptRequest>();
  const done: string[] = [];
  const logged: string[] = [];
  let free = (): void => {};
  const did = (what: string) => async () => void done.push(what);
  const effect = (what: string) => async () => ok(void done.push(what));
  const note = (event: string): void => void logged.push(event);
  const decisions = createDecisions({
    queue,
    clock,
    timers,
    bus,
    log: { info: note, warn: note, error: note },
    store: { find: async (requestId) => ok(kept.get(requestId) ?? null) },
    parts: () => ({
      messages: { decided: async ({ kind }) => ok(void done.push(`message ${kind}`)) },
      memory: { settle: given.memory ?? effect("memory") },
      skills: { settle: given.skills ?? effect("skill"), close: did("skills closed") },
      connections: {
        settle: given.connections ?? (async () => (done.push("connection"), ok("begun"))),
        start: async (onFree) => void (free = onFree),
        close: did("connections closed"),
      },
      goals: { settle: given.goals ?? effect("goals"), look: () => void done.push("goals look") },
      batches: { settle: given.batches ?? (async () => (done.push("batches"), ok("asked"))) },
      runs: {
        drive: given.drive ?? (async (runId) => (done.push(`drive ${runId}`), DONE)),
        look: () => void done.push("look"),
        endDead: async () => {},
        leave: () => void done.push("left"),
      },
    }),
  });
  /** Commits a decision, as the approval store does. */
  const decide = async (kind: RequestKind, { by = "terminal", state = "approved", runId }: Given = {}) => {
    const requestId = `request-${kind}-${kept.size}`;
    const decidedBy = by === "owner" ? { kind: by, session_id: "s" } : { kind: by };
    const decision = {
      requestId,
      kind,
      state,
      decidedBy,
      projection: runId === undefined ? "{}" : STEPS,
    } as KeptRequest;
    kept.set(requestId, decision);
    const at = clock.now();
    const run = runId === undefined ? undefined : { runId, workItemId: "work" };
    const sent = await queue.enqueue(decidedOf({ requestId, kind, at, actor: { kind: "terminal" }, run }), at);
    expect(sent).toEqual(ok("added"));
    return decision;
  };
  const waiting = (): readonly string[] =>
    handle
      .prepare("SELECT message_id FROM queue ORDER BY position")
      .all()
      .map((row) => String(row["message_id"]));
  onTestFinished(() => decisions.close());
  return { decisions, decide, done, logged, waiting, timers, clock, free: () => free() };
}
const STEPS = JSON.stringify({ executor_kind: "steps" });

test("every kind of request has a settler, which does what follows from an approval", async () => {
  expect(Object.keys(settleByKind).toSorted()).toEqual(REQUEST_KINDS.toSorted());
  const { decisions, decide, done, waiting } = world();
  await decisions.start();
  for (const kind of REQUEST_KINDS) await decisions.follow(await decide(kind));
  expect(done).toEqual([
    "goals look",
    "goals",
    "batches",
    "message memory_promotion",
    "memory",
    "message gate_approval",
    "look",
    "look",
    "look",
    "skill",
    "connection",
    "connection",
  ]);
  expect(waiting()).toEqual([]);
});

test("a decline lets nothing begin, and blocks the message that a gate stopped", async () => {
  const { decisions, decide, done, waiting } = world();
  await decisions.start();
  for (const kind of REQUEST_KINDS) await decisions.follow(await decide(kind, { state: "declined" }));
  expect(done).toEqual(["goals look", "goals", "batches", "message gate_approval", "look", "look", "look"]);
  expect(waiting()).toEqual([]);
});

test("[FLOW-06] an approval that lets a run begin is held until the run is over, and its caller does not wait", async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<Outcome>();
  const { decisions, decide, waiting } = world({ drive: () => over });
  await decisions.start();
  await decisions.follow(await decide("plan_approval", { runId: "run-1" }));
  expect(waiting()).toEqual([decidedIdOf("run-1")]);
  end(DONE);
  await expect.poll(waiting).toEqual([]);
});

test("[BATCH-02] the next batch is asked about while the run of this one goes on, and a fault of it is tried again after the run", async () => {
  const answers = [err(FULL), ok("busy" as const), ok("asked" as const)];
  const asked: unknown[] = [];
  const { decisions, decide, done, logged, waiting, timers, clock } = world({
    async batches() {
      const answer = answers.shift() ?? ok("asked");
      asked.push([...done, answer.ok]);
      return answer;
    },
  });
  await decisions.start();
  await decide("batch_review", { runId: "run-1" });
  await expect
    .poll(() => {
      timers.next(Date.parse(clock.now()) + 600_000);
      return waiting();
    })
    .toEqual([]);
  expect(asked).toEqual([[false], ["drive run-1", true], ["drive run-1", "drive run-1", true]]);
  expect(logged).toEqual(["decision_not_settled"]);
});

test("[GOAL-05] a check that waits for a repair is told of its approval and of its end", async () => {
  const { decisions, decide, done } = world();
  await decisions.start();
  await decide("plan_approval", { runId: "run-1" });
  await expect.poll(() => done).toEqual(["goals look", "drive run-1", "goals look"]);
});

test("a sign-in begins only in a process that goes on: in a verb it waits, and a start begins it", async () => {
  const { decisions, decide, done, waiting } = world();
  const asked = await decide("connection_setup");
  await decisions.follow(asked);
  expect([done, waiting()]).toEqual([[], [decidedIdOf(asked.requestId)]]);
  await decisions.start();
  await decisions.follow(asked);
  expect([done, waiting()]).toEqual([["connection"], []]);
});

test("a sign-in of a connection that is busy begins when the other one is over", async () => {
  const begun: string[] = [];
  let isBusy = true;
  const { decisions, decide, free } = world({
    connections: async () => (isBusy ? ok("busy") : (begun.push("begun"), ok("begun"))),
  });
  await decisions.start();
  await decisions.follow(await decide("permission_escalation"));
  expect(begun).toEqual([]);
  isBusy = false;
  free();
  await expect.poll(() => begun).toEqual(["begun"]);
});

test("a settler that throws or fails, however often, loses nothing: it is logged, the call answers, and the decision is settled later", async () => {
  const answers: (() => Promise<Result<void, StoreFault>>)[] = [
    () => Promise.reject(new Error("cut")),
    async () => err(FULL),
    // More often than a message may fail.
    ...Array.from({ length: 2 * bus.deliveriesMax }, () => async () => err(CORRUPT)),
    async () => ok(void settled.push("settled")),
  ];
  const settled: string[] = [];
  const { decisions, decide, logged, timers, clock } = world({
    memory: () => (answers.shift() ?? (async () => ok()))(),
  });
  await decisions.start();
  await decisions.follow(await decide("memory_promotion"));
  expect(logged).toEqual(["decision_not_settled"]);
  await expect
    .poll(() => {
      timers.next(Date.parse(clock.now()) + 600_000);
      return settled;
    })
    .toEqual(["settled"]);
});

test("a message about a request that nobody decided begins nothing", async () => {
  const { decisions, decide, done, waiting } = world();
  await decisions.start();
  await decisions.follow(await decide("skill_install", { state: "pending" }));
  expect([done, waiting().length]).toEqual([[], 1]);
});

test("the terminal waits for a trial of scripts, a page does not, and a close waits for all of them", async () => {
  const { promise: trial, resolve: end } = Promise.withResolvers<Result<void, StoreFault>>();
  const ended: string[] = [];
  const { decisions, decide, done } = world({ skills: () => trial });
  await decisions.start();
  await decisions.follow(await decide("skill_install", { by: "owner" }));
  const asked = await decide("skill_install");
  const atTerminal = decisions.follow(asked).then(() => ended.push("terminal"));
  const closing = decisions.close().then(() => ended.push("closed"));
  await expect.poll(() => done).toEqual(["left"]);
  expect(ended).toEqual([]);
  end(ok());
  await Promise.all([atTerminal, closing]);
  expect(ended).toEqual(["terminal", "closed"]);
  expect(done).toEqual(["left", "connections closed", "skills closed"]);
});
