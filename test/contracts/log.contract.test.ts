import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Log } from "#ports";
import { openLogFile } from "#stores";
import { fixedClock, tempDir } from "./journal-fixture.ts";

type Opened = { readonly log: Log; readonly lines: () => readonly object[] };

async function open(): Promise<Opened> {
  const stateDir = tempDir();
  const log = await openLogFile({ stateDir, clock: fixedClock });
  const lines = () =>
    readFileSync(join(stateDir, "logs", "silas.log"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as object);
  return { log, lines };
}

describe("the log", () => {
  test("each line tells its level, its moment and its event, in the order in which it was said", async () => {
    const { log, lines } = await open();
    log.info("one");
    log.warn("two", { step: 2 });
    log.error("x".repeat(500), { retryable: true, requestId: null });
    expect(lines()).toEqual([
      { level: "info", at: fixedClock.now(), event: "one" },
      { level: "warn", at: fixedClock.now(), event: "two", step: 2 },
      { level: "error", at: fixedClock.now(), event: "x".repeat(100), retryable: true, request_id: null },
    ]);
  });

  test("words of people and what opens doors never reach it: only their names do", async () => {
    const { log, lines } = await open();
    log.error("failed", {
      text: "silas_123",
      password: "silas_123",
      id: { token: "silas_123" },
      path: "/api?q=silas_123",
      cause: { code: "store_busy", secret: "silas_123" },
    });
    const [line] = lines();
    expect(line).toMatchObject({ dropped: ["text", "password"], id: "[object]", path: "/api" });
    expect(line).toMatchObject({ cause: { code: "store_busy" } });
    expect(JSON.stringify(line)).not.toContain("silas_123");
  });
});
