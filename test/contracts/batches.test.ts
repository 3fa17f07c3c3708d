import { chmodSync, existsSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { activitySentence, wordsFor, type BatchProposal } from "#model";
import { verifyReceipt, isProven } from "#policy";
import { receiptTools } from "#runtime";
import {
  approve,
  askedIn,
  carryOut,
  eventsOf,
  homeDir,
  openDesk,
  run,
  takeBack,
  TERMINAL,
  treeOf,
} from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";

/** Each file is one more program in the sandbox, so most tests have the least they need. */
const ONE = { "a.pdf": "a" };
const FILES = { "a.pdf": "a", "b.png": "b", 'it\'s "c".csv': "c", "inside/old.txt": "old" };
const MOVED = ["Documents/a.pdf", "Images/b.png", 'Spreadsheets/it\'s "c".csv'];

test("[BATCH-04] [UNDO-01] [UNDO-03] [RISK-05] [RISK-06] an approved batch moves exactly its files, two checks say so, and taking it back leaves the tree as it was", async () => {
  const desk = await openDesk(FILES);
  const before = treeOf(desk.folder);
  const request = await askedIn(desk);
  const runId = await approve(desk, request);
  // Before anything of it has run, its way back is there and signed.
  expect((await eventsOf(desk)).map(({ event }) => event)).toContain("undo_kept");
  expect(treeOf(desk.folder)).toEqual(before);
  const done = await run(desk, runId);
  expect(done.run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
  expect(done.run.results.map(({ passed }) => passed)).toEqual([true, true]);
  expect(done.undo).toMatchObject({ state: "open", runId: null });
  expect(done.undo?.items.map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
  for (const place of MOVED) expect(existsSync(join(desk.folder, place)), place).toBe(true);
  expect(existsSync(join(desk.folder, "a.pdf"))).toBe(false);
  const back = await takeBack(desk, runId);
  expect(back.run).toMatchObject({ status: "done", isVerified: true });
  expect(back.title).toBe(`Undo: ${done.title}`);
  expect(treeOf(desk.folder)).toEqual(before);
  const after = must(await desk.app.work.show(runId));
  expect(after.undo).toMatchObject({ state: "used", runId: back.run.runId });
  expect(after.undo?.items.map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
  const receipt = must(await desk.app.approvals.receipt(request.requestId));
  const checks = verifyReceipt(receipt, receiptTools);
  expect(checks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  expect(isProven(checks)).toBe(true);
});

test("[UNDO-03] a second tap, and a hundred at once, take it back once", async () => {
  const desk = await openDesk(ONE);
  const { run: ran } = await carryOut(desk);
  const taps = await Promise.all(Array.from({ length: 100 }, () => desk.app.work.batches.undo(ran.runId, TERMINAL)));
  const ids = new Set(taps.map((tap) => must(tap).runId));
  expect(ids.size).toBe(1);
  const events = await eventsOf(desk);
  expect(events.filter(({ event }) => event === "approval_used")).toHaveLength(1);
  const [undoRunId] = ids;
  await run(desk, undoRunId ?? "");
  const after = treeOf(desk.folder);
  // Whatever is tapped later changes nothing, also when the window is long over.
  desk.moveMs(3_600_000);
  expect(must(await desk.app.work.batches.undo(ran.runId, TERMINAL))).toMatchObject({
    state: "used",
    runId: undoRunId,
  });
  await run(desk, undoRunId ?? "");
  expect(treeOf(desk.folder)).toEqual(after);
});

test("[UNDO-02] [UNDO-04] [RISK-07] the window is five minutes from the end of the run, to the millisecond, across a restart; after it only a new approval leads back", async () => {
  const home = homeDir();
  const desk = await openDesk(ONE, home);
  const request = await askedIn(desk);
  const runId = await approve(desk, request);
  desk.moveMs(1_000);
  const done = await run(desk, runId);
  const moved = treeOf(desk.folder);
  expect(Date.parse(done.undo?.until ?? "") - Date.parse(done.run.endedAt ?? "")).toBe(300_000);
  expect(await desk.app.work.batches.undo("nobody", TERMINAL)).toMatchObject({ error: { code: "undo_unknown" } });
  desk.moveMs(299_999);
  expect(must(await desk.app.work.show(runId)).undo).toMatchObject({ state: "open" });
  await desk.app.close();
  const later = await openDesk({}, home, 301_000);
  expect(must(await later.app.work.show(runId)).undo).toMatchObject({ state: "over", until: done.undo?.until });
  const refused = await later.app.work.batches.undo(runId, TERMINAL);
  expect(refused).toMatchObject({ error: { code: "undo_over", until: done.undo?.until } });
  expect(treeOf(desk.folder)).toEqual(moved);
  const { request: back } = must(await later.app.work.batches.proposeUndo(runId, TERMINAL));
  expect(back.state).toBe("pending");
  const reversed = await run(later, await approve(later, back));
  expect(reversed.run).toMatchObject({ status: "done", isVerified: true });
  expect(readFileSync(join(desk.folder, "a.pdf"), "utf8")).toBe("a");
});

test("what changed since it was proposed is left alone and said, the others go on, and nothing is replaced", async () => {
  const desk = await openDesk({ ...FILES, "d.txt": "d", "e.txt": "e" });
  const runId = await approve(desk, await askedIn(desk));
  writeFileSync(join(desk.folder, "a.pdf"), "changed");
  unlinkSync(join(desk.folder, "b.png"));
  unlinkSync(join(desk.folder, "d.txt"));
  symlinkSync("/etc/hostname", join(desk.folder, "d.txt"));
  const done = await run(desk, runId);
  expect(done.undo?.items.map(({ title, outcome }) => `${title} ${outcome}`)).toEqual([
    "a.pdf changed",
    "b.png gone",
    "d.txt not_a_file",
    "e.txt done",
    'it\'s "c".csv done',
  ]);
  // Not everything that was approved is so: that is not called done.
  expect(done.run).toMatchObject({ status: "stuck", isVerified: false });
  expect(done.run.results.map(({ passed }) => passed)).toEqual([false, true]);
  expect(readFileSync(join(desk.folder, "a.pdf"), "utf8")).toBe("changed");
  // Only what was moved is taken back, and its checks are about that: nobody asks where the others are.
  const back = await takeBack(desk, runId);
  expect(back.run).toMatchObject({ status: "done", isVerified: true });
  expect(back.ledger.flatMap(({ tool, stepName }) => (tool === "file_move" ? [stepName] : []))).toEqual([
    "move Documents/e.txt to e.txt",
    'move Spreadsheets/it\'s "c".csv to it\'s "c".csv',
  ]);
  for (const id of [runId, back.run.runId]) {
    const { undo } = must(await desk.app.work.show(id));
    expect(undo?.items.map(({ title, outcome }) => `${title} ${outcome}`)).toEqual([
      "e.txt done",
      'it\'s "c".csv done',
    ]);
  }
  expect(existsSync(join(desk.folder, "e.txt"))).toBe(true);
  const undone = (await eventsOf(desk)).findLast(({ event }) => event === "batch_outcome");
  expect(undone?.data).toMatchObject({ outcome: "undone", items: 2 });
});

test("[UNDO-04] the way back that is proposed later holds what was moved, and nothing else", async () => {
  const desk = await openDesk({ ...ONE, "b.png": "b" });
  const runId = await approve(desk, await askedIn(desk));
  writeFileSync(join(desk.folder, "a.pdf"), "changed");
  await run(desk, runId);
  desk.moveMs(300_000);
  const { request } = must(await desk.app.work.batches.proposeUndo(runId, TERMINAL));
  expect(request.card.affectedItems?.count).toBe(1);
  const payload = JSON.parse(request.markdown) as BatchProposal;
  expect(payload.params).toMatchObject({ moves: [{ to: "b.png" }], folders_removed: ["Images"] });
  expect((await run(desk, await approve(desk, request))).run).toMatchObject({ status: "done", isVerified: true });
});

test("a batch that moved nothing offers no undo, now or later, and says so", async () => {
  const desk = await openDesk(ONE);
  const runId = await approve(desk, await askedIn(desk));
  writeFileSync(join(desk.folder, "a.pdf"), "changed");
  const done = await run(desk, runId);
  expect(done.undo).toMatchObject({ state: "nothing", until: null, runId: null });
  const { batches } = desk.app.work;
  for (const refused of [await batches.undo(runId, TERMINAL), await batches.proposeUndo(runId, TERMINAL)]) {
    expect(refused).toMatchObject({ error: { code: "undo_nothing" } });
  }
  expect((await eventsOf(desk)).filter(({ event }) => event === "approval_used")).toEqual([]);
});

test("a file changed after it was moved is not moved back, and the rest is: a part is never called the whole", async () => {
  const desk = await openDesk({ ...ONE, "b.png": "b" });
  const { run: ran } = await carryOut(desk);
  writeFileSync(join(desk.folder, "Documents/a.pdf"), "edited since");
  const back = await takeBack(desk, ran.runId);
  expect(back.run.status).toBe("stuck");
  const after = must(await desk.app.work.show(ran.runId));
  expect(after.undo).toMatchObject({ state: "used" });
  expect(after.undo?.items.map(({ outcome }) => outcome)).toEqual(["changed", "done"]);
  expect(readFileSync(join(desk.folder, "Documents/a.pdf"), "utf8")).toBe("edited since");
});

test("in a folder that may not be written nothing is moved, and each file says so", async () => {
  const desk = await openDesk(ONE);
  const before = treeOf(desk.folder);
  const runId = await approve(desk, await askedIn(desk));
  chmodSync(desk.folder, 0o555);
  const done = await run(desk, runId);
  chmodSync(desk.folder, 0o755);
  expect(done.run).toMatchObject({ status: "stuck", isVerified: false });
  expect(done.undo?.items.map(({ outcome }) => outcome)).toEqual(["failed"]);
  expect(done.undo?.state).toBe("nothing");
  expect(treeOf(desk.folder)).toEqual(before);
});

test("a folder that became a link is not followed: nothing runs there, and the run says why", async () => {
  const desk = await openDesk(ONE);
  const runId = await approve(desk, await askedIn(desk));
  const elsewhere = (await openDesk({ "a.pdf": "a" })).folder;
  renameSync(desk.folder, `${desk.folder}.moved`);
  symlinkSync(elsewhere, desk.folder);
  try {
    const done = await run(desk, runId);
    expect(done.run).toMatchObject({ status: "blocked" });
    expect(treeOf(elsewhere)).toHaveLength(1);
  } finally {
    unlinkSync(desk.folder);
    renameSync(`${desk.folder}.moved`, desk.folder);
  }
});

test("[BATCH-05] [BATCH-07] choosing ends the request and asks anew; each verdict and the taking back is one outcome, and an expiry is none", async () => {
  const desk = await openDesk(FILES);
  const request = await askedIn(desk);
  const { requestId } = request;
  const choose = (itemIds: readonly string[]) => desk.app.approvals.select({ requestId, itemIds, actor: TERMINAL });
  for (const ids of [[], ["1", "2", "3"], ["1", "1"], ["9"]]) {
    expect(await choose(ids)).toMatchObject({ error: { code: "selection_refused" } });
  }
  const chosen = must(await choose(["2", "1"])).request;
  expect(chosen).toMatchObject({ state: "pending", againOf: requestId });
  expect(must(await desk.app.approvals.show(requestId))).toMatchObject({ replacedBy: chosen.requestId });
  const late = await choose(["1"]);
  expect(late).toMatchObject({ error: { code: "already_decided" } });
  expect(late.ok ? "" : wordsFor(late.error)).toContain("Replaced by a selection on the terminal");
  const sentences = (await eventsOf(desk)).map((entry) => activitySentence(entry)).join("\n");
  expect(sentences).toContain("by a selection of it");
  expect(sentences).not.toContain("Declined");
  const done = await run(desk, await approve(desk, chosen));
  expect(done.undo?.items.map(({ title }) => title)).toEqual(["b.png", "a.pdf"]);
  expect(existsSync(join(desk.folder, 'it\'s "c".csv'))).toBe(true);
  await takeBack(desk, done.run.runId);
  const outcomes = async () =>
    (await eventsOf(desk))
      .filter(({ event }) => event === "batch_outcome")
      .map(({ data }) => (data as { readonly outcome: string }).outcome);
  expect(await outcomes()).toEqual(["edited", "approved", "undone"]);
  const again = await askedIn(desk);
  must(await desk.app.approvals.show(again.requestId));
  desk.moveMs(86_400_000);
  expect(must(await desk.app.approvals.show(again.requestId)).state).toBe("expired");
  expect(await outcomes()).toEqual(["edited", "approved", "undone"]);
});

test("[BATCH-02] [BATCH-06] of 25 files ten are asked about at a time, in order; a decline moves nothing and goes on with the next", async () => {
  const names = Array.from({ length: 25 }, (_, index) => `${String.fromCharCode(97 + index)}.pdf`);
  const desk = await openDesk(Object.fromEntries(names.map((name) => [name, name])));
  const before = treeOf(desk.folder);
  const first = await askedIn(desk);
  const titles: string[] = [];
  const sizes: number[] = [];
  for (let request = first; ;) {
    const payload = JSON.parse(request.markdown) as { readonly items: readonly { readonly title: string }[] };
    titles.push(...payload.items.map(({ title }) => title));
    sizes.push(payload.items.length);
    // Nothing follows while it waits.
    must(await desk.app.work.batches.next());
    expect(must(await desk.app.approvals.inbox())).toHaveLength(1);
    const answer = { requestId: request.requestId, verdict: "declined", shownHash: request.planHash } as const;
    must(await desk.app.approvals.decide({ ...answer, friction: [], actor: TERMINAL }));
    must(await desk.app.work.batches.next());
    const [next] = must(await desk.app.approvals.inbox());
    if (next === undefined) break;
    request = next;
  }
  expect(titles).toEqual(names);
  expect(sizes).toEqual([10, 10, 5]);
  expect(treeOf(desk.folder)).toEqual(before);
  expect(must(await desk.app.work.list())).toEqual([]);
});

test("[BATCH-06] a running Silas asks about what follows by itself, and one that nobody decided holds it back", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `${index + 10}.pdf`);
  const desk = await openDesk(Object.fromEntries(names.map((name) => [name, name])));
  const { approvals, work } = desk.app;
  await work.start();
  const first = await askedIn(desk);
  must(await approvals.show(first.requestId));
  desk.moveMs(86_400_000);
  expect(must(await approvals.inbox())).toEqual([]);
  must(await work.batches.next());
  expect(must(await approvals.inbox())).toEqual([]);
  const { request: again } = must(await approvals.proposeAgain(first.requestId, TERMINAL));
  const answer = { requestId: again.requestId, verdict: "declined", shownHash: again.planHash } as const;
  must(await approvals.decide({ ...answer, friction: [], actor: TERMINAL }));
  await expect.poll(async () => must(await approvals.inbox()).length).toBe(1);
  const [next] = must(await approvals.inbox());
  expect(next?.card.affectedItems?.count).toBe(2);
});

test("folders that are no place to tidy are refused when they are named", async () => {
  const desk = await openDesk(FILES);
  const link = `${desk.folder}.link`;
  symlinkSync(desk.folder, link);
  try {
    const refusals = {
      [desk.dataDir]: "holds_silas",
      [join(desk.dataDir, "..")]: "holds_silas",
      [link]: "is_link",
      [join(desk.folder, "a.pdf")]: "not_a_folder",
      [join(desk.folder, "nobody")]: "missing",
      "relative/folder": "not_absolute",
      "/": "not_absolute",
      "/usr/share": "not_grantable",
    };
    for (const [folder, reason] of Object.entries(refusals)) {
      const refused = await desk.app.work.batches.tidy(folder, TERMINAL);
      expect(refused, folder).toMatchObject({ error: { code: "folder_refused", reason } });
    }
    expect(must(await desk.app.approvals.all())).toEqual([]);
  } finally {
    unlinkSync(link);
  }
});

test("a way back that somebody changed on disk is not taken", async () => {
  const desk = await openDesk(ONE);
  const { run: ran } = await carryOut(desk);
  const moved = treeOf(desk.folder);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(desk.dataDir, "silas.db"));
  database.exec("DROP TRIGGER batch_undos_stay");
  database.exec(`UPDATE batch_undos SET reverse = replace(reverse, '"to":"a.pdf"', '"to":"z.pdf"')`);
  database.close();
  const refused = await desk.app.work.batches.undo(ran.runId, TERMINAL);
  expect(refused).toMatchObject({ error: { code: "approval_hash_differs" } });
  expect(treeOf(desk.folder)).toEqual(moved);
  expect(sha256Hex(readFileSync(join(desk.folder, "Documents/a.pdf"), "utf8"))).toBe(sha256Hex("a"));
});
