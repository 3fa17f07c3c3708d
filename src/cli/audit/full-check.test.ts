import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Instant } from "#base";
import { isFullCheckDue, keepFullCheck, readFullCheck } from "./full-check.ts";
import { notChecked } from "./not-checked.ts";

const at = (text: string) => text as Instant;

test("a full check is due when nobody knows of one, after a week, and when the clock went back", () => {
  const dir = mkdtempSync(join(tmpdir(), "silas-full-check-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  expect(isFullCheckDue(readFullCheck(dir), at("2026-11-18T08:00:00.000Z"))).toBe(true);
  keepFullCheck(dir, { at: at("2026-11-18T08:00:00.000Z"), seq: 7, hash: "a".repeat(64) });
  const last = readFullCheck(dir);
  expect(last).toEqual({ at: "2026-11-18T08:00:00.000Z", seq: 7, hash: "a".repeat(64) });
  expect(isFullCheckDue(last, at("2026-11-25T07:59:59.999Z"))).toBe(false);
  expect(isFullCheckDue(last, at("2026-11-25T08:00:00.000Z"))).toBe(true);
  expect(isFullCheckDue(last, at("2026-11-18T07:59:59.999Z"))).toBe(true);
  writeFileSync(join(dir, "audit-full-check.json"), "torn");
  expect(readFullCheck(dir)).toBeNull();
});

test("a check names the entries it did not read, the signatures it lacks, and what no chain can show", () => {
  const head = { seq: 10, hash: "a".repeat(64) };
  const checked = { valid: true, head, headsChecked: 1, headsSigned: 1, lastSignedAt: null } as const;
  const partly = notChecked({ ...checked, entriesChecked: 3 });
  expect(partly[0]).toContain("Entries 1 to 7");
  expect(partly.join(" ")).toContain("no head is signed");
  const wholly = notChecked({ ...checked, entriesChecked: 10, lastSignedAt: at("2026-11-18T08:00:00.000Z") });
  expect(wholly.join(" ")).not.toContain("Entries 1 to");
  expect(wholly.join(" ")).toMatch(/after 2026-11-18.*vault.*elsewhere/);
});
