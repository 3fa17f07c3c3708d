import { expect, test, onTestFinished, afterEach, beforeEach, describe, vi } from "vitest";
import {
  mkdtempSync,
  rmSync,
  writeFileSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { performance } from "node:perf_hooks";
import { CONFIG, tempFolder } from "./sandbox.fixture.ts";
import { watchRun, type LimitName, kernelBytesOf, createFolderGauge, isFolderOver } from "./watch.ts";
import { heldUnder } from "../../../test/held-under.ts";

/** Timers that the test fires by hand. */
function byHand() {
  const set: { readonly work: () => void; isOff: boolean }[] = [];
  return {
    set,
    waiting: () => set.filter(({ isOff }) => !isOff).length,
    fire: () => {
      for (const one of set.filter(({ isOff }) => !isOff)) {
        one.isOff = true;
        one.work();
      }
    },
    timers: {
      after: (_delayMs: number, work: () => void) => {
        const one = { work, isOff: false };
        set.push(one);
        return () => void (one.isOff = true);
      },
    },
  };
}

test("a watcher looks again and again at processes and files, and at nothing once it is stopped", async () => {
  const { waiting, fire, timers, set } = byHand();
  const over: LimitName[] = [];
  const watch = watchRun({
    first: () => null,
    ownProcesses: 1,
    workspace: tempFolder(),
    limits: CONFIG.limits,
    timers,
    onOver: (which) => void over.push(which),
  });
  expect(waiting()).toBe(2);
  fire();
  await expect.poll(waiting).toBe(2);
  watch.stop();
  expect(waiting()).toBe(0);
  const before = set.length;
  set.at(-1)?.work();
  set.at(-2)?.work();
  await watch.isOverfull();
  expect([set.length, over]).toEqual([before, []]);
});

test("a program with too many processes is told once, and is no longer looked at for them", () => {
  const { fire, timers, waiting } = byHand();
  const over: LimitName[] = [];
  const watch = watchRun({
    first: () => process.pid,
    ownProcesses: 0,
    workspace: tempFolder(),
    limits: { ...CONFIG.limits, processes: 0 },
    timers,
    onOver: (which) => void over.push(which),
  });
  fire();
  expect(over).toEqual(["processes"]);
  watch.stop();
  expect(waiting()).toBe(0);
});

test("a process that still sees the places and sockets of this machine is not charged with them", () => {
  // The first process of a sandbox is known before it has a root of its own; a test of this machine keeps files here.
  const dir = mkdtempSync("/dev/shm/silas-kernel-");
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (let number = 0; number < 10; number += 1) writeFileSync(join(dir, String(number)), "");
  expect(kernelBytesOf(process.pid)).toBe(0);
  expect(kernelBytesOf(2 ** 22 + 1)).toBe(0);
});

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

test("a folder that holds exactly what it may is not over its limit, and with one byte less it is", async () => {
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "a", "file"), bytes(300));
  const held = heldBytes();
  expect(held).toBeGreaterThanOrEqual(300 * KIB);
  expect(await isFolderOver(folder, held)).toBe(false);
  expect(await isFolderOver(folder, held - 1)).toBe(true);
  expect(heldUnder(folder)).toEqual([]);
});

const heldBytes = (): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce(
    (sum, name) => sum + lstatSync(join(folder, name)).blocks * 512,
    0,
  );

/** Does this once, in the first moment that whoever counts leaves to others; how often it left them one is told. */
function meanwhile(work: () => void): { readonly turns: number; stop(): void } {
  const seen = { turns: 0 };
  const turn = (): void => {
    seen.turns += 1;
    if (seen.turns === 1) work();
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  return {
    get turns() {
      return seen.turns;
    },
    stop: () => clearImmediate(next),
  };
}

describe("while a large folder is counted", () => {
  const names = Array.from({ length: 600 }, (_, at) => `d${at}`);

  test("others have their turn now and then, and what vanishes meanwhile is nothing", async () => {
    for (const name of names) mkdirSync(join(folder, name));
    const others = meanwhile(() => names.forEach((name) => rmSync(join(folder, name), { recursive: true })));
    expect(await isFolderOver(folder, 100 * KIB * KIB)).toBe(false);
    others.stop();
    expect(others.turns).toBeGreaterThan(0);
    expect(others.turns).toBeLessThan(10);
    expect(heldUnder(folder)).toEqual([]);
  });

  test("[SBX-10] a link that is laid where a folder was leads to nothing that counts", async () => {
    const [inside, outside] = [join(folder, "watched", "a"), join(folder, "outside")];
    for (const name of names) {
      mkdirSync(join(inside, name), { recursive: true });
      mkdirSync(join(outside, name), { recursive: true });
      writeFileSync(join(outside, name, "file"), bytes(64));
    }
    const others = meanwhile(() => {
      renameSync(inside, join(folder, "away"));
      symlinkSync(outside, inside);
    });
    expect(await isFolderOver(join(folder, "watched"), 8 * KIB * KIB)).toBe(false);
    others.stop();
    expect(others.turns).toBeGreaterThan(0);
    expect(heldUnder(folder)).toEqual([]);
    expect(await isFolderOver(outside, 8 * KIB * KIB)).toBe(true);
  });
});

describe("how often a folder is counted", () => {
  afterEach(() => void vi.restoreAllMocks());

  test("after a second, and then after twenty times as long as it took; one that is gone holds nothing", async () => {
    writeFileSync(join(folder, "large"), bytes(40 * KIB), { flush: true });
    for (let at = 0; at < 600; at += 1) writeFileSync(join(folder, `f${at}`), "");
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const gauge = createFolderGauge(folder, heldBytes());
    clock.mockReturnValue(1000);
    const counting = meanwhile(() => void clock.mockReturnValue(1100));
    expect(await gauge.isOver()).toBe(false);
    counting.stop();
    expect(counting.turns).toBeGreaterThan(0);
    writeFileSync(join(folder, "more"), bytes(4));
    clock.mockReturnValue(1100 + 20 * 100 - 1);
    expect(await gauge.isOver()).toBe(false);
    clock.mockReturnValue(1100 + 20 * 100);
    expect(await gauge.isOver()).toBe(true);
    const early = createFolderGauge(folder, heldBytes() - 1);
    clock.mockReturnValue(3100 + 999);
    expect(await early.isOver()).toBe(false);
    clock.mockReturnValue(3100 + 1000);
    expect(await early.isOver()).toBe(true);
    rmSync(folder, { recursive: true });
    clock.mockReturnValue(1_000_000);
    expect(await early.isOver()).toBe(false);
  });
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
  const program = `const { isFolderOver } = await import(${JSON.stringify(new URL("./watch.ts", import.meta.url).href)});
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
