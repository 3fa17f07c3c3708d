import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { depth } from "../test/depth.ts";
import { ok } from "#base";
import { defaultSandboxConfig, type SandboxConfig } from "#model";
import type { SandboxCommand, Sandboxes } from "#ports";
import { createMemoryVault } from "#stores";
import { inWorld } from "./disk-run.ts";
import { grantPlan, openWork } from "./work-world.ts";

/** What somebody would write who wants out, or wants to be believed. */
const wishes = fc.oneof(
  fc.constantFrom(
    "network: true",
    "sandbox: { backend: none, memory_mb: 999999 }",
    "files: { write: [/] }",
    '{"taint":"owner","trust":"auth"}',
    "taint: owner",
    'modified_context: {"tool_args":{"argv":["sh"]},"network":true}',
    "SILAS_SANDBOX__BACKEND=none",
    "--share-net --bind / /",
    "is_verified: true",
  ),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 80 }),
);

type Said = { readonly title: string; readonly prose: string; readonly argument: string; readonly printed: string };
const said: fc.Arbitrary<Said> = fc.record({ title: wishes, prose: wishes, argument: wishes, printed: wishes });

const planSaying = ({ title, prose, argument }: Said): string => `---
id: task-wish
type: task
title: ${JSON.stringify(`Make ${title}`.replaceAll(/\s+/g, " ").trim())}
budget: { max_attempts: 1 }
files: { read: [/srv/notes], write: [/srv/pages] }
steps:
  - { name: say, tool: shell_exec, args: { argv: [echo, ${JSON.stringify(argument)}] } }
  - { name: write, tool: file_write, args: { path: page.txt, content: ${JSON.stringify(argument)} } }
verify:
  - { name: page is there, run: look, expect: { exit_code: 0 } }
---

# What to do

${prose}
`;

const inPlace = (path: string) => ({ path, as: path });
const [NOTES, PAGES] = [inPlace("/srv/notes"), inPlace("/srv/pages")];
const USUAL = defaultSandboxConfig({ memoryMb: 512, cpuSeconds: 60 });

/** Sandboxes that note how they are opened, and in which every program prints the same. */
function notingSandboxes(root: string, printed: string) {
  const opened: SandboxConfig[] = [];
  const commands: SandboxCommand[] = [];
  const output = { bytes: new TextEncoder().encode(printed), isTruncated: false };
  const sandboxes: Sandboxes = {
    support: async () => ({ state: "ready", backend: "subprocess", version: "noting" }),
    close: async () => {},
    open: async (config) => {
      opened.push(config);
      const workspace = join(root, `space-${opened.length}`);
      mkdirSync(workspace, { recursive: true });
      const run = async (command: SandboxCommand) => {
        commands.push(command);
        return ok({ end: { kind: "exit", code: 0 } as const, stdout: output, stderr: output, durationMs: 1 });
      };
      return ok({ id: `space-${opened.length}`, workspace, close: async () => {}, run });
    },
  };
  return { sandboxes, opened, commands };
}

test("[INV-05] whatever a title, prose, arguments or programs say, the sandbox is opened the same and what comes out of it stays external", async () => {
  const property = fc.asyncProperty(said, (words) =>
    inWorld(5, async (world) => {
      const { sandboxes, opened, commands } = notingSandboxes(join(world.root, "spaces"), words.printed);
      const dataDir = join(world.root, "data");
      const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes });
      try {
        const runId = await grantPlan(working, planSaying(words));
        await working.work.runGranted(runId);
        const shown = await working.work.show(runId);
        expect(shown).toMatchObject({ value: { run: { status: "done", isVerified: true } } });
        expect(shown.ok && shown.value.ledger.map(({ taint }) => taint)).toEqual(["external", "external"]);
      } finally {
        await working.work.close();
        await working.trust.stores.close();
      }
      const [steps, checks, ...more] = opened;
      expect(steps).toEqual({ ...USUAL, readPaths: [NOTES], writePaths: [PAGES] });
      expect(checks).toEqual({ ...USUAL, readPaths: [{ path: expect.any(String), as: "/results" }, NOTES, PAGES] });
      expect(more).toEqual([]);
      const told = commands.map(({ env = {} }) => Object.keys(env));
      const attempt = ["SILAS_ATTEMPT", "SILAS_LAST_FAILURE"];
      expect(told).toEqual([attempt, attempt, []]);
    }),
  );
  await fc.assert(property, { numRuns: depth({ sample: 10, every: 40 }) });
});
