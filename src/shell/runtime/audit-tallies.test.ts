import { expect, test } from "vitest";
import { LIMITS } from "#base";
import { createTallies } from "./audit-tallies.ts";
import { createAuditWorld, recorded, settled } from "./audit.fixture.ts";

test("the first refused sign-in is recorded at once, a flood of them as one entry per window", async () => {
  const world = createAuditWorld();
  const { refusals: tally, close } = createTallies(world);
  const since = world.clock.now();
  tally.enrolmentRefused("invalid");
  await settled();
  expect(await recorded(world.audit)).toEqual([["enrolment_refused", { invalid: 1, rate_limited: 0, since }]]);
  for (let index = 0; index < 5_000; index += 1) tally.enrolmentRefused(index < 10 ? "invalid" : "rate_limited");
  await settled();
  expect(await recorded(world.audit)).toHaveLength(1);
  await world.move(LIMITS.auditRefusalWindowMs);
  expect((await recorded(world.audit)).slice(1)).toEqual([
    ["enrolment_refused", { invalid: 10, rate_limited: 4_990, since }],
  ]);
  tally.enrolmentRefused("invalid");
  await close();
  expect(await recorded(world.audit)).toHaveLength(3);
});

test("after a quiet window the next refusal is told at once again, and a quiet end records nothing", async () => {
  const world = createAuditWorld();
  const { refusals: tally, close } = createTallies(world);
  tally.enrolmentRefused("invalid");
  await world.move(LIMITS.auditRefusalWindowMs);
  tally.enrolmentRefused("invalid");
  await settled();
  expect(await recorded(world.audit)).toHaveLength(2);
  await close();
  expect(await recorded(world.audit)).toHaveLength(2);
});

test("strangers at the door are counted by kind, in windows of their own beside the sign-ins", async () => {
  const world = createAuditWorld();
  const { refusals: tally } = createTallies(world);
  const since = world.clock.now();
  tally.callerRefused("foreign_host");
  tally.enrolmentRefused("invalid");
  for (let index = 0; index < 3; index += 1) tally.callerRefused("foreign_origin");
  for (let index = 0; index < 500; index += 1) tally.callerRefused("unauthenticated_frame");
  await settled();
  await world.move(LIMITS.auditRefusalWindowMs);
  expect(await recorded(world.audit)).toEqual([
    ["callers_refused", { foreign_origin: 0, foreign_host: 1, unauthenticated_frame: 0, since }],
    ["enrolment_refused", { invalid: 1, rate_limited: 0, since }],
    ["callers_refused", { foreign_origin: 3, foreign_host: 0, unauthenticated_frame: 500, since }],
  ]);
});

test("a bug that repeats is logged each time, and recorded once at first and once per window", async () => {
  const world = createAuditWorld();
  const { faults } = createTallies(world);
  const since = world.clock.now();
  for (let index = 0; index < 50; index += 1) faults.caught(index < 20 ? "telegram" : "process", new Error("bug"));
  await settled();
  expect(world.errors.filter((event) => event === "telegram_fault_caught")).toHaveLength(20);
  expect(world.errors.filter((event) => event === "process_fault_caught")).toHaveLength(30);
  await world.move(LIMITS.auditRefusalWindowMs);
  expect(await recorded(world.audit)).toEqual([
    ["faults_caught", { telegram: 1, process: 0, since }],
    ["faults_caught", { telegram: 19, process: 30, since }],
  ]);
});
