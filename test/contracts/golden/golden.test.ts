import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalApp } from "#compose";
import { auditDataSchemas } from "#model";
import { linesIn, readGolden, type GoldenLine } from "./files.ts";
import { renderAuditLines, renderPlanLines, renderSentences } from "./render.ts";
import { openSilas } from "./silas.ts";

/** Samples are added and never removed: these numbers may only rise. */
const PLANS_MIN = 27;
const AUDIT_LINES_MIN = 158;

const eventsIn = (lines: readonly GoldenLine[]): readonly string[] => [
  ...new Set(lines.map(({ name }) => name.split(" ")[0] ?? "")),
];

const areHashed = (lines: readonly GoldenLine[]): boolean =>
  lines.every(({ text, hash }) => createHash("sha256").update(text, "utf8").digest("hex") === hash);

describe("plans", () => {
  let home: string;
  let app: LocalApp;
  beforeAll(async () => {
    home = mkdtempSync("/var/tmp/silas-golden-");
    app = await openSilas(home);
  });
  afterAll(async () => {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  });

  test("[PLAN-09] each proposal keeps its projection and its hash", async () => {
    expect(linesIn(await renderPlanLines(app))).toEqual(linesIn(readGolden("plan-hashes")));
  });

  test("[PLAN-09] each golden plan matches its own hash, and none disappears", () => {
    const golden = linesIn(readGolden("plan-hashes"));
    expect(areHashed(golden)).toBe(true);
    expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length);
    expect(golden.length).toBeGreaterThanOrEqual(PLANS_MIN);
  });
});

describe("audit lines", () => {
  test("[AUD-01] each event keeps its recorded bytes and its hash", () => {
    expect(linesIn(renderAuditLines())).toEqual(linesIn(readGolden("audit-lines")));
  });

  test("[AUD-08] each event of the schema has a golden line and a sentence, and none disappears", () => {
    const golden = linesIn(readGolden("audit-lines"));
    expect(areHashed(golden)).toBe(true);
    expect(eventsIn(golden)).toEqual(Object.keys(auditDataSchemas).toSorted());
    expect(linesIn(readGolden("activity-sentences")).map(({ name }) => name)).toEqual(golden.map(({ name }) => name));
    expect(golden.length).toBeGreaterThanOrEqual(AUDIT_LINES_MIN);
  });

  test("each event keeps its sentence in the activity", () => {
    expect(readGolden("activity-sentences")).toBe(renderSentences());
  });
});
