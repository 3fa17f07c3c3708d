import type { SandboxRun } from "#model";
import { node, perl, shell, textOf, type Attempt } from "./attempt.ts";

const MIB = 1024 * 1024;

const endsAt =
  (...which: readonly string[]) =>
  ({ end }: SandboxRun): string | null =>
    end.kind === "limit" && which.includes(end.which) ? null : `ended by ${JSON.stringify(end)}`;

const keeps =
  (bytes: number) =>
  (run: SandboxRun): string | null =>
    run.stdout.bytes.length === bytes && run.stdout.isTruncated ? null : `kept ${run.stdout.bytes.length} bytes`;

/** Ways to use more of the machine than was granted. */
export const LIMIT_ATTEMPTS: readonly Attempt[] = [
  {
    name: "take all memory in one process",
    limits: { memoryMb: 128 },
    command: () =>
      // Keeps it for a while: one that goes on taking is ended by the kernel, if Silas looks too late.
      node(`globalThis.kept = Buffer.alloc(${256 * MIB}, 1); setTimeout(() => escaped("took it"), 90_000);`),
    judge: endsAt("memory"),
  },
  {
    name: "take all memory in many processes",
    limits: { memoryMb: 128 },
    needs: "/usr/bin/perl",
    command: () =>
      perl(`for (1..8) { next if fork; my $kept = "x" x ${32 * MIB}; sleep 90; exit } sleep 90; print "ESCAPED\\n";`),
    judge: endsAt("memory"),
  },
  {
    name: "fill the disk with one file",
    limits: { fileBytes: 8 * MIB },
    command: () => shell("head -c 60000000 /dev/zero > big && echo ESCAPED"),
    judge: (run) =>
      run.end.kind === "limit" || (run.end.kind === "exit" && run.end.code !== 0)
        ? null
        : `ended by ${JSON.stringify(run.end)}`,
  },
  {
    name: "fill the disk with many files",
    limits: { fileBytes: 8 * MIB },
    command: () =>
      shell("for i in 1 2 3 4 5 6 7 8 9; do head -c 4000000 /dev/zero > f$i; sleep 0.1; done; sleep 90; echo ESCAPED"),
    judge: endsAt("files"),
  },
  {
    name: "fill /tmp",
    limits: { memoryMb: 64 },
    command: () =>
      shell("head -c 100000000 /dev/zero > /tmp/x 2>/dev/null && echo ESCAPED || { rm -f /tmp/x; echo HELD; }"),
  },
  {
    name: "compute for ever",
    limits: { cpuSeconds: 1 },
    command: () => shell("while :; do :; done"),
    judge: endsAt("cpu"),
  },
  {
    name: "compute for ever deaf to the warning",
    limits: { cpuSeconds: 1 },
    command: () => shell("trap '' XCPU; while :; do :; done"),
    // If Silas looks too late, the kernel's second figure has ended it.
    judge: (run) => (run.end.kind === "signal" && run.end.signal === "SIGKILL" ? null : endsAt("cpu")(run)),
  },
  {
    name: "compute for ever in many processes",
    limits: { cpuSeconds: 1 },
    command: () => shell("for i in 1 2 3 4; do while :; do :; done & done; wait; sleep 90; echo ESCAPED"),
    judge: endsAt("cpu"),
  },
  {
    name: "print without end",
    limits: { outputBytes: 10_000 },
    command: () => ({ argv: ["/usr/bin/yes"] }),
    judge: (run) => endsAt("output")(run) ?? keeps(10_000)(run),
  },
  {
    name: "print one line without end",
    limits: { outputBytes: 10_000 },
    command: () => shell("head -c 5000000 /dev/zero | tr '\\0' x"),
    judge: keeps(10_000),
  },
  {
    name: "print bytes that are no text",
    command: () => perl(`print map { chr } 0..255; print "\\nHELD\\n"`),
    needs: "/usr/bin/perl",
    judge: ({ stdout }) =>
      stdout.bytes.length === 262 && stdout.bytes.subarray(0, 256).every((byte, at) => byte === at)
        ? null
        : `kept ${textOf(stdout).length} characters`,
  },
  {
    name: "open files without end",
    command: () =>
      node(
        `let n = 0; try { for (; n < 5000; n++) fs.openSync("/dev/null"); } catch (e) { held(n + " " + e.code); } escaped("opened " + n);`,
      ),
  },
];
