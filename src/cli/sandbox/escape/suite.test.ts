import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ok } from "#base";
import type { SandboxRun } from "#model";
import type { SandboxCommand, Sandboxes } from "#ports";
import { SANDBOX_NODE } from "#sandbox";
import type { Attempt } from "./attempt.ts";
import { ATTEMPTS, runSuite } from "./suite.ts";

/** A sandbox that isolates nothing: it runs the program as it is, with the environment of this process. */
function openSandboxes(folder: string): Sandboxes {
  return {
    support: async () => ({ state: "ready", backend: "subprocess", version: "none at all" }),
    open: async ({ env }) =>
      ok({
        id: "open",
        workspace: folder,
        run: async (command) => ok(await runPlainly(command, { folder, env })),
        close: async () => {},
      }),
    close: async () => {},
  };
}

type Place = { readonly folder: string; readonly env: Readonly<Record<string, string>> };

function runPlainly({ argv, env }: SandboxCommand, place: Place): Promise<SandboxRun> {
  const [program = "", ...args] = argv.map((word) => (word === SANDBOX_NODE ? process.execPath : word));
  const child = spawn(program, args, { cwd: place.folder, env: { ...process.env, ...place.env, ...env } });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const nothing = { bytes: new Uint8Array(), isTruncated: false };
  return new Promise((resolve) => {
    child.on("close", (code) =>
      resolve({
        end: { kind: "exit", code: code ?? 1 },
        stdout: { bytes: Buffer.concat(chunks), isTruncated: false },
        stderr: nothing,
        durationMs: 0,
      }),
    );
  });
}

/** Those that harm nobody when they succeed. */
const HARMLESS = [
  "connect to a server on 127.0.0.1",
  "connect to 0.0.0.0, which means this machine too",
  "connect to localhost by name",
  "send a datagram to 127.0.0.1",
  "connect to a socket file of this machine",
  "connect to an abstract socket",
  "write outside by its path",
  "read the database of approvals",
  "read the key of the vault",
  "read another workspace",
  "find homes of people",
  "find variables of the parent in its own environment",
  "read the environment of a process of this machine",
  "see processes of this machine",
  "end a process of this machine",
  "make a file that runs as its owner by chmod",
  "make a file that runs as its group by openat",
];

test("a sandbox that isolates nothing is found out by each attempt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "silas-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["silas.db", "vault.key"]) writeFileSync(join(folder, name), "own");
  for (const name of HARMLESS) {
    const attempts = ATTEMPTS.filter((attempt) => attempt.name === name);
    const outcomes = await runSuite({
      sandboxes: openSandboxes(folder),
      attempts,
      own: [folder, folder],
      mark: "a mark that nobody else has 7f3a",
      onOutcome: () => {},
    });
    expect(outcomes.map(({ state }) => `${name}: ${state}`)).toEqual([`${name}: escaped`]);
  }
});

test("an attempt that proves nothing does not count as held, and one that cannot be made says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "silas-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const attempts: readonly Attempt[] = [
    { name: "says nothing", command: () => ({ argv: ["/bin/true"] }) },
    { name: "is not there", command: () => ({ argv: ["/bin/sh", "-c", "no-such-program"] }) },
    { name: "needs more", needs: "/no/such/program", command: () => ({ argv: ["/bin/true"] }) },
    { name: "holds", command: () => ({ argv: ["/bin/echo", "HELD"] }) },
  ];
  const own: readonly string[] = [folder, folder];
  const parts = { sandboxes: openSandboxes(folder), attempts, own, mark: "another mark 91c2", onOutcome: () => {} };
  const outcomes = await runSuite(parts);
  expect(outcomes.map(({ state }) => state)).toEqual(["escaped", "escaped", "not_tried", "held"]);
});

test("there are more than a hundred, each with a name of its own", () => {
  expect(ATTEMPTS.length).toBeGreaterThan(100);
  expect(new Set(ATTEMPTS.map(({ name }) => name)).size).toBe(ATTEMPTS.length);
});
