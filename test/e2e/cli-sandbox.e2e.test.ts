import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
test("every attempt to break out is held, and nothing of it is left", { timeout: 400_000 }, async () => {
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

test("docker is refused with the fix, and `doctor` tells which sandbox is in use", async () => {
  const own = home();
  const asked = await own.silas(["sandbox", "test"], { env: { SILAS_SANDBOX__BACKEND: "docker" } });
  expect(asked.code).toBe(1);
  expect(asked.err).toContain("set sandbox.backend to subprocess");
  expect((await own.silas(["doctor"])).out).toMatch(/ok +sandbox +bubblewrap \d/);
  // A look makes no data directory.
  expect(existsSync(join(own.dir, "data"))).toBe(false);
});

test("a start removes the workspaces of a Silas that was killed; its programs ended with it", async () => {
  const own = home();
  const env = { PATH: process.env["PATH"], HOME: own.dir, SILAS_HOME: own.dir };
  const killed = spawn(process.execPath, [join(ROOT, "src/main.ts"), "sandbox", "test"], { env, cwd: own.dir });
  let said = "";
  killed.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const workDir = join(own.dir, "data/sandbox/work");
  await expect.poll(() => said, { timeout: 60_000 }).toContain("connect to a server on ::1");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const left = readdirSync(workDir);
  expect(left.length).toBeGreaterThan(0);
  // Not ours by name, so not ours to remove.
  mkdirSync(join(workDir, "notes"));
  writeFileSync(join(workDir, "notes/kept"), "");
  await expect.poll(() => processesIn(workDir), { timeout: 60_000 }).toEqual([]);
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
