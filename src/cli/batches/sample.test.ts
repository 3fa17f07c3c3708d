import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeSample } from "./sample.ts";

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), "silas-sample-"));

test("a folder made for the sample goes with it", async () => {
  const folder = join(emptyFolder(), "sample");
  const takeAway = await writeSample(folder, 0);
  expect(readdirSync(folder)).toHaveLength(10);
  await takeAway();
  expect(existsSync(folder)).toBe(false);
});

test("a folder that was there stays, and so does whatever else came into one that was made", async () => {
  const there = emptyFolder();
  await (
    await writeSample(there, 0)
  )();
  expect(readdirSync(there)).toEqual([]);
  const made = join(there, "sample");
  const takeAway = await writeSample(made, 0);
  writeFileSync(join(made, "mine.txt"), "x");
  await takeAway();
  expect(readdirSync(made)).toEqual(["mine.txt"]);
});
