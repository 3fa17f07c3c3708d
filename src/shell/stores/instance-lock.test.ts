import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { acquireInstanceLock, readInstance, type Instance } from "./instance-lock.ts";
import { AT, must, mustFail, tempDir } from "./store.fixture.ts";

const instance: Instance = { pid: 7, url: "http://localhost:1", cli_token: "secret", started_at: AT, version: "0.1.0" };

test("one process holds a data directory; the second learns where the first is", () => {
  const dataDir = join(tempDir(), "data");
  expect(must(readInstance(dataDir))).toEqual({ state: "none" });
  const lock = must(acquireInstanceLock(dataDir));
  expect(must(readInstance(dataDir))).toEqual({ state: "live", instance: null });
  must(lock.publish(instance));
  for (const name of ["instance.json", "instance.lock"])
    expect((statSync(join(dataDir, name)).mode & 0o777).toString(8)).toBe("600");
  expect(mustFail(acquireInstanceLock(dataDir))).toEqual({ code: "instance_running", instance });
  expect(must(readInstance(dataDir))).toEqual({ state: "live", instance });
  lock.release();
  lock.release();
  expect(must(readInstance(dataDir))).toEqual({ state: "none" });
  expect(existsSync(join(dataDir, "instance.json"))).toBe(false);
  must(acquireInstanceLock(dataDir)).release();
});

test("a killed process leaves no lock, and what it published is told apart as stale", async () => {
  const dataDir = join(tempDir(), "data");
  const script = `
    import { acquireInstanceLock } from ${JSON.stringify(fileURLToPath(new URL("instance-lock.ts", import.meta.url)))};
    const lock = acquireInstanceLock(${JSON.stringify(dataDir)});
    lock.value.publish(${JSON.stringify(instance)});
    console.log("held");
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  expect(must(readInstance(dataDir))).toEqual({ state: "live", instance });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(must(readInstance(dataDir))).toEqual({ state: "stale", instance });
  must(acquireInstanceLock(dataDir)).release();
});

test("a published file that is garbage never hides that someone runs", () => {
  const dataDir = tempDir();
  const lock = must(acquireInstanceLock(dataDir));
  writeFileSync(join(dataDir, "instance.json"), '{"pid":');
  expect(must(readInstance(dataDir))).toEqual({ state: "live", instance: null });
  lock.release();
});
