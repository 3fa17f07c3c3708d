import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeptRequest } from "#model";
import { createAuditRules } from "#policy";
import type { ApprovalStore, AuditLog } from "#ports";
import { createMemoryApprovalStore, createMemoryAuditLog, createMemoryKeyRegistry, openRuntime } from "#stores";
import { BY, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const auditRules = createAuditRules(sha256Hex);
type Opened = { readonly store: ApprovalStore; readonly audit: AuditLog };

async function openFile(dataDir = join(tempDir(), "data")) {
  const opened = must(await openRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  onTestFinished(() => opened.close());
  must(await opened.keys.add(KEY, BY));
  return { ...opened, dataDir };
}
async function openReal(): Promise<Opened> {
  const { approvals, audit } = await openFile();
  return { store: approvals, audit };
}
async function openTwin(): Promise<Opened> {
  const { log, recordAct } = createMemoryAuditLog(auditRules);
  const keys = createMemoryKeyRegistry(recordAct);
  must(await keys.add(KEY, BY));
  return { store: createMemoryApprovalStore(recordAct, keys), audit: log };
}

/** A batch of one item; the store looks at nothing else of it. */
const batch = (name: string, minutes = 0): KeptRequest => {
  const request = requestFor(name, minutes);
  const card = { ...request.card, cardType: "batch_review", affectedItems: { count: 3, summary: "3 items" } } as const;
  return { ...request, kind: "batch_review", card };
};
const decisionOn = (name: string) => ({
  requestId: `request-${name}`,
  planHash: batch(name).planHash,
  at: at(2),
  actor: BY,
});
const UNDO = { reverse: '{"count":1}', windowSeconds: 300 };
const approving = (name: string) => ({
  ...spendingFor(tokenFor(name), { lineage: `run-${name}`, requestId: `request-${name}` }),
  also: [{ token: tokenFor(`${name}-back`), workItemId: "item", use: null, undo: UNDO }],
});

async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
  return entries
    .toReversed()
    .filter(({ event }) => !event.startsWith("key_"))
    .map(({ event, data }) => (event === "batch_outcome" ? `${event} ${String(data["outcome"])}` : event));
}

describe.each([
  ["twin", openTwin],
  ["real", openReal],
] as const)("requests about batches (%s)", (_name, open) => {
  test("[BATCH-05] [BATCH-07] one takes the place of another by one commit, or nothing has changed", async () => {
    const { store, audit } = await open();
    must(await store.propose(batch("all")));
    const part = { ...batch("part", 2), againOf: "request-all" };
    const stale = { ...decisionOn("all"), planHash: sha256Hex("another") };
    expect(await store.replace(stale, part)).toMatchObject({ error: { code: "plan_differs" } });
    expect(must(await store.find("request-part"))).toBeNull();
    expect(must(await store.replace(decisionOn("all"), part))).toEqual({ request: part, isNew: true });
    expect(must(await store.find("request-all"))).toMatchObject({ state: "declined", decidedBy: BY });
    expect(await store.replace(decisionOn("all"), part)).toMatchObject({ error: { code: "already_decided" } });
    expect(await recorded(audit)).toEqual([
      "approval_requested",
      "approval_declined",
      "batch_outcome edited",
      "approval_requested",
    ]);
  });

  test("[BATCH-07] [UNDO-01] a verdict on a batch is one outcome, and its way back is kept by the same commit; a plan has neither", async () => {
    const { store, audit } = await open();
    must(await store.propose(batch("yes")));
    must(await store.spend(approving("yes")));
    must(await store.propose(batch("no")));
    must(await store.decline(decisionOn("no")));
    must(await store.propose(requestFor("plan")));
    must(await store.decline(decisionOn("plan")));
    expect(await recorded(audit)).toEqual([
      "approval_requested",
      "approval_granted",
      "batch_outcome approved",
      "undo_kept",
      "approval_requested",
      "approval_declined",
      "batch_outcome declined",
      "approval_requested",
      "approval_declined",
    ]);
    expect(must(await store.findApproval("tok_yes-back"))).toMatchObject({ uses: [] });
  });
});

describe("ways back", () => {
  async function openBatch() {
    const opened = await openFile();
    must(await opened.approvals.propose(batch("a")));
    must(await opened.approvals.spend(approving("a")));
    const spending = spendingFor(tokenFor("a-back"), { lineage: "run-back" });
    return { ...opened, undoing: { runId: "run-a", spending, items: 3 } };
  }

  test("[UNDO-03] the use and the run are one commit, and the second finds the first", async () => {
    const { batches, audit, undoing } = await openBatch();
    const kept = { runId: "run-a", requestId: "request-a", tokenId: "tok_a-back", ...UNDO };
    expect(must(await batches.findUndo("run-a"))).toEqual({ ...kept, undoRunId: null });
    expect(must(await batches.beginUndo(undoing))).toMatchObject({ useNumber: 1, attemptLineage: "run-back" });
    const second = { ...undoing, spending: { ...undoing.spending, attemptLineage: "run-other" } };
    expect(must(await batches.beginUndo(second))).toBeNull();
    expect(must(await batches.findUndo("run-back"))).toEqual({ ...kept, undoRunId: "run-back" });
    expect((await recorded(audit)).slice(-2)).toEqual(["approval_used", "batch_outcome undone"]);
  });

  test("another token takes nothing back, and what cannot be recorded is not begun", async () => {
    const { batches, undoing, dataDir } = await openBatch();
    const other = { ...undoing, spending: { ...undoing.spending, token: tokenFor("other") } };
    expect(await batches.beginUndo(other)).toMatchObject({ error: { code: "token_differs" } });
    const database = new DatabaseSync(join(dataDir, "silas.db"));
    database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect((await batches.beginUndo(undoing)).ok).toBe(false);
    expect(must(await batches.findUndo("run-a"))?.undoRunId).toBeNull();
    database.exec("DROP TRIGGER full");
    expect(must(await batches.beginUndo(undoing))).not.toBeNull();
    for (const sql of [
      "DELETE FROM batch_undos",
      "UPDATE batch_undos SET undo_run_id = NULL",
      "UPDATE batch_undos SET window_seconds = 9000",
    ]) {
      expect(() => database.exec(sql), sql).toThrow(/way back/);
    }
    database.close();
  });
});
