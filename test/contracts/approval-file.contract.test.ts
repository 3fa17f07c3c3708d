import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { openFile } from "./approval-world.ts";
import { must, tempDir } from "./journal-fixture.ts";

describe("the approval store's file", () => {
  test("[NONCE-07] uses survive a restart: a spent approval stays spent", async () => {
    const dataDir = join(tempDir(), "data");
    const first = await openFile(dataDir);
    must(await first.store.spend(spendingFor(tokenFor("a"), { lineage: "one" })));
    const second = await openFile(dataDir);
    expect(await second.store.spend(spendingFor(tokenFor("a"), { lineage: "two" }))).toMatchObject({
      error: { code: "uses_exhausted" },
    });
  });

  test("[WSTORE-04] a request row that is put back as it was gives no use back", async () => {
    const dataDir = join(tempDir(), "data");
    const { store } = await openFile(dataDir);
    must(await store.propose(requestFor("a")));
    const spending = spendingFor(tokenFor("a"), { lineage: "one", requestId: "request-a" });
    must(await store.spend(spending));
    const database = new DatabaseSync(join(dataDir, "silas.db"));
    database.exec("DROP TRIGGER pending_decisions_stay");
    database.exec(
      "UPDATE pending_decisions SET state = 'pending', decided_at = NULL, decided_by = NULL, token_id = NULL",
    );
    database.close();
    expect(must(await store.find("request-a"))).toMatchObject({ state: "pending" });
    expect(await store.spend({ ...spending, attemptLineage: "two" })).toMatchObject({
      error: { code: "uses_exhausted" },
    });
  });

  test("rows of approvals, uses and decisions cannot be changed or removed by mistake", async () => {
    const dataDir = join(tempDir(), "data");
    const { store } = await openFile(dataDir);
    must(await store.propose(requestFor("a")));
    must(await store.spend(spendingFor(tokenFor("a"), { lineage: "one", requestId: "request-a" })));
    const database = new DatabaseSync(join(dataDir, "silas.db"));
    onTestFinished(() => database.close());
    for (const sql of [
      "UPDATE approval_tokens SET max_executions = 9",
      "DELETE FROM approval_tokens",
      "UPDATE approval_uses SET use_number = 9",
      "DELETE FROM approval_uses",
      "UPDATE pending_decisions SET state = 'declined'",
      "UPDATE decision_tokens SET position = 9",
      "DELETE FROM decision_tokens",
      "INSERT INTO approval_uses SELECT nonce, use_number, content_hash, 'x', used_at FROM approval_uses",
    ]) {
      expect(() => database.exec(sql), sql).toThrow(/never|UNIQUE/);
    }
  });
});
