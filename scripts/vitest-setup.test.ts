import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, toolCommand } from "./tools.ts";

// A PATH with everything but bubblewrap; without apt nothing is installed either.
const path = mkdtempSync(join(tmpdir(), "silas-path-"));
beforeAll(() => {
  for (const name of ["prlimit", "podman", "runc", "chromium"]) symlinkSync("/bin/true", join(path, name));
});
afterAll(() => rmSync(path, { recursive: true, force: true }));

const run = (command: readonly string[]) =>
  spawnSync(process.execPath, command, { cwd: ROOT, encoding: "utf8", env: { ...process.env, PATH: path } });

test.each([
  ["vitest", [toolCommand("vitest"), "run", "--project=unit", "scripts/system-packages.test.ts"]],
  ["vitest for the terminal", [toolCommand("vitest"), "run", "--project=terminal"]],
  ["`npm run check`", ["scripts/check.ts"]],
  ["`npm test`", ["scripts/check.ts", "--with=e2e"]],
  ["`npm run soak`", ["scripts/soak.ts"]],
  ["`npm run e2e`", ["scripts/e2e.ts"]],
])("%s without bubblewrap runs no test and says in one sentence what to install", (_, command) => {
  const { status, stdout, stderr } = run(command);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The tests need bubblewrap \(bwrap\); install [^\n]*\n$/);
  expect(stdout).not.toMatch(/✓|ok {2}|passed/u);
});
