import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { expect, test } from "vitest";
import { CONFIG, randomness, sandboxesIn, spaceIn, tempFolder } from "./sandbox.fixture.ts";
import { makeOwnedFolder, prepareWorkDir, removeTree, sweepWorkspaces } from "./work-dir.ts";

test("folders of processes that are gone are removed, those of living ones and other things stay", async () => {
  const workDir = join(tempFolder(), "work");
  prepareWorkDir(workDir);
  const own = makeOwnedFolder(workDir, randomness);
  const dead = spawn("/bin/true");
  await once(dead, "exit");
  const [, , ticks, nonce] = own.slice(own.lastIndexOf("run-")).split("-");
  const stale = join(workDir, `run-${dead.pid}-1-0123456789abcdef`);
  // A number that lives again belongs to another process, which began at another time.
  const reused = join(workDir, `run-${process.pid}-${Number(ticks) - 1}-${nonce}`);
  for (const place of [stale, reused, join(workDir, "notes")]) mkdirSync(join(place, "workspace"), { recursive: true });
  expect(await sweepWorkspaces(workDir)).toBe(2);
  expect(readdirSync(workDir).toSorted()).toEqual(["notes", own.slice(workDir.length + 1)].toSorted());
  expect(await sweepWorkspaces(join(workDir, "none"))).toBe(0);
});

test("a sandbox that was left in the midst of being made is ended with its folder", async () => {
  const workDir = join(tempFolder(), "work");
  const stale = join(workDir, "run-4194304-1-0123456789abcdef");
  mkdirSync(join(stale, "workspace"), { recursive: true });
  const holding = openSync(join(stale, "workspace"), "r");
  // Like bubblewrap's first process before it mounts anything: alone in a namespace, with the folder open.
  const options = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "/bin/sleep", "600"];
  const left = spawn("/usr/bin/unshare", options, { stdio: ["ignore", "pipe", "ignore", holding] });
  closeSync(holding);
  const ended = once(left, "exit");
  await expect.poll(() => hasSandboxedChild(left.pid ?? 0)).toBe(true);
  expect(await sweepWorkspaces(workDir)).toBe(1);
  expect(await ended).not.toEqual([0, null]);
});

/** Whether what it started is in a namespace of its own by now. */
function hasSandboxedChild(pid: number): boolean {
  const child = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return child !== "" && readlinkSync(`/proc/${child}/ns/pid`) !== readlinkSync("/proc/self/ns/pid");
}

test("the first use of a later process removes what an ended one left", async () => {
  const folder = tempFolder();
  const sandboxes = sandboxesIn(folder);
  const stale = join(folder, "data/sandbox/work/run-4194304-1-0123456789abcdef");
  mkdirSync(stale, { recursive: true });
  expect((await sandboxes.open(CONFIG)).ok).toBe(true);
  expect(existsSync(stale)).toBe(false);
});

test("a tree goes whatever was made of it, and links in it lead to nothing", async () => {
  const folder = tempFolder();
  const tree = join(folder, "tree");
  mkdirSync(join(tree, "closed/inner"), { recursive: true });
  writeFileSync(join(folder, "outside"), "kept");
  symlinkSync(folder, join(tree, "link"));
  chmodSync(join(tree, "closed"), 0);
  await removeTree(tree);
  expect(readdirSync(folder)).toEqual(["outside"]);
});

test("[SBX-02] a workspace deeper than a path can be written is removed", async () => {
  const folder = tempFolder();
  const space = await spaceIn(sandboxesIn(folder));
  // A shell would look its own path up; this one only steps down.
  const script = `my $name = "d" x 200; for (1..40) { mkdir $name or die; chdir $name or die } open(my $f, ">", "deep") or die;`;
  const run = await space.run({ argv: ["/usr/bin/perl", "-e", script] });
  expect(run).toMatchObject({ ok: true, value: { end: { kind: "exit", code: 0 } } });
  await space.close();
  expect(existsSync(space.workspace)).toBe(false);
});
