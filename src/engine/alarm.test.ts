import { expect, test } from "vitest";
import { createAlarm } from "./alarm.ts";

/** Timers that run when they are told to. */
function playTimers() {
  const waiting = new Map<object, { readonly delayMs: number; readonly work: () => void }>();
  return {
    after: (delayMs: number, work: () => void) => {
      const key = {};
      waiting.set(key, { delayMs, work });
      return () => void waiting.delete(key);
    },
    delays: () => [...waiting.values()].map(({ delayMs }) => delayMs),
    async ring() {
      const due = [...waiting];
      waiting.clear();
      for (const [, { work }] of due) work();
      await new Promise(setImmediate);
    },
  };
}

test("an alarm rings as long as ringing answers with a time, and forgets a time that was set before", async () => {
  const timers = playTimers();
  const answers = [20, null];
  let rings = 0;
  const alarm = createAlarm(timers, async () => answers[rings++] ?? null);
  alarm.set(5);
  alarm.set(10);
  expect(timers.delays()).toEqual([10]);
  await timers.ring();
  expect(timers.delays()).toEqual([20]);
  await timers.ring();
  expect([rings, alarm.isSet()]).toEqual([2, false]);
});

test("an alarm that is cancelled or set while it rings does what it was told last", async () => {
  const timers = playTimers();
  let told = (): void => {};
  const alarm = createAlarm(timers, async () => {
    told();
    return 20;
  });
  told = alarm.cancel;
  alarm.set(5);
  await timers.ring();
  expect(timers.delays()).toEqual([]);
  told = () => alarm.set(7);
  alarm.set(5);
  await timers.ring();
  expect(timers.delays()).toEqual([7]);
});
