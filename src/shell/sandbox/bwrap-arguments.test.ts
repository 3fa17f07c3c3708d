import { expect, test } from "vitest";
import { heldUnder } from "../../../test/held-under.ts";
import { CONFIG, runIn, sandboxesIn, spaceIn, tempFolder, textOf } from "./sandbox.fixture.ts";

const MIB = 1024 * 1024;

test("[SBX-10] the kernel holds each process to the limits of its space", async () => {
  const limits = { ...CONFIG.limits, cpuSeconds: 7, memoryMb: 96, fileBytes: 3 * MIB + 700, processes: 5 };
  const space = await spaceIn(sandboxesIn(tempFolder()), { limits });
  const said = textOf((await runIn(space, "/bin/cat", "/proc/self/limits")).stdout);
  const limitOf = (name: string) =>
    new RegExp(`^Max ${name} +(\\S+) +(\\S+) `, "m")
      .exec(said)
      ?.slice(1)
      .map((figure) => Number(figure));
  expect(limitOf("cpu time")).toEqual([7, 8]);
  // A gigabyte more than the program may use: a Node maps that much before its first statement.
  expect(limitOf("data size")).toEqual([1120 * MIB, 1120 * MIB]);
  // Whole blocks of 512 bytes, and never more than was granted.
  expect(limitOf("file size")).toEqual([3 * MIB + 512, 3 * MIB + 512]);
  expect(limitOf("open files")).toEqual([1024, 1024]);
  expect(limitOf("core file size")).toEqual([0, 0]);
  expect(limitOf("processes")).toEqual([60, 60]);
});

test("a run leaves no handle of its folder or its filter open", async () => {
  const folder = tempFolder();
  const space = await spaceIn(sandboxesIn(folder));
  await runIn(space, "/bin/true");
  const before = heldUnder(folder);
  for (let run = 0; run < 3; run += 1) await runIn(space, "/bin/true");
  expect(heldUnder(folder)).toEqual(before);
});
