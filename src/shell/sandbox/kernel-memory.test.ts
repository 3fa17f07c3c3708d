import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kernelBytesOf } from "./kernel-memory.ts";

test("a process that still sees the places and sockets of this machine is not charged with them", () => {
  // The first process of a sandbox is known before it has a root of its own; a test of this machine keeps files here.
  const dir = mkdtempSync("/dev/shm/silas-kernel-");
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (let number = 0; number < 10; number += 1) writeFileSync(join(dir, String(number)), "");
  expect(kernelBytesOf(process.pid)).toBe(0);
  expect(kernelBytesOf(2 ** 22 + 1)).toBe(0);
});
