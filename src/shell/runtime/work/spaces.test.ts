import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCheckFiles } from "./spaces.ts";

function openWorkspace() {
  const workspace = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "silas-checks-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  return { workspace, read: () => readCheckFiles({ workspace, granted: [], checks: [] }) };
}
const MORE = "more files than can be compared";

test("so many files of tests are compared; one more is said to be too much", async () => {
  const { workspace, read } = openWorkspace();
  for (let index = 0; index < 5_000; index += 1) writeFileSync(join(workspace, `${index}.test.ts`), "");
  const all = await read();
  expect([all.size, all.has(MORE)]).toEqual([5_000, false]);
  writeFileSync(join(workspace, "more.test.ts"), "");
  expect((await read()).has(MORE)).toBe(true);
});

test("so many folders are looked through, the first among them; one more is said to be too much", async () => {
  const { workspace, read } = openWorkspace();
  for (let index = 1; index < 20_000; index += 1) mkdirSync(join(workspace, `${index}`));
  expect((await read()).size).toBe(0);
  mkdirSync(join(workspace, "more"));
  expect([...(await read()).keys()]).toEqual([MORE]);
});

test("a file is compared up to so many bytes; with one more it counts as another each time", async () => {
  const { workspace, read } = openWorkspace();
  const file = join(workspace, "large.test.ts");
  writeFileSync(file, "");
  const digests = async (bytes: number) => {
    truncateSync(file, bytes);
    return [(await read()).get("large.test.ts"), (await read()).get("large.test.ts")];
  };
  const [first, again] = await digests(16 * 1024 * 1024);
  expect([first, again]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), first]);
  const [large, larger] = await digests(16 * 1024 * 1024 + 1);
  expect(large).not.toBe(larger);
});
