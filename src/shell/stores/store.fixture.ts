import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256Hex, type Instant, type Result } from "#base";
import { createAuditRules } from "#policy";
import type { Clock, Randomness } from "#ports";

export const AT = "2026-11-15T08:00:00.000Z" as Instant;
export const fixedClock: Clock = { now: () => AT };

export const auditRules = createAuditRules(sha256Hex);

/** Counting bytes: every id differs, every run is the same. */
export function countingRandom(): Randomness {
  let next = 0;
  return { bytes: (count) => Uint8Array.from({ length: count }, () => (next = (next + 1) % 256)) };
}

/** A directory of its own that goes away with the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "silas-stores-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function must<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(`expected ok, got ${JSON.stringify(result.error)}`);
  return result.value;
}

export function mustFail<T, E>(result: Result<T, E>): E {
  if (result.ok) throw new Error("expected an error");
  return result.error;
}
