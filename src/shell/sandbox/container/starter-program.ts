import { SANDBOX_NODE } from "../system-mounts.ts";

/** What is shown of this machine, as it must be found inside before the program may begin. */
export type ShownPlace = {
  readonly as: string;
  readonly access: "read" | "write";
  readonly dev: string;
  readonly ino: string;
};

/** What the starter is told. It goes through its standard input, so that the engine neither sees nor keeps it. */
type StarterOrder = {
  /** Said back as soon as all is as it must be; nothing of the program has run before. */
  readonly word: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly shown: readonly ShownPlace[];
  /** Texts that the program reads once, each from an open file of its own: in base64, the first under FIRST_PIPE. */
  readonly pipes: readonly string[];
  /** How many bytes for the program follow; null leaves its standard input empty. */
  readonly stdinBytes: number | null;
};

/** The number of the first open file beside input, output and errors. */
export const FIRST_PIPE = 3;

/**
 * Stands before the program in its container. It does not believe the engine: the rights, the filter, the network, the
 * root and every place it was to be shown are looked at from inside, and places are the very files Silas has open. Then
 * it starts the program, tells how it ended, and ends itself, and so everything, when Silas is gone. Whatever input the
 * program leaves it takes in first: an engine that cannot hand on all of it loses output as well.
 */
const PROGRAM = `"use strict";
const fs = require("node:fs");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const FIRST_PIPE = ${FIRST_PIPE};
const fail = (what) => { fs.writeSync(2, what + "\\n"); process.exit(1); };
const bell = new Int32Array(new SharedArrayBuffer(4));
const read = (count) => {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count; ) {
    try {
      const got = fs.readSync(0, bytes, at, count - at);
      if (got === 0) fail("no order came");
      at += got;
    } catch (cause) {
      if (cause.code !== "EAGAIN") throw cause;
      Atomics.wait(bell, 0, 0, 1);
    }
  }
  return bytes;
};
const order = JSON.parse(read(read(4).readUInt32BE(0)).toString());
const status = fs.readFileSync("/proc/self/status", "utf8");
const says = (name, value) => new RegExp("^" + name + ":\\\\s+" + value, "m").test(status);
if (!["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].every((name) => says(name, "0+$"))) fail("the container has capabilities");
if (!says("NoNewPrivs", "1$")) fail("the container may gain rights");
if (!says("Seccomp", "2$")) fail("the container has no filter of system calls");
if (says("Uid", "0\\\\b")) fail("the container runs as root");
const cards = fs.readFileSync("/proc/net/dev", "utf8").trim().split("\\n").slice(2).map((line) => line.trim().split(":")[0]);
if (cards.some((name) => name !== "lo")) fail("the container has a network");
const mounts = new Map(fs.readFileSync("/proc/self/mountinfo", "utf8").trim().split("\\n").map((line) => {
  const fields = line.split(" ");
  return [fields[4].replace(/\\\\(\\d{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8))), fields[5].split(",")];
}));
if (!mounts.get("/").includes("ro")) fail("the root of the container can be written");
for (const { as, access, dev, ino } of order.shown) {
  const found = fs.statSync(as, { bigint: true, throwIfNoEntry: false });
  if (found === undefined || String(found.dev) !== dev || String(found.ino) !== ino) fail(as + " is not what was granted");
  if (access === "read" && !mounts.get(as)?.includes("ro")) fail(as + " can be written");
}
try { process.chdir(order.cwd); } catch (cause) { fail(cause.message); }
fs.writeSync(2, order.word + "\\n");
const [program, ...args] = order.argv;
const stdin = order.stdinBytes === null ? "ignore" : "pipe";
const child = spawn(program, args, { env: order.env, stdio: [stdin, "inherit", "inherit", ...order.pipes.map(() => "pipe")] });
order.pipes.forEach((text, at) => child.stdio[FIRST_PIPE + at]?.on("error", () => {}).end(Buffer.from(text, "base64")));
child.once("error", (cause) => {
  fs.writeSync(2, program + ": " + cause.message + "\\n");
  process.exit(cause.code === "EACCES" ? 126 : 127);
});
let left = order.stdinBytes ?? 0;
let code = null;
const leave = () => { if (code !== null && left === 0) process.exit(code); };
child.once("exit", (own, signal) => {
  code = signal === null ? own : 128 + constants.signals[signal];
  process.stdin.resume();
  leave();
});
child.stdin?.on("error", () => {});
if (left === 0) child.stdin?.end();
process.stdin.on("data", (chunk) => {
  if (left === 0) return;
  left -= chunk.length;
  if (code === null && !child.stdin.destroyed) {
    if (child.stdin.write(chunk) === false && left > 0) {
      process.stdin.pause();
      child.stdin.once("drain", () => process.stdin.resume()).once("close", () => process.stdin.resume());
    }
    if (left === 0) child.stdin.end();
  }
  leave();
});
process.stdin.once("end", () => process.exit(129)).once("error", () => process.exit(129));
`;

/** A shell is the first process because it buries the dead of others; what it runs is fixed. */
const FIRST = `${SANDBOX_NODE} --max-old-space-size=64 --input-type=commonjs --eval "$1"; exit $?`;

/** With an environment of its own: that of the image and the engine ends here. The name can be seen from outside. */
export const starterCommand = (name: string): readonly string[] => [
  "/usr/bin/env",
  "-i",
  "/bin/sh",
  "-c",
  FIRST,
  name,
  PROGRAM,
];

export function starterInput(order: StarterOrder, stdin: Uint8Array | null): Buffer {
  const text = Buffer.from(JSON.stringify(order));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, stdin ?? Buffer.alloc(0)]);
}
