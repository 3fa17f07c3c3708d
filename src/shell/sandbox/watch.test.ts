import { expect, test } from "vitest";
import { CONFIG, tempFolder } from "./sandbox.fixture.ts";
import { watchRun, type LimitName } from "./watch.ts";

/** Timers that the test fires by hand. */
function byHand() {
  const set: { readonly work: () => void; isOff: boolean }[] = [];
  return {
    set,
    waiting: () => set.filter(({ isOff }) => !isOff).length,
    fire: () => {
      for (const one of set.filter(({ isOff }) => !isOff)) {
        one.isOff = true;
        one.work();
      }
    },
    timers: {
      after: (_delayMs: number, work: () => void) => {
        const one = { work, isOff: false };
        set.push(one);
        return () => void (one.isOff = true);
      },
    },
  };
}

test("a watcher looks again and again at processes and files, and at nothing once it is stopped", async () => {
  const { waiting, fire, timers, set } = byHand();
  const over: LimitName[] = [];
  const watch = watchRun({
    first: () => null,
    ownProcesses: 1,
    workspace: tempFolder(),
    limits: CONFIG.limits,
    timers,
    onOver: (which) => void over.push(which),
  });
  expect(waiting()).toBe(2);
  fire();
  await expect.poll(waiting).toBe(2);
  watch.stop();
  expect(waiting()).toBe(0);
  const before = set.length;
  set.at(-1)?.work();
  set.at(-2)?.work();
  await watch.isOverfull();
  expect([set.length, over]).toEqual([before, []]);
});

test("a program with too many processes is told once, and is no longer looked at for them", () => {
  const { fire, timers, waiting } = byHand();
  const over: LimitName[] = [];
  const watch = watchRun({
    first: () => process.pid,
    ownProcesses: 0,
    workspace: tempFolder(),
    limits: { ...CONFIG.limits, processes: 0 },
    timers,
    onOver: (which) => void over.push(which),
  });
  fire();
  expect(over).toEqual(["processes"]);
  watch.stop();
  expect(waiting()).toBe(0);
});
