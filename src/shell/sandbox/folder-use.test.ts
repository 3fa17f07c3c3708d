import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolderGauge, isFolderOver } from "./folder-use.ts";

const KIB = 1024;
const NOBODY = 65_534;
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "silas-folder-")));
});
afterEach(() => {
  // What lies too deep to be named is removed by a program that goes down step by step.
  execFileSync("/bin/rm", ["-rf", "--", folder]);
});

const bytes = (kib: number): Buffer => Buffer.alloc(kib * KIB, 1);

test("a folder is over its limit by what lies in it at any depth, and by nothing that only links to more", async () => {
  mkdirSync(join(folder, "a", "b"), { recursive: true });
  writeFileSync(join(folder, "a", "b", "file"), bytes(300));
  symlinkSync("/usr", join(folder, "link"));
  expect(await isFolderOver(folder, 400 * KIB)).toBe(false);
  expect(await isFolderOver(folder, 200 * KIB)).toBe(true);
});

test("[SBX-10] names that are no text hide nothing, neither a file nor a folder", async () => {
  const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from("/"), Buffer.from([0xc3])]), bytes(300));
  expect(await isFolderOver(folder, 200 * KIB)).toBe(true);
});

test("[SBX-10] what lies deeper than a path can say is over the limit, whatever it holds", async () => {
  let at = openSync(folder, constants.O_DIRECTORY);
  for (let depth = 0; depth < 25; depth += 1) {
    const inner = `/proc/self/fd/${at}/${"d".repeat(200)}`;
    mkdirSync(inner);
    const next = openSync(inner, constants.O_DIRECTORY);
    closeSync(at);
    at = next;
  }
  closeSync(at);
  expect(await isFolderOver(folder, 100 * 1024 * KIB)).toBe(true);
});

test("[SBX-10] a folder that is closed to readers is counted for a Silas that is not root", () => {
  const closed = join(folder, "closed");
  mkdirSync(closed);
  writeFileSync(join(closed, "file"), bytes(300));
  chmodSync(closed, 0o300);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [folder, closed]) chownSync(path, NOBODY, NOBODY);
  const program = `const { isFolderOver } = await import(${JSON.stringify(new URL("./folder-use.ts", import.meta.url).href)});
    ${isRoot ? `process.setgid(${NOBODY}); process.setuid(${NOBODY});` : ""}
    process.stdout.write(String(await isFolderOver(${JSON.stringify(folder)}, ${200 * KIB})));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  expect(said).toBe("true");
  rmSync(closed, { recursive: true });
});

test("[SBX-10] a folder that grows while others free as much of the disk is found to be over its limit", async () => {
  mkdirSync(join(folder, "watched"));
  writeFileSync(join(folder, "of-others"), bytes(24 * KIB), { flush: true });
  const gauge = createFolderGauge(join(folder, "watched"), 4 * KIB * KIB);
  rmSync(join(folder, "of-others"));
  writeFileSync(join(folder, "watched", "grown"), bytes(9 * KIB), { flush: true });
  await expect.poll(() => gauge.isOver()).toBe(true);
});
