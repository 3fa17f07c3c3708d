import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { err, ok } from "#base";
import type { SecretRef } from "#model";
import type { SandboxSpace } from "#ports";
import { createGuards } from "./run-credentials.ts";
import { findInPlaces } from "./written-files.ts";

const SECRET = "piped-canary-4410";
const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

/** A run with one secret and a folder that its plan may write, in which the owner has kept the same words before. */
async function guardedRun() {
  const root = mkdtempSync(join(tmpdir(), "silas-written-"));
  made.push(root);
  const [workspace, folder] = [join(root, "workspace"), join(root, "out")];
  mkdirSync(folder);
  const mine = join(folder, "mine.txt");
  writeFileSync(mine, SECRET);
  // The clock of a file system stands still for some milliseconds, and what changed in the same moment counts as since.
  for (let tries = 0; ; tries += 1) {
    mkdirSync(workspace);
    if (statSync(workspace, { bigint: true }).ctimeNs > statSync(mine, { bigint: true }).ctimeNs) break;
    rmSync(workspace, { recursive: true });
    if (tries > 1_000_000) throw new Error("the clock stands still");
  }
  const withheld: string[] = [];
  const ref = "sign.key" as SecretRef;
  const guards = createGuards({
    take: async () =>
      ok({
        handOver: async () => null,
        find: (bytes) => (Buffer.from(bytes).includes(SECRET) ? ref : null),
        traceBytes: SECRET.length,
        withheld: async (shown) => void withheld.push(shown),
        letGo: () => {},
      }),
  });
  const run: SandboxSpace["run"] = async () => err({ code: "sandbox_closed" });
  const inner: SandboxSpace = { id: "space", workspace, run, close: async () => {} };
  const opened = await guards.open({ runId: "run-1", id: "task-1", steps: [], files: { write: [folder] } }, async () =>
    ok(inner),
  );
  if (!opened.ok) throw new Error(opened.error);
  return { folder, workspace, withheld, problem: () => guards.problemIn(opened.value, {}) };
}

test("a secret in a file that the plan may write fails the step and is recorded; what the owner had there does not", async () => {
  const { folder, withheld, problem } = await guardedRun();
  mkdirSync(join(folder, "deep"));
  writeFileSync(join(folder, "deep/signed"), "signed");
  expect(await problem()).toBeNull();
  const leak = join(folder, "deep/leak.bin");
  writeFileSync(leak, Buffer.concat([Buffer.alloc(256 * 1024 - 5), Buffer.from(SECRET)]));
  // A program may say that its file is old; when the file changed is not for it to say.
  utimesSync(leak, 0, 0);
  expect(await problem()).toBe(
    `it wrote the secret sign.key to a file in ${folder}, which is still there: remove it and change the secret`,
  );
  expect(withheld).toEqual(["sign.key"]);
});

test("no link out of the place is followed, and what cannot be read is passed over", async () => {
  const { folder, workspace, problem } = await guardedRun();
  writeFileSync(join(workspace, "elsewhere"), SECRET);
  symlinkSync(join(workspace, "elsewhere"), join(folder, "link"));
  symlinkSync(workspace, join(folder, "links"));
  symlinkSync(folder, join(folder, "again"));
  expect(await problem()).toBeNull();
  rmSync(folder, { recursive: true });
  expect(await problem()).toBeNull();
});

test("a place is looked at from the moment its file changed, up to so many entries and bytes, and no further", async () => {
  const root = mkdtempSync(join(tmpdir(), "silas-written-"));
  made.push(root);
  const file = join(root, "leak");
  writeFileSync(file, SECRET);
  const isShown = async (places: readonly string[], sinceNs = 0n): Promise<boolean> => {
    const find = (bytes: Uint8Array) => (Buffer.from(bytes).includes(SECRET) ? "shown" : null);
    return (await findInPlaces({ places, sinceNs }, { find, overlapBytes: SECRET.length })) !== null;
  };
  const { ctimeNs } = statSync(file, { bigint: true });
  expect([await isShown([file], ctimeNs), await isShown([file], ctimeNs + 1n)]).toEqual([true, false]);
  const missing = Array.from({ length: 19_999 }, () => join(root, "missing"));
  expect([await isShown([...missing, file]), await isShown([...missing, root, file])]).toEqual([true, false]);
  truncateSync(file, 512 * 1024 ** 2);
  expect(await isShown([file])).toBe(true);
  truncateSync(file, 512 * 1024 ** 2 + 1);
  expect(await isShown([file])).toBe(false);
});
