import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import { createAuditRules } from "#policy";
import { createSeeded, createVirtualClock } from "#sim";
import { openRuntime } from "../open-stores.ts";
import { OVER_SQL } from "./approval-store.ts";
import { DIGEST_SQL } from "./digest.ts";

async function openFile(): Promise<DatabaseSync> {
  const dataDir = mkdtempSync(join(tmpdir(), "silas-digest-"));
  const clock = createVirtualClock(1_794_729_600_000);
  const auditRules = createAuditRules(sha256Hex);
  const opened = await openRuntime({ dataDir, clock, random: createSeeded(1), auditRules });
  if (!opened.ok) throw new Error(opened.error.code);
  opened.value.close();
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => {
    database.close();
    rmSync(dataDir, { recursive: true });
  });
  return database;
}

test("every list is read in its order from an index alone, so that long cards and old decisions cost nothing", async () => {
  const database = await openFile();
  for (const [name, sql] of Object.entries(DIGEST_SQL)) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all({ limit: 10 }) as { readonly detail: string }[];
    const details = plan.map(({ detail }) => detail).join("; ");
    expect(details, name).toMatch(/USING COVERING INDEX pending_decisions_(rows|decided|weighed)/);
    expect(details, name).not.toMatch(/TEMP B-TREE/);
    for (const { detail } of plan) expect(detail, name).not.toMatch(/^SCAN (?!.*COVERING INDEX)/);
  }
});

test("what has run out of time is found without a look at what still waits", async () => {
  const database = await openFile();
  const at = "2026-11-15T21:00:00.000Z";
  const [step, ...rest] = database.prepare(`EXPLAIN QUERY PLAN ${OVER_SQL}`).all({ at });
  expect(step).toMatchObject({ detail: expect.stringContaining("pending_decisions_ending (expires_at<?)") });
  expect(rest).toEqual([]);
});
