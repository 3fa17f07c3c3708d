import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLogLines, openLogFile } from "./log-file.ts";
import { AT, fixedClock, tempDir } from "./store.fixture.ts";

test("a line holds its event and allowed facts; words of people and keys are dropped by name", async () => {
  const stateDir = tempDir();
  const log = await openLogFile({ stateDir, clock: fixedClock });
  log.warn("request_refused", {
    errorId: "e-1",
    path: "/api/search?q=my+secret#frag",
    status: 403,
    token: "silas_123",
    authorization: "Bearer silas_123",
    cookie: "silas_123",
    password: "silas_123",
    notes: "silas_123",
    text: "silas_123",
    id: { token: "silas_123" },
    detail: "x".repeat(5000),
  });
  log.close();
  const path = join(stateDir, "logs", "silas.log");
  const text = readFileSync(path, "utf8");
  expect(JSON.parse(text)).toEqual({
    level: "warn",
    at: AT,
    error_id: "e-1",
    path: "/api/search",
    status: 403,
    id: "[object]",
    detail: "x".repeat(300),
    dropped: ["token", "authorization", "cookie", "password", "notes", "text"],
    event: "request_refused",
  });
  expect(text).not.toContain("silas_123");
  expect([join(stateDir, "logs"), path].map((name) => (statSync(name).mode & 0o777).toString(8))).toEqual([
    "700",
    "600",
  ]);
});

test("a cause is told by name, code and message, and never breaks a line", async () => {
  const stateDir = tempDir();
  const log = await openLogFile({ stateDir, clock: fixedClock });
  log.error("failed", { cause: Object.assign(new Error("two\nlines"), { code: "ENOSPC" }) });
  log.error("failed", { cause: { code: "store_busy", secret: "x" } });
  log.close();
  const lines = readFileSync(join(stateDir, "logs", "silas.log"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).cause)).toMatchObject([
    { name: "Error", code: "ENOSPC", message: "two\nlines" },
    { code: "store_busy" },
  ]);
  expect(lines[1]).not.toContain("secret");
});

test("a file is filled to its last byte, and a line that is longer than a file has one of its own", async () => {
  const stateDir = tempDir();
  const logs = join(stateDir, "logs");
  const sizeOf = (name: string): number => statSync(join(logs, name)).size;
  const once = await openLogFile({ stateDir, clock: fixedClock });
  once.info("step", { id: "one" });
  once.close();
  const lineBytes = sizeOf("silas.log");
  const log = await openLogFile({ stateDir, clock: fixedClock, fileBytesMax: 2 * lineBytes });
  log.info("step", { id: "two" });
  expect(readdirSync(logs)).toEqual(["silas.log"]);
  log.info("step", { id: "six" });
  expect([sizeOf("silas.log.1"), sizeOf("silas.log")]).toEqual([2 * lineBytes, lineBytes]);
  log.close();
  const tight = await openLogFile({ stateDir: join(stateDir, "tight"), clock: fixedClock, fileBytesMax: 10 });
  tight.info("step", { id: "one" });
  expect(readdirSync(join(stateDir, "tight", "logs"))).toEqual(["silas.log"]);
  tight.close();
  tight.info("late", { id: "one" });
  expect(await findLogLines({ stateDir: join(stateDir, "tight"), id: "one" })).toHaveLength(1);
});

test("full files are rotated, the oldest goes, and lines are found by id over all of them", async () => {
  const stateDir = tempDir();
  const log = await openLogFile({ stateDir, clock: fixedClock, fileBytesMax: 1000 });
  for (let index = 0; index < 100; index += 1) log.info("step", { request_id: `r-${index}`, step: index });
  log.close();
  const files = readdirSync(join(stateDir, "logs")).toSorted();
  expect(files).toEqual(["silas.log", "silas.log.1", "silas.log.2", "silas.log.3", "silas.log.4"]);
  for (const name of files) expect(statSync(join(stateDir, "logs", name)).size).toBeLessThanOrEqual(1000);
  expect(await findLogLines({ stateDir, id: "r-0" })).toEqual([]);
  expect(await findLogLines({ stateDir, id: "r-9" })).toEqual([]);
  const found = await findLogLines({ stateDir, id: "r-99" });
  expect(found.map((line) => JSON.parse(line).step)).toEqual([99]);
});
