import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import { CHOOSE_MOVE, type BatchProposal, type KeptRequest } from "#model";
import type { ApprovalStore, AuditLog, BatchStore } from "#ports";
import type { RuntimeStores } from "#stores";
import { BY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, createMovableClock, must } from "./journal-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type MovableClock = ReturnType<typeof createMovableClock>;
type Opened = {
  readonly store: ApprovalStore;
  readonly batches: BatchStore;
  readonly audit: AuditLog;
  readonly clock: MovableClock;
};

async function batchesOf(open: (clock: MovableClock) => Promise<RuntimeStores>): Promise<Opened> {
  const clock = createMovableClock();
  const { approvals: store, batches, audit } = await open(clock);
  return { store, batches, audit, clock };
}
const OPENED = [
  ["in memory", () => batchesOf(openMemory)],
  ["on disk", () => batchesOf((clock) => openFile(undefined, clock))],
] as const;

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
  ...spendingFor(tokenFor(name), { lineage: `run-${name}`, request: batch(name) }),
  also: [{ token: tokenFor(`${name}-back`), workItemId: "item", use: null, undo: UNDO }],
});

async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
  return entries
    .toReversed()
    .filter(({ event }) => !event.startsWith("key_"))
    .map(({ event, data }) => (event === "batch_outcome" ? `${event} ${String(data["outcome"])}` : event));
}

describe.each(OPENED)("requests about batches (%s)", (_name, open) => {
  test("[BATCH-05] [BATCH-07] one takes the place of another by one commit, or nothing has changed", async () => {
    const { store, audit } = await open();
    must(await store.propose(batch("all")));
    const part = { ...batch("part", 2), againOf: "request-all" };
    const stale = { ...decisionOn("all"), planHash: sha256Hex("another") };
    expect(await store.replace(stale, part)).toMatchObject({ error: { code: "plan_differs" } });
    expect(must(await store.find("request-part"))).toBeNull();
    expect(must(await store.replace(decisionOn("all"), part))).toEqual({ request: part, isNew: true });
    expect(must(await store.find("request-all"))).toMatchObject({
      state: "declined",
      decidedBy: BY,
      replacedBy: "request-part",
    });
    expect(await store.replace(decisionOn("all"), part)).toMatchObject({
      error: { code: "already_decided", replacedBy: "request-part" },
    });
    expect(await recorded(audit)).toEqual([
      "approval_requested",
      "approval_replaced",
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

const SPENDING_BACK = spendingFor(tokenFor("a-back"), { lineage: "run-back" });
const UNDOING = { runId: "run-a", spending: SPENDING_BACK, items: 3 };

/** A batch that was approved with its way back. */
async function withBatch<T extends { readonly store: ApprovalStore }>(opened: T): Promise<T> {
  must(await opened.store.propose(batch("a")));
  must(await opened.store.spend(approving("a")));
  return opened;
}

const proposal = (name: string, action = "move_files"): BatchProposal => ({
  kind: "batch_review",
  batch_id: name,
  goal_id: "goal-a",
  action,
  params: null,
  items: [{ item_id: "1", title: name, actor: "files", occurred_at: at(0), reason: "by its name", confidence: 0.9 }],
  reason_summary: "By their names",
  confidence_min: 0.9,
  created_at: at(0),
});
const seriesOf = (seriesId: string, names: readonly string[], action?: string) => ({
  seriesId,
  goalId: "goal-a",
  batches: names.map((name) => proposal(name, action)),
});

describe.each(OPENED)("the batch store (%s)", (_name, open) => {
  test("[UNDO-03] the use and the run of a way back are one commit, and the second finds the first", async () => {
    const { batches, audit } = await withBatch(await open());
    const kept = { runId: "run-a", requestId: "request-a", tokenId: "tok_a-back", ...UNDO };
    expect(must(await batches.findUndo("run-other"))).toBeNull();
    expect(must(await batches.findUndo("run-a"))).toEqual({ ...kept, undoRunId: null });
    const other = { ...UNDOING, spending: { ...SPENDING_BACK, token: tokenFor("other") } };
    expect(await batches.beginUndo(other)).toMatchObject({ error: { code: "token_differs" } });
    expect(must(await batches.beginUndo(UNDOING))).toMatchObject({ useNumber: 1, attemptLineage: "run-back" });
    const second = { ...UNDOING, spending: { ...SPENDING_BACK, attemptLineage: "run-other" } };
    expect(must(await batches.beginUndo(second))).toBeNull();
    expect(must(await batches.findUndo("run-back"))).toEqual({ ...kept, undoRunId: "run-back" });
    expect((await recorded(audit)).slice(-2)).toEqual(["approval_used", "batch_outcome undone"]);
  });

  test("of each series one is next: never before the one before it is decided, and a new look replaces the old one", async () => {
    const { batches, store, clock } = await open();
    const next = async () =>
      must(await batches.nextOfSeries()).map(({ seriesId, position, batch: { batch_id } }) => ({
        seriesId,
        position,
        batch_id,
      }));
    must(await batches.addSeries(seriesOf("old", ["x", "y"])));
    must(await batches.addSeries(seriesOf("s", ["a", "b", "c"])));
    const [first] = must(await batches.nextOfSeries());
    expect(first).toEqual({ seriesId: "s", position: 0, batch: proposal("a") });
    if (first === undefined) return;
    must(await store.propose(batch("a")));
    must(await batches.markAsked(first, "request-a"));
    expect(await next()).toEqual([]);
    // What nobody decides holds the others back, and so does what is asked in its place.
    must(await store.activate("request-a", { at: at(1), expiresAt: at(2) }));
    clock.moveTo(3);
    expect(must(await store.countPending())).toBe(0);
    expect(await next()).toEqual([]);
    const again = { ...batch("a", 4), requestId: "request-again", againOf: "request-a" };
    must(await store.propose(again));
    expect(await next()).toEqual([]);
    must(await store.decline({ ...decisionOn("a"), requestId: "request-again", at: at(5) }));
    expect(await next()).toEqual([{ seriesId: "s", position: 1, batch_id: "b" }]);
  });

  test("what a goal found is kept once with its questions; what is decided of those is forgotten at the next find", async () => {
    const { batches, store } = await open();
    const [one, two] = [
      { name: "a.pdf", sha256: sha256Hex("a") },
      { name: "b.pdf", sha256: sha256Hex("b") },
    ];
    expect(must(await batches.itemsOf("goal-a"))).toEqual({ items: [], openBatches: 0, openQuestions: 0 });
    const series = [seriesOf("s1", ["a"]), seriesOf("s2", ["b"], CHOOSE_MOVE)];
    must(await batches.addItems({ goalId: "goal-a", items: [two, one], series, at: at(1) }));
    expect(must(await batches.itemsOf("goal-a"))).toEqual({ items: [one, two], openBatches: 1, openQuestions: 1 });
    const [first] = must(await batches.nextOfSeries());
    if (first === undefined) throw new Error("one is next");
    must(await store.propose(batch("a")));
    must(await batches.markAsked(first, "request-a"));
    expect(must(await batches.itemsOf("goal-a"))).toMatchObject({ openBatches: 1 });
    must(await store.decline(decisionOn("a")));
    expect(must(await batches.itemsOf("goal-a"))).toEqual({ items: [one, two], openBatches: 0, openQuestions: 1 });
    // The same series may come again, since nothing of it is left; what was found stays found.
    must(await batches.addItems({ goalId: "goal-a", items: [one], series: [seriesOf("s1", ["c"])], at: at(2) }));
    expect(must(await batches.itemsOf("goal-a"))).toEqual({ items: [one, two], openBatches: 1, openQuestions: 1 });
    expect(must(await batches.itemsOf("goal-other"))).toMatchObject({ items: [], openBatches: 0 });
  });
});

describe("ways back", () => {
  test("what cannot be recorded is not begun, and what is kept of it stays", async () => {
    const opened = await openFile();
    const { batches, dataDir } = opened;
    await withBatch({ store: opened.approvals });
    const database = new DatabaseSync(join(dataDir, "silas.db"));
    database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect((await batches.beginUndo(UNDOING)).ok).toBe(false);
    expect(must(await batches.findUndo("run-a"))?.undoRunId).toBeNull();
    database.exec("DROP TRIGGER full");
    expect(must(await batches.beginUndo(UNDOING))).not.toBeNull();
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
