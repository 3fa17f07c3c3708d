import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxWords } from "#model";
import { CONFIG, HOST, optionsIn, sandboxesIn, tempFolder } from "./sandbox.fixture.ts";
import type { SandboxesOptions } from "./sandboxes.ts";

/** A machine whose bubblewrap is this script. */
function withBwrap(folder: string, script: string): Partial<SandboxesOptions> {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin", "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bin", "bwrap"), 0o755);
  return { host: { ...HOST, searchPath: join(folder, "bin") } };
}

/** Says what a good one says of itself, and then does something else. */
const PRETENDING = `case "$1" in --version) echo bubblewrap 0.11.0; exit;; --help) echo "--ro-bind-fd FD DEST"; exit;; esac`;

async function refusalOf(folder: string, given: Partial<SandboxesOptions>) {
  const sandboxes = sandboxesIn(folder, given);
  const support = await sandboxes.support();
  const opened = await sandboxes.open(CONFIG);
  expect(opened.ok).toBe(false);
  if (opened.ok || support.state === "ready") return null;
  // The same in both places, with words and a fix, and no workspace left behind.
  expect({ state: "refused", ...opened.error }).toEqual(support);
  expect(sandboxWords(support)).toEqual({ what: expect.stringMatching(/\w/), fix: expect.stringMatching(/\w/) });
  const { workDir } = optionsIn(folder, given).settings;
  expect(existsSync(workDir) ? readdirSync(workDir) : []).toEqual([]);
  return support.reason;
}

describe("[SBX-09] where isolation cannot be enforced nothing runs, with the reason", () => {
  test("without bubblewrap", async () => {
    const folder = tempFolder();
    expect(await refusalOf(folder, { host: { ...HOST, searchPath: folder } })).toBe("bwrap_missing");
    expect(await refusalOf(folder, { host: { ...HOST, searchPath: "" } })).toBe("bwrap_missing");
    expect(await refusalOf(folder, { host: { ...HOST, searchPath: "bin:." } })).toBe("bwrap_missing");
  });

  test("with one that is not allowed to make namespaces", async () => {
    const folder = tempFolder();
    const given = withBwrap(folder, `${PRETENDING}\necho "bwrap: No permissions to create new namespace" >&2; exit 1`);
    expect(await refusalOf(folder, given)).toBe("namespaces_refused");
    const support = await sandboxesIn(folder, given).support();
    expect(support).toMatchObject({ detail: "bwrap: No permissions to create new namespace" });
  });

  test("with one that cannot bind an opened folder, or cannot be asked", async () => {
    const folder = tempFolder();
    expect(await refusalOf(folder, withBwrap(folder, "echo bubblewrap 0.4.0"))).toBe("bwrap_too_old");
    expect(await refusalOf(folder, withBwrap(folder, "exit 3"))).toBe("namespaces_refused");
  });

  test("with one that runs programs without isolating them: its silence about the program is not taken for success", async () => {
    const folder = tempFolder();
    expect(await refusalOf(folder, withBwrap(folder, `${PRETENDING}\nexit 0`))).toBe("namespaces_refused");
  });

  test("on another system or processor, and where no workspace can be made", async () => {
    const folder = tempFolder();
    expect(await refusalOf(folder, { host: { ...HOST, platform: "darwin" } })).toBe("not_linux");
    expect(await refusalOf(folder, { host: { ...HOST, platform: "win32" } })).toBe("not_linux");
    expect(await refusalOf(folder, { host: { ...HOST, arch: "riscv64" } })).toBe("processor_unknown");
    writeFileSync(join(folder, "file"), "");
    const settings = { backend: "subprocess", workDir: join(folder, "file", "work") } as const;
    const support = await sandboxesIn(folder, { settings }).support();
    expect(support).toMatchObject({ state: "refused", reason: "work_dir_unusable" });
  });
});
