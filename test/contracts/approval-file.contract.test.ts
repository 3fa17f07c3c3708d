import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import { cardToWire, type Card } from "#model";
import { requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { openFile } from "./approval-world.ts";
import { must, tempDir } from "./journal-fixture.ts";

const cardText = (change: Partial<Card>): string => JSON.stringify(cardToWire({ ...requestFor("a").card, ...change }));

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
    const spending = spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") });
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

  test.each([
    ["kind", "step_approval", "decision_changed"],
    ["plan_hash", sha256Hex("another"), "plan_differs"],
    ["work_item_id", "another", "decision_changed"],
    ["risk_level", "high", "decision_changed"],
    ["projection", '{"id":"another"}', "decision_changed"],
    ["projection", '{"id": "a"}', "decision_changed"],
    ["markdown", "# another", "decision_changed"],
    ["card", cardText({ intent: "Tidy less" }), "decision_changed"],
    ["card", cardText({ rationale: "Harmless" }), "decision_changed"],
    ["card", "{}", "store_corrupt"],
    ["card", '{"half', "store_corrupt"],
    ["proposed_by", '{"kind":"system"}', "decision_changed"],
    ["proposed_by", "{}", "store_corrupt"],
  ])("[INV-02] a request whose %s becomes %s after it was judged is not spent", async (column, value, code) => {
    const dataDir = join(tempDir(), "data");
    const { store } = await openFile(dataDir);
    must(await store.propose(requestFor("a")));
    const judged = must(await store.find("request-a"));
    const database = new DatabaseSync(join(dataDir, "silas.db"));
    onTestFinished(() => database.close());
    const before = database.prepare("SELECT * FROM pending_decisions").get();
    const write = database.prepare(`UPDATE pending_decisions SET ${column} = ?`);
    write.run(value);
    const spending = spendingFor(tokenFor("a"), { lineage: "one", request: judged });
    expect(await store.spend(spending)).toMatchObject({ ok: false, error: { code } });
    expect(must(await store.findApproval("tok_a"))).toBeNull();
    expect(database.prepare("SELECT count(*) AS uses FROM approval_uses").get()).toEqual({ uses: 0 });
    // As it was, it is spent: nothing but the change stood in the way.
    write.run(before?.[column] ?? null);
    must(await store.spend(spending));
  });

  test.each(["before", "after"])(
    "a card whose keys another order got %s it was judged is the same card",
    async (when) => {
      const dataDir = join(tempDir(), "data");
      const { store } = await openFile(dataDir);
      must(await store.propose(requestFor("a")));
      const early = must(await store.find("request-a"));
      const database = new DatabaseSync(join(dataDir, "silas.db"));
      onTestFinished(() => database.close());
      const card = Object.fromEntries(Object.entries(cardToWire(requestFor("a").card)).toReversed());
      database.prepare("UPDATE pending_decisions SET card = ?").run(JSON.stringify(card));
      const judged = when === "after" ? early : must(await store.find("request-a"));
      expect(await store.spend(spendingFor(tokenFor("a"), { lineage: "one", request: judged }))).toMatchObject({
        ok: true,
      });
    },
  );

  test("rows of approvals, uses and decisions cannot be changed or removed by mistake", async () => {
    const dataDir = join(tempDir(), "data");
    const { store } = await openFile(dataDir);
    must(await store.propose(requestFor("a")));
    must(await store.spend(spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") })));
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
