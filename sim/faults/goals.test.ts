import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { msOfInstant, type Instant } from "#base";
import { sampleOf } from "../../test/depth.ts";
import { inWorld } from "../disk-run.ts";
import { approve, goalText, isRunning, openGoals, type GoalWorld } from "../goals.fixture.ts";
import { until } from "../work-world.ts";
import { failingStatements, loggedFaults, type FailingStatements, type LoggedFaults } from "./every-statement.ts";

type Faulty = GoalWorld & { readonly failing: FailingStatements; readonly faults: LoggedFaults };

/** A Silas that was started, whose database fails when it is told to. */
const inFaultyWorld = (look: (silas: Faulty) => Promise<void>): Promise<void> =>
  inWorld(11, async (world) => {
    const failing = failingStatements();
    const faults = loggedFaults();
    const silas = await openGoals(world, { onStatement: failing.onStatement, log: faults.log });
    await look({ ...silas, failing, faults });
    await silas.close();
  });

/** As much as happens in memory; whoever waits for the disk finds it in order again. */
const TURNS = 60;

/** Lets something happen while the n-th statement fails; nobody else reads the database until that is over. */
async function underFault({ failing, faults }: Faulty, at: number, happen: () => void): Promise<readonly string[]> {
  faults.clear();
  failing.failAt(at);
  happen();
  for (let turns = 0; turns < TURNS; turns += 1) await turn();
  failing.heal();
  return faults.events();
}

/** Lets time pass as long as a repair rests after a fault: it is tried again by a timer. */
async function retried({ trust, timers, world }: Faulty): Promise<void> {
  let turns = 0;
  await until(async () => {
    turns += 1;
    if (turns % TURNS === 0) timers.next(msOfInstant(world.clock.now()) + RETRY_MS);
    return !(await isRunning(trust));
  });
}
const RETRY_MS = 120_000;

/** As many as there are from a due timer to the end of the repair. */
const STATEMENTS = Array.from({ length: 280 }, (_, index) => index + 1);
/** Each part that met a fault says so: the timers, the queue, and what a goal is made of. */
const LOGGED = ["timers_broken", "queue_unreadable", "goal_unreadable", "goal_not_checked", "goal_not_kept"];

/** Each repair uses it once, and no approval may stand for more. */
const USES_MAX = 100;
const STANDING = { max_executions: USES_MAX, expires_at: "2030-01-01T00:00:00.000Z" as Instant };

test("a goal whose check or repair meets a failing database is logged, and the page is repaired all the same", async () => {
  const logged = new Set<string>();
  const sample = sampleOf(STATEMENTS, 2);
  for (let from = 0; from < sample.length; from += USES_MAX) {
    const events = await eventsOf(sample.slice(from, from + USES_MAX));
    for (const event of events) logged.add(event);
  }
  expect([...logged]).toEqual(expect.arrayContaining(LOGGED));
});

/** Each of these statements fails once while the goal is due, and the page is repaired after each. */
async function eventsOf(statements: readonly number[]): Promise<ReadonlySet<string>> {
  const logged = new Set<string>();
  await inFaultyWorld(async (silas) => {
    await approve(silas, goalText({ standing: STANDING }));
    await silas.work.start();
    for (const at of statements) {
      await silas.settle();
      silas.page.isThere = false;
      const due = () => void silas.timers.next(msOfInstant(silas.world.clock.now()) + 120_000);
      for (const event of await underFault(silas, at, due)) logged.add(event);
      await retried(silas);
      await until(async () => {
        await silas.pass(1);
        return silas.page.isThere && !(await isRunning(silas.trust));
      });
    }
  });
  return logged;
}
