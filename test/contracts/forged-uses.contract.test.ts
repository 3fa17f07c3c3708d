import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import { createAuditRules } from "#policy";
import { openMigratedRuntime } from "#sim";
import { ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

/** Somebody who can write to `silas.db` and drops what guards its rows. */

const token = tokenFor("a", 2);

async function openUsed() {
  const dataDir = join(tempDir(), "data");
  const auditRules = createAuditRules(sha256Hex);
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => {
    database.close();
    return opened.close();
  });
  must(await opened.keys.add(KEY, ENROLLED));
  must(await opened.approvals.propose(requestFor("a")));
  must(await opened.approvals.spend(spendingFor(token, { lineage: "one", request: requestFor("a") })));
  for (const trigger of ["stay", "remain"]) database.exec(`DROP TRIGGER approval_uses_${trigger}`);
  return { store: opened.approvals, database };
}

const CORRUPT = { error: { code: "store_corrupt" } };

test("[APPR-16] a use that is taken out of the database gives none back: the audit chain still tells of it", async () => {
  const { store, database } = await openUsed();
  must(await store.spend(spendingFor(token, { lineage: "two" })));
  database.exec("DELETE FROM approval_uses");
  const again = await store.spend(spendingFor(token, { lineage: "three" }));
  expect(again).toEqual({ ok: false, error: { code: "uses_exhausted", maxExecutions: 2 } });
  expect(await store.findApproval(token.tokenId)).toMatchObject(CORRUPT);
});

test.each([
  ["put in", "INSERT INTO approval_uses SELECT nonce, 2, content_hash, 'forged', used_at FROM approval_uses"],
  ["moved to another attempt", "UPDATE approval_uses SET lineage_id = 'forged'"],
  ["moved to another number", "UPDATE approval_uses SET use_number = 2"],
])("[APPR-20] a use that was %s is no grant: what the chain does not tell is not believed", async (_name, change) => {
  const { store, database } = await openUsed();
  database.exec(
    `INSERT INTO attempt_lineages SELECT 'forged', work_item_id, content_hash, state, started_at FROM attempt_lineages`,
  );
  database.exec(change);
  expect(await store.findApproval(token.tokenId)).toMatchObject(CORRUPT);
  expect(await store.approvalsOf("request-a")).toMatchObject(CORRUPT);
});
