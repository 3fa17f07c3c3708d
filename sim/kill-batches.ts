import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { assert, type Instant } from "#base";
import type { KeptRequest, WorkDetail } from "#model";
import { isProven, verifyReceipt } from "#policy";
import { receiptTools } from "#runtime";
import { answerTo, BY } from "./approval-world.ts";
import { batchOf } from "./batch-cuts.ts";
import { runOf, type Working } from "./work-world.ts";

const FILES = ["a.pdf", "b.pdf"] as const;
const PLACE = "Documents";
/** Before the first item's own step two others note what is there. */
const STEPS_BEFORE = 2;

type Folder = { readonly root: string; readonly name: string };
const pathOf = ({ root, name }: Folder): string => join(root, "place", name);
/** No two files of the world have the same bytes, so that each can be told wherever it lies. */
const bytesOf = ({ name }: Folder, file: string): string => `${name} ${file}`;

/** Real files in a real folder, moved by the real program; killed wherever it comes. */
export async function moveFiles(working: Working, folder: Folder & { readonly at: Instant }): Promise<void> {
  const { trust, work } = working;
  mkdirSync(pathOf(folder));
  for (const file of FILES) writeFileSync(join(pathOf(folder), file), bytesOf(folder, file));
  const moves = FILES.map((file) => ({ from: file, to: `${PLACE}/${file}`, bytes: bytesOf(folder, file) }));
  const batch = batchOf({ name: folder.name, folder: pathOf(folder), moves, at: folder.at });
  const proposed = await trust.approvals.proposePayload(batch, BY);
  assert(proposed.ok, `a batch is proposed: ${JSON.stringify(proposed)}`);
  const { request } = proposed.value;
  assert((await trust.approvals.decide(answerTo(request, "approved"))).ok, "a batch is approved");
  await ended(work, await runOf(work, request));
}

/** Takes back whatever an earlier life moved and can still be taken back; nothing when there is none. */
export async function takeBack({ work }: Working): Promise<void> {
  const listed = await work.list();
  assert(listed.ok, "runs can be read");
  for (const { run } of listed.value) {
    const shown = await work.show(run.runId);
    if (!shown.ok || shown.value.undo?.state !== "open") continue;
    const undo = await work.batches.undo(run.runId, BY);
    assert(undo.ok && undo.value.runId !== null, `it is taken back: ${JSON.stringify(undo)}`);
    return ended(work, undo.value.runId);
  }
}

const LOOK_AGAIN_MS = 20;

/** A Silas that was started may have taken it already; whoever comes second is answered at once. */
async function ended(work: Working["work"], runId: string): Promise<void> {
  await work.runGranted(runId);
  for (;;) {
    const shown = await work.show(runId);
    assert(shown.ok, "a run is in sight");
    if (shown.value.run.endedAt !== null) return;
    await wait(LOOK_AGAIN_MS);
  }
}

type Checking = { readonly root: string; readonly request: KeptRequest };

/**
 * After every kill and the last start: no file is lost and each lies at one of its two places with its bytes; a batch and
 * its taking back have ended or are in doubt, in sight, and neither moved anything twice. [BATCH-04] [UNDO-03]
 */
export async function checkBatch({ trust, work }: Working, { root, request }: Checking) {
  const { requestId, workItemId: name } = request;
  const folder = { root, name };
  const there = placesIn(folder);
  assert(there.length === FILES.length, `no file is lost or doubled: ${name} ${there.join()}`);
  if (request.state !== "approved") {
    assert(there.join() === FILES.join(), `INV-01 nothing moves that was not approved: ${name}`);
    return { runs: 0, inDoubt: 0, undone: 0 };
  }
  const executions = await trust.stores.work.executions(requestId);
  assert(executions.ok, "runs can be read");
  const runs: WorkDetail[] = [];
  for (const { record } of executions.value) {
    const { run_id: runId } = (JSON.parse(record) as { readonly run: { readonly run_id: string } }).run;
    const shown = await work.show(runId);
    assert(shown.ok && shown.value.run.endedAt !== null, `it is in sight and over: ${runId}`);
    checkRun(shown.value);
    runs.push(shown.value);
  }
  assert(runs.length === 1 || runs.length === 2, `a batch has one run, and at most one takes it back: ${runs.length}`);
  const inDoubt = runs.filter(({ run }) => run.status === "in_doubt").length;
  const expected = runs.length === 2 ? FILES : FILES.map((file) => `${PLACE}/${file}`);
  if (runs.every(({ run }) => run.status === "done"))
    assert(there.join() === expected.join(), `every file is where it belongs: ${name} ${there.join()}`);
  const receipt = await trust.approvals.receipt(requestId);
  assert(receipt.ok && isProven(verifyReceipt(receipt.value, receiptTools)), "APPR-05 its receipt proves itself");
  return { runs: runs.length, inDoubt, undone: runs.length - 1 };
}

/** Whoever is killed between two steps begins another attempt, and may be killed until there is none left. */
const ENDS: ReadonlySet<string> = new Set(["done", "in_doubt", "stuck"]);

function checkRun({ run, ledger }: WorkDetail): void {
  assert(ENDS.has(run.status), `it ends or is in doubt: ${run.status} ${run.lastError}`);
  for (const index of FILES.keys()) {
    const moves = ledger.filter(
      ({ stepIndex, returnValue }) => stepIndex === index + STEPS_BEFORE && returnValue.trim() === "done",
    );
    assert(moves.length <= 1, `T10 nothing is moved twice: ${run.runId} ${index}`);
  }
  if (run.status === "done") assert(run.isVerified, "what is done was checked");
  else assert(run.lastError !== null, "what is not done says why");
}

/** Each file of a folder that has its own bytes, by where it lies. */
function placesIn(folder: Folder): readonly string[] {
  const path = pathOf(folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const at = join(entry.parentPath, entry.name);
      assert(readFileSync(at, "utf8") === bytesOf(folder, entry.name), `it has its own bytes: ${at}`);
      return at.slice(path.length + 1);
    })
    .toSorted();
}
