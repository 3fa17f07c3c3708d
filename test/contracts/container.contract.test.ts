import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CONFIG_SCHEMA, sandboxWords } from "#model";
import { createSandboxes, sweepSandboxes, type SandboxSettings } from "#sandbox";
import { startContainerEngine, type ContainerEngine } from "./container-engine.ts";
import { startLyingEngine, type Change } from "./lying-engine.ts";
import { CONFIG, tempFolder, timers } from "./sandbox-fixture.ts";

let engine: ContainerEngine;
beforeAll(async () => {
  engine = await startContainerEngine();
});
afterAll(() => engine.close());

type Container = Extract<SandboxSettings, { readonly backend: "docker" }>;

function sandboxesIn(folder: string, given: Partial<Container> = {}) {
  const workDir = join(folder, "data/sandbox/work");
  const sandboxes = createSandboxes({
    settings: { backend: "docker", workDir, baseImage: engine.image, engineSocket: engine.socket, ...given },
    own: [join(folder, "data")],
    host: { platform: process.platform, arch: process.arch, searchPath: "/usr/bin:/bin", node: process.execPath },
    randomness: { bytes: (count) => randomBytes(count) },
    timers,
  });
  onTestFinished(() => sandboxes.close());
  return sandboxes;
}

/** The reason and what was said, which must be the same wherever it is asked for. */
async function refusalIn(folder: string, given: Partial<Container>) {
  const sandboxes = sandboxesIn(folder, given);
  const support = await sandboxes.support();
  if (support.state === "ready") throw new Error("it is ready");
  expect(await sandboxes.open(CONFIG)).toEqual({ ok: false, error: { ...support, state: undefined } });
  return { reason: support.reason, ...sandboxWords(support) };
}

describe("containers are the configured image's, and where there are none nothing runs instead", () => {
  test("[SBX-11] without an engine or the image, and as root of Docker, nothing runs, with what helps", async () => {
    const folder = tempFolder();
    expect(CONFIG_SCHEMA.children.sandbox.children.base_image.fallback).toBe("node:24-slim");
    expect(await refusalIn(folder, { engineSocket: join(folder, "none") })).toMatchObject({
      reason: "engine_missing",
      what: expect.stringContaining(join(folder, "none")),
      fix: expect.stringContaining("sandbox.engine_socket"),
    });
    expect(await refusalIn(folder, { baseImage: "node:24-slim" })).toMatchObject({
      reason: "image_missing",
      what: expect.stringContaining("podman pull node:24-slim"),
    });
    const docker = await startFake(join(folder, "docker.sock"));
    onTestFinished(() => void docker.close());
    // Where Silas is not root there is only no image.
    expect(await refusalIn(folder, { engineSocket: join(folder, "docker.sock") })).toMatchObject({
      reason: process.getuid?.() === 0 ? "engine_wants_user" : "image_missing",
    });
    expect(engine.containers()).toEqual([]);
  });

  test("[SBX-11] the image is the configured one, and `doctor` can tell engine, socket and image", async () => {
    const support = await sandboxesIn(tempFolder()).support();
    expect(support).toMatchObject({ state: "ready", backend: "docker" });
    const { version } = support as Extract<typeof support, { readonly state: "ready" }>;
    expect(version).toMatch(/^podman \d+\.\d+\.\d+ at \//);
    expect(version).toContain(engine.socket);
    expect(version).toContain(engine.image);
  });
});

describe("an engine that makes another container than was asked for is found out before the program begins", () => {
  const lies: readonly (readonly [says: RegExp, change: Change])[] = [
    [/has a network/, (order) => (order["netns"] = { nsmode: "host" })],
    [/root of the container can be written/, (order) => (order["read_only_filesystem"] = false)],
    [/no filter of system calls/, (order) => (order["seccomp_profile_path"] = "unconfined")],
    [/has capabilities/, (order) => ((order["cap_drop"] = []), (order["cap_add"] = ["SYS_ADMIN"]))],
    [/may gain rights/, (order) => (order["no_new_privileges"] = false)],
    [/runs as root/, (order) => (order["user"] = "0:0")],
    [/is not what was granted/, (order) => changeMount(order, "/workspace", { source: "/etc" })],
    [
      /\/opt\/silas\/bin\/node can be written/,
      (order) => changeMount(order, "/opt/silas/bin/node", { options: ["bind"] }),
    ],
  ];

  test("[SBX-09] whatever it leaves out, and no container stays", async () => {
    const folder = tempFolder();
    const lying = await startLyingEngine(engine.socket, join(folder, "engine.sock"));
    onTestFinished(() => lying.close());
    for (const [says, change] of lies) {
      lying.lie(change);
      expect(await refusalIn(folder, { engineSocket: lying.socket })).toMatchObject({
        reason: "engine_refused",
        what: expect.stringMatching(says),
      });
    }
    expect(engine.containers()).toEqual([]);
  });
});

/** Says that it is Docker, and has nothing. */
async function startFake(socket: string) {
  const server = createServer((asked, answer) => {
    answer.writeHead(asked.url === "/_ping" ? 200 : 404, { server: "Docker/27.1.1 (linux)" }).end();
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return server;
}

type Mount = { readonly destination: string };
function changeMount(order: Record<string, unknown>, destination: string, change: object): void {
  order["mounts"] = (order["mounts"] as readonly Mount[]).map((mount) =>
    mount.destination === destination ? { ...mount, ...change } : mount,
  );
}

test("[SBX-02] a program ends with the Silas that is killed, and the next start removes its container and workspace", async () => {
  const folder = tempFolder();
  const workDir = join(folder, "work");
  const mark = `mark-${randomBytes(8).toString("hex")}`;
  const args = [
    fileURLToPath(new URL("container-victim.ts", import.meta.url)),
    workDir,
    engine.socket,
    engine.image,
    mark,
  ];
  const victim = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(victim.stdout, "data");
  expect(living(mark).length).toBeGreaterThan(0);
  victim.kill("SIGKILL");
  await once(victim, "exit");
  await expect.poll(() => living(mark)).toEqual([]);
  expect(engine.containers()).toHaveLength(1);
  const settings = { backend: "docker", workDir, baseImage: engine.image, engineSocket: engine.socket } as const;
  // Another Silas has another folder, and leaves it alone.
  await sweepSandboxes({ ...settings, workDir: join(folder, "other") });
  expect(engine.containers()).toHaveLength(1);
  await sweepSandboxes(settings);
  expect(engine.containers()).toEqual([]);
  expect(readdirSync(workDir)).toEqual([]);
});

test("[SBX-06] a folder that holds the socket of the engine cannot be granted", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "grant"));
  const lying = await startLyingEngine(engine.socket, join(folder, "grant/engine.sock"));
  onTestFinished(() => lying.close());
  const sandboxes = sandboxesIn(folder, { engineSocket: lying.socket });
  const opened = await sandboxes.open({ ...CONFIG, readPaths: [{ path: join(folder, "grant"), as: "/grant" }] });
  expect(opened).toMatchObject({ ok: false, error: { code: "sandbox_path_refused", reason: "holds_silas" } });
});

/** Processes of this machine that hold the mark in their environment. */
const living = (mark: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
