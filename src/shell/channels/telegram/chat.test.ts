import { expect, test } from "vitest";
import { systemTimers } from "#runtime";
import { createWork } from "./chat.ts";

function createWorld() {
  const causes: unknown[] = [];
  const ending = new AbortController();
  const timers = { after: (_delayMs: number, work: () => void) => systemTimers.after(0, work) };
  const faults = { caught: (_part: string, cause: unknown) => void causes.push(cause) };
  return { causes, ending, chat: { ending: ending.signal, timers, faults } };
}

test("work that is asked for by a function handed on, while it fails, is done again and not forgotten", async () => {
  const { causes, chat } = createWorld();
  let done = 0;
  const work = createWork(chat, async () => {
    done += 1;
    if (done > 3) return;
    look();
    throw new Error(`bug ${done}`);
  });
  const { look } = work;
  look();
  await work.settled();
  expect(done).toBe(4);
  expect(causes).toEqual([new Error("bug 1"), new Error("bug 2"), new Error("bug 3")]);
});

test("work that is asked for in the very moment it ends is done once more", async () => {
  const { chat } = createWorld();
  for (let turns = 0; turns < 12; turns += 1) {
    let done = 0;
    const { look, settled } = createWork(chat, async () => void (done += 1));
    look();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    look();
    await settled();
    await settled();
    expect([turns, done]).toEqual([turns, 2]);
  }
});

test("work that always fails ends with Silas", async () => {
  const { ending, causes, chat } = createWorld();
  const work = createWork(chat, async () => {
    if (causes.length === 5) ending.abort();
    throw new Error("bug");
  });
  work.look();
  await work.settled();
  expect(causes).toHaveLength(6);
});
