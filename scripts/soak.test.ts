import { expect, test } from "vitest";
import { DEPTH_VARIABLE, EVERY_CASE } from "../test/depth.ts";
import { exhaustiveFiles, readAmounts, soakSteps } from "./soak.ts";

test("takes amounts, and refuses what is none", () => {
  expect(readAmounts([])).toEqual({ seeds: 100, kills: 200, runs: 100_000 });
  expect(readAmounts(["--kills=1000", "--seeds=3"])).toEqual({ seeds: 3, kills: 1000, runs: 100_000 });
  for (const wrong of ["--kills=0", "--kills=many", "--kills=-1", "--seeds=1.5", "--deep", "--runs"]) {
    expect(readAmounts([wrong]), wrong).toBeNull();
  }
});

test("plays every case of the files that play a sample in `npm test`, through the variable they read", () => {
  const files = exhaustiveFiles();
  expect(files).toContain("src/shell/stores/audit/sweep.test.ts");
  expect(files).toContain("sim/approvals.test.ts");
  const [every, ...more] = soakSteps("reports", { seeds: 1, kills: 2, runs: 3 });
  expect(every).toMatchObject({ env: { [DEPTH_VARIABLE]: EVERY_CASE }, command: expect.arrayContaining([...files]) });
  expect(more.map(({ command }) => command.join(" "))).toEqual([
    "sim/run.ts --run-kills=2",
    "sim/run.ts --kills=2",
    "sim/run.ts --seeds=1",
    "sim/run.ts --fuzz=all --runs=3",
  ]);
});
