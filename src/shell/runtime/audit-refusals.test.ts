import { expect, test } from "vitest";
import { LIMITS } from "#base";
import { createRefusalTally } from "./audit-refusals.ts";
import { createAuditWorld, recorded, settled } from "./audit.fixture.ts";

test("the first refused sign-in is recorded at once, a flood of them as one entry per window", async () => {
  const world = createAuditWorld();
  const tally = createRefusalTally(world);
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
  await tally.close();
  expect(await recorded(world.audit)).toHaveLength(3);
});

test("after a quiet window the next refusal is told at once again, and a quiet end records nothing", async () => {
  const world = createAuditWorld();
  const tally = createRefusalTally(world);
  tally.enrolmentRefused("invalid");
  await world.move(LIMITS.auditRefusalWindowMs);
  tally.enrolmentRefused("invalid");
  await settled();
  expect(await recorded(world.audit)).toHaveLength(2);
  await tally.close();
  expect(await recorded(world.audit)).toHaveLength(2);
});

test("strangers at the door are counted by kind, in windows of their own beside the sign-ins", async () => {
  const world = createAuditWorld();
  const tally = createRefusalTally(world);
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
