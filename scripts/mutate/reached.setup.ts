/** Notes which marked places each test file reaches, in the run of `npm run mutate` that has no fault. */
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { REACHED_FILE, REACHED_MARKS } from "./reached.ts";

const reached = new Set<number>();

// A worker runs one file after the other, so that every file begins with a set of its own.
beforeAll(() => void Object.assign(globalThis, { [REACHED_MARKS]: reached }));

afterAll(() => {
  const path = process.env[REACHED_FILE];
  const test = expect.getState().testPath;
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ test, marks: [...reached] })}\n`);
});
