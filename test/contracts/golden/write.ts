/**
 * Writes golden texts anew, those that are named: `node test/contracts/golden/write.ts plans audit sentences`. Bytes that
 * were signed or recorded never change, so only a new sample is a reason to write plans or audit lines.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { goldenFile } from "./files.ts";
import { renderAuditLines, renderPlanLines, renderSentences } from "./render.ts";
import { openSilas } from "./silas.ts";

async function renderPlans(): Promise<string> {
  const home = mkdtempSync("/var/tmp/silas-golden-");
  const app = await openSilas(home);
  try {
    return await renderPlanLines(app);
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const WRITERS: Readonly<Record<string, () => Promise<void>>> = {
  plans: async () => writeFileSync(goldenFile("plan-hashes"), await renderPlans()),
  audit: async () => writeFileSync(goldenFile("audit-lines"), renderAuditLines()),
  sentences: async () => writeFileSync(goldenFile("activity-sentences"), renderSentences()),
};

const names = process.argv.slice(2);
if (names.length === 0 || !names.every((name) => Object.hasOwn(WRITERS, name))) {
  console.error(`Name what to write: ${Object.keys(WRITERS).join(", ")}`);
  process.exitCode = 2;
} else {
  for (const name of names) await WRITERS[name]?.();
}
