import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { outcomeOf } from "./browser.ts";

test.each([
  ["ends well", "exit", 0, "opened"],
  ["ends with a code", "exit", 3, "not_opened"],
  ["is ended", "exit", null, "not_opened"],
  ["cannot be run", "error", new Error("ENOENT"), "not_opened"],
] as const)("an opener that %s says whether there was a browser", async (_name, event, value, outcome) => {
  const opener = new EventEmitter() as ChildProcess;
  const judged = outcomeOf(opener);
  opener.emit(event, value);
  expect(await judged).toBe(outcome);
});
