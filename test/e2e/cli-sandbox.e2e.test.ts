import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startContainerEngine } from "../contracts/container-engine.ts";
import { createHome, ROOT, type Home } from "./cli-process.ts";

type Report = {
  readonly ok: boolean;
  readonly held: number;
  readonly escaped: number;
  readonly not_tried: number;
  readonly refused?: { readonly reason: string; readonly what: string; readonly fix: string };
  readonly attempts: readonly { readonly name: string; readonly state: string; readonly detail: string | null }[];
};

function home(): Home {
  const made = createHome();
  onTestFinished(() => made.remove());
  return made;
}

// A busy machine needs a minute for all of them.
test("every attempt to break out is held, and nothing of it is left", async () => {
  const own = home();
  const report = await own.json<Report>(["sandbox", "test", "--json"]);
  expect(report.attempts.filter(({ state }) => state === "escaped")).toEqual([]);
  expect(report.ok).toBe(true);
  expect(report.held).toBeGreaterThan(60);
  expect(readdirSync(join(own.dir, "data/sandbox/work"))).toEqual([]);
});

test("without bubblewrap nothing runs, and both doors say why and what helps", async () => {
  const own = home();
  const env = { PATH: join(own.dir, "empty") };
  const said = await own.silas(["sandbox", "test"], { env });
  expect(said).toMatchObject({ code: 1, out: "" });
  expect(said.err).toContain("bubblewrap is not installed");
  expect(said.err).toContain("apt-get install bubblewrap");
  const asked = await own.silas(["sandbox", "test", "--json"], { env });
  expect(asked.code).toBe(1);
  expect(JSON.parse(asked.out)).toMatchObject({ ok: false, refused: { reason: "bwrap_missing" }, attempts: [] });
  const doctor = await own.silas(["doctor"], { env });
  expect(doctor.out).toMatch(/warn +sandbox +no program of a plan can run: bubblewrap is not installed/);
});

test("without an engine containers are refused with the fix, and `doctor` tells which sandbox is in use", async () => {
  const own = home();
  const env = { SILAS_SANDBOX__BACKEND: "docker", SILAS_SANDBOX__ENGINE_SOCKET: join(own.dir, "none.sock") };
  const asked = await own.silas(["sandbox", "test"], { env });
  expect(asked.code).toBe(1);
  expect(asked.err).toContain("neither Docker nor Podman answers");
  expect(asked.err).toContain("name its socket in sandbox.engine_socket");
  expect((await own.silas(["doctor"])).out).toMatch(/ok +sandbox +bubblewrap \d/);
  // A look makes no data directory.
  expect(existsSync(join(own.dir, "data"))).toBe(false);
});

test("with an engine `silas run` runs a plan in a container: in the system of its image, without this machine's files or network, and nothing is left", async () => {
  const engine = await startContainerEngine();
  onTestFinished(() => engine.close());
  const own = home();
  const env = {
    SILAS_SANDBOX__BACKEND: "docker",
    SILAS_SANDBOX__ENGINE_SOCKET: engine.socket,
    SILAS_SANDBOX__BASE_IMAGE: engine.image,
  };
  await own.silas(["init"], { env });
  const file = join(own.dir, "plan.md");
  const look = `sh -c "ls -d ${own.dir} /sys/class/net/*; cat /etc/passwd"`;
  writeFileSync(
    file,
    `---
id: task-contained
type: task
title: Look around
steps:
  - { name: look, run: '${look}' }
---

# What to do

Look around.
`,
  );
  const proposed = await own.silas(["plan", "propose", file, "--json"], { env });
  const { plan_hash: hash } = (JSON.parse(proposed.out) as { readonly request: { readonly plan_hash: string } })
    .request;
  const ran = await own.silas(["run", file, "--hash", hash, "--json"], { env });
  expect(ran.code).toBe(0);
  const { ledger } = JSON.parse(ran.out) as { readonly ledger: readonly { readonly return_value: string }[] };
  expect(ledger.map(({ return_value: said }) => said)).toEqual([
    "root:x:0:0::/:/bin/sh\nsandbox:x:1000:1000::/workspace:/bin/sh\n",
  ]);
  expect(engine.containers()).toEqual([]);
});

test("a start removes the workspaces of a Silas that was killed; its programs ended with it", async () => {
  const own = home();
  const env = { PATH: process.env["PATH"], HOME: own.dir, SILAS_HOME: own.dir };
  const killed = spawn(process.execPath, [join(ROOT, "src/main.ts"), "sandbox", "test"], { env, cwd: own.dir });
  let said = "";
  killed.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const workDir = join(own.dir, "data/sandbox/work");
  await expect.poll(() => said).toContain("connect to a server on ::1");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const left = readdirSync(workDir);
  expect(left.length).toBeGreaterThan(0);
  // Not ours by name, so not ours to remove.
  mkdirSync(join(workDir, "notes"));
  writeFileSync(join(workDir, "notes/kept"), "");
  await expect.poll(() => processesIn(workDir)).toEqual([]);
  await own.silas(["init"]);
  const started = await own.start();
  expect(started.output()).toContain("http://localhost");
  expect(readdirSync(workDir)).toEqual(["notes"]);
});

/** Processes of this machine that have the folder mounted, as a sandbox over a workspace in it has. */
function processesIn(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(folder);
    } catch {
      return false;
    }
  });
}
