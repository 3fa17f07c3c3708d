import { expect, test } from "vitest";
import { msOfInstant } from "#base";
import type { Config } from "#model";
import { inWorld } from "./disk-run.ts";
import { approve, chainOf, goalText, openGoals, setClock } from "./goals.fixture.ts";

const MINUTE_MS = 60_000;
type Late = {
  readonly policy: Config["scheduler"]["missedRunPolicy"];
  /** How long the first look takes, and how long nobody is awake after it. */
  readonly lookMs: number;
  readonly asleepMs: number;
};

/** What is said to be skipped after a look that is due at 09:01. */
async function skippedAfter({ policy, lookMs, asleepMs }: Late): Promise<readonly object[]> {
  const said: object[] = [];
  await inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    let leftMs = lookMs;
    const script = () => {
      world.clock.moveMs(leftMs);
      leftMs = 0;
      return 0;
    };
    const silas = await openGoals(world, { script, scheduler: { missedRunPolicy: policy, missedRunGraceMinutes: 0 } });
    await silas.work.start();
    await approve(silas, goalText());
    await silas.pass(1);
    world.clock.moveMs(asleepMs);
    silas.timers.next(msOfInstant(world.clock.now()) + 1_000);
    await silas.settle();
    for (const { event, data } of await chainOf(silas)) if (event === "goal_checks_skipped") said.push(data);
    await silas.close();
  });
  return said;
}

test("a check that falls due in the moment in which a look ends was not missed, whatever the policy; one a millisecond later was", async () => {
  const until = "2026-11-10T09:03:00.000Z";
  const skipped = (lookMs: number) => skippedAfter({ policy: "skip", lookMs, asleepMs: 0 });
  const busy = [{ count: 1, until: "2026-11-10T09:02:00.000Z", reason: "busy" }];
  expect(await skipped(2 * MINUTE_MS - 1)).toMatchObject([{ count: 2, until, reason: "missed" }]);
  expect(await skipped(2 * MINUTE_MS)).toMatchObject(busy);
  expect(await skipped(2 * MINUTE_MS + 1)).toMatchObject(busy);
});

test("of checks that were skipped it is said whether the last of them fell into the look before, to the millisecond", async () => {
  const skipped = (lookMs: number) => skippedAfter({ policy: "once", lookMs, asleepMs: MINUTE_MS + 500 });
  const until = "2026-11-10T09:02:00.000Z";
  expect(await skipped(MINUTE_MS - 1)).toMatchObject([{ count: 1, until, reason: "missed" }]);
  expect(await skipped(MINUTE_MS)).toMatchObject([{ count: 1, until, reason: "busy" }]);
  expect(await skipped(MINUTE_MS + 1)).toMatchObject([{ count: 1, until, reason: "busy" }]);
});
