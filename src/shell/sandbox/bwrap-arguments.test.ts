import { expect, test, onTestFinished } from "vitest";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { duplexPair, type Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { heldUnder } from "../../../test/held-under.ts";
import { CONFIG, runIn, sandboxesIn, spaceIn, tempFolder, textOf, randomness } from "./sandbox.fixture.ts";
import { atGate, keepGate } from "./bwrap-arguments.ts";
import { sweepWorkspaces } from "./work-dir.ts";

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

const PARENT = fileURLToPath(new URL("./killed.fixture.ts", import.meta.url));
const STARTS = [
  { apartMs: 4, answers: "no", bubblewrap: "unbound" },
  // Who is too busy to answer leaves all of them at the gate.
  { apartMs: 1, answers: "no", bubblewrap: "usual" },
  { apartMs: 2, answers: "yes", bubblewrap: "usual" },
] as const;
/** As if bubblewrap had asked for its end with Silas when Silas was gone already: its own parent lives on. */
const UNBOUND = `#!/bin/sh
/usr/bin/bwrap "$@" &
wait $!
`;

test("[SBX-02] no program begins or goes on without Silas, wherever it was in its start when Silas was killed", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "bwrap"), UNBOUND, { mode: 0o755 });
  // Each has its own: who comes later would end what an earlier one left.
  const workDirOf = (at: number): string => join(folder, `work-${at}`);
  const mark = `86400.${Buffer.from(randomness.bytes(8)).readBigUInt64LE()}`;
  for (const [at, { apartMs, answers, bubblewrap }] of STARTS.entries()) {
    const searchPath = bubblewrap === "unbound" ? folder : "/usr/bin";
    const args = [PARENT, workDirOf(at), searchPath, mark, String(apartMs), answers];
    const parent = spawn(process.execPath, args, { stdio: "inherit" });
    expect(await once(parent, "exit")).toEqual([null, "SIGKILL"]);
  }
  // What still prepares comes to the gate, and goes.
  await expect.poll(() => marked(mark).filter((pid) => !isLeftWaiting(pid))).toEqual([]);
  for (const at of STARTS.keys()) await sweepWorkspaces(workDirOf(at));
  await expect.poll(() => marked(mark)).toEqual([]);
});

/** Processes of this machine with an argument that is the mark: the program, and all that was to become it. */
const marked = (mark: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && argumentsOf(pid).includes(mark));

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** bubblewrap's first process when bubblewrap was ended before it let it go on; beside the other it holds its own bell. */
function isLeftWaiting(pid: string): boolean {
  try {
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return open.filter((target) => target === "anon_inode:[eventfd]").length === 2;
  } catch {
    return false;
  }
}

test("the gate opens only when the first process is bound as well, which its filter of system calls tells", async () => {
  const unfiltered = spawn("/bin/sh", ["-c", "sleep 600 & echo $!; wait"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void unfiltered.kill("SIGKILL"));
  const [line] = (await once(unfiltered.stdout, "data")) as [Buffer];
  const first = Number(line.toString());
  onTestFinished(() => void process.kill(first, "SIGKILL"));
  const [inside, gate] = duplexPair();
  let looks = 0;
  const looking = (): number => {
    looks += 1;
    return first;
  };
  keepGate({ child: unfiltered, gate, first: looking, isOver: () => false, onBound: async () => {} });
  inside.write("\n");
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(inside.read()).toBeNull();
});

test("the gate opens only once what holds for the program is set", async () => {
  const ended = spawn("/bin/true", { stdio: "ignore" });
  await once(ended, "exit");
  const [inside, gate] = duplexPair();
  const order: string[] = [];
  const opened = once(inside, "data").then(() => order.push("opened"));
  const onBound = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    order.push("set");
  };
  keepGate({ child: ended, gate, first: () => process.pid, isOver: () => false, onBound });
  inside.write("\n");
  await opened;
  expect(order).toEqual(["set", "opened"]);
});

test("the program begins after the answer when all its limits are set, and not at all otherwise", async () => {
  const said = async (limits: readonly string[], answer: string): Promise<string> => {
    const [shell = "", ...args] = atGate(3, limits);
    const waiting = spawn(shell, [...args, "/bin/echo", "begun"], { stdio: ["ignore", "pipe", "ignore", "pipe"] });
    const gate = waiting.stdio[3] as Duplex;
    await once(gate, "data");
    gate.end(answer);
    return text(waiting.stdout as NodeJS.ReadableStream);
  };
  expect(await said(["ulimit -c 0", "true"], "\n")).toBe("begun\n");
  expect(await said(["false", "true"], "\n")).toBe("");
  expect(await said(["true", "false"], "\n")).toBe("");
  expect(await said(["true"], "")).toBe("");
});
