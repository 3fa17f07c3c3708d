import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { instantFromMs, sha256Hex, type Instant } from "#base";
import { adviceIdOf, consultMessage, decidedOf, timerDueOf, type Consultation } from "#model";
import { createAuditRules } from "#policy";
import { openRuntime } from "#stores";
import { checkQueues } from "./doctor-queues.ts";

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), "silas-doctor-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "data");
}

const momentOf = (ms: number): Instant => {
  const moment = instantFromMs(ms);
  if (!moment.ok) throw new Error("a moment");
  return moment.value;
};
const AT = momentOf(Date.UTC(2026, 10, 16));

const questionTo = (whom: "planner" | "timer") =>
  whom === "timer"
    ? timerDueOf({ key: "goal:page", owner: "goal", how: "run", dueAt: AT, isMissed: false, skipped: null }, AT)
    : consultMessage({
        consultationId: adviceIdOf("run-one", 1),
        kind: "advice",
        runId: "run-one",
        workItemId: "task-one",
        beganAt: AT,
      } as Consultation);

test("[BUS-13] doctor says how many wait to be begun, and names what was set aside with its reason", async () => {
  const dataDir = place();
  const look = () => checkQueues({ setup: { paths: { dataDir } } });
  expect(look()).toMatchObject({ state: "ok", message: "nothing waits to be begun, nothing was set aside" });
  const auditRules = createAuditRules(sha256Hex);
  const random = { bytes: (count: number) => new Uint8Array(count) };
  const opened = await openRuntime({ dataDir, clock: { now: () => AT }, random, auditRules });
  if (!opened.ok) throw new Error(opened.error.code);
  onTestFinished(() => opened.value.close());
  const { queue } = opened.value;
  const carried = "2 decisions wait to be carried out";
  for (const name of ["one", "two"]) {
    const run = { runId: `run-${name}`, workItemId: `task-${name}` };
    const made = { requestId: `request-${name}`, kind: "plan_approval", at: AT, actor: { kind: "terminal" } } as const;
    const message = decidedOf({ ...made, run });
    // What follows from it is no run.
    expect(await queue.enqueue(decidedOf(made), AT)).toEqual({ ok: true, value: "added" });
    expect(await queue.enqueue(message, AT)).toEqual({ ok: true, value: "added" });
  }
  expect(look()).toMatchObject({ state: "ok", message: `2 runs wait to be begun, ${carried}, nothing was set aside` });
  const asked = {
    kinds: ["decided"],
    holder: "c",
    countMax: 1,
    at: AT,
    leaseMs: 60_000,
    deliveriesMax: 1,
  } as const;
  const [lease] = await queue.lease({ ...asked, id: "decided:run-one" });
  if (lease === undefined) throw new Error("something waits");
  await queue.giveBack({ lease, back: { how: "failed", reason: "grant_missing" }, at: AT, deliveriesMax: 1 });
  expect(look()).toEqual({
    check: "queue",
    state: "warn",
    message: `1 run waits to be begun, ${carried}, 1 set aside: could not begin task-one (run run-one): what granted it was not to be found`,
    fix: "propose the plan again; silas logs has the cause",
  });
  for (const message of [questionTo("planner"), questionTo("timer")]) {
    const kinds = [message.kind];
    expect(await queue.enqueue(message, AT)).toEqual({ ok: true, value: "added" });
    const [other] = await queue.lease({ ...asked, kinds });
    if (other === undefined) throw new Error("something waits");
    await queue.giveBack({
      lease: other,
      back: { how: "failed", reason: "handling_failed" },
      at: AT,
      deliveriesMax: 1,
    });
  }
  expect(look()).toMatchObject({
    message: expect.stringContaining(
      "3 set aside: could not act on the timer goal:page: it failed before it began; " +
        "could not ask the planner for advice about task-one: it failed before it began; could not begin task-one",
    ),
    fix: "silas timers has its next time; the run goes on without advice; propose the plan again; silas logs has the cause",
  });
});
