import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { CONFIG, textOf } from "../sandbox.fixture.ts";
import { hear } from "./hear.ts";

/** One frame of an engine. */
function frame(stream: "stdout" | "stderr", text: string): Buffer {
  const header = Buffer.from([stream === "stdout" ? 1 : 2, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

function hearing() {
  const pipe = new PassThrough();
  const told: string[] = [];
  const heard = hear({
    pipe,
    word: "begin-7",
    limits: CONFIG.limits,
    onLine: undefined,
    onBegun: () => void told.push("begun"),
    onFlood: () => void told.push("flood"),
  });
  return { pipe, told, heard };
}

test("what is said before the word is the starter's, what comes after it the program's, wherever it is cut", async () => {
  const { pipe, told, heard } = hearing();
  pipe.write(frame("stderr", "warned\nbeg"));
  await nextTurn();
  expect(told).toEqual([]);
  pipe.write(frame("stderr", "in-7\nown"));
  pipe.write(frame("stderr", " words"));
  pipe.end(frame("stdout", "out"));
  await heard.over;
  const { before, stdout, stderr } = heard.end();
  expect([told, before, textOf(stdout), textOf(stderr)]).toEqual([["begun"], "warned\n", "out", "own words"]);
  expect(pipe.destroyed).toBe(true);
});

test("the last of the output is waited for until it is here or will not come, and then no timer is left", async () => {
  const waiting = new Set<() => void>();
  const timers = {
    after: (_delayMs: number, work: () => void) => {
      waiting.add(work);
      return () => void waiting.delete(work);
    },
  };
  for (const ending of ["end", "error", "late"] as const) {
    const { pipe, heard } = hearing();
    let isClosed = false;
    const closing = heard.closed(timers).then(() => void (isClosed = true));
    await nextTurn();
    expect([ending, isClosed, waiting.size]).toEqual([ending, false, 1]);
    if (ending === "end") pipe.end();
    else if (ending === "error") pipe.destroy(new Error("reset"));
    else for (const work of waiting) work();
    await closing;
    expect([ending, waiting.size]).toEqual([ending, 0]);
    heard.end();
  }
});
