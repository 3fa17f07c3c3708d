import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { assert, sha256Hex, type Instant } from "#base";
import type { BatchProposal } from "#model";
import type { Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { answerTo, BY, countRows, RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity, createCutDisk, lookAt, type CutState } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";
import { openWork, playSandboxes, runOf, settleAll, type Script, type Working } from "./work-world.ts";

const FOLDER = "/srv/files";
const BEFORE: readonly (readonly [string, string])[] = [
  ["a.pdf", "a"],
  ["b.png", "b"],
  ["stays.txt", "stays"],
];
const AFTER = new Map([
  ["Documents/a.pdf", "a"],
  ["Images/b.png", "b"],
  ["stays.txt", "stays"],
]);

const move = (id: string, from: string, to: string) => ({ item_id: id, from, to, sha256: sha256Hex(from.slice(0, 1)) });

const batchAt = (at: Instant): BatchProposal => ({
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "tidy-sim",
  action: "move_files",
  params: {
    folder: FOLDER,
    moves: [move("1", "a.pdf", "Documents/a.pdf"), move("2", "b.png", "Images/b.png")],
    folders_made: ["Documents", "Images"],
    folders_removed: [],
  },
  items: ["a.pdf", "b.png"].map((title, index) => ({
    item_id: String(index + 1),
    title,
    actor: "rules",
    occurred_at: at,
    reason: "By kind",
    confidence: 0.9,
  })),
  reason_summary: "By kind",
  confidence_min: 0.9,
  created_at: at,
});

/** A folder in memory, which survives every crash of Silas, and programs that move in it as the real ones do. */
type Disk = Map<string, string>;
type Call = {
  readonly tool: string;
  readonly args: { readonly from: string; readonly to: string; readonly sha256: string };
};

const movesIn =
  (files: Disk, effects: string[]): Script =>
  ({ argv, stdin }) => {
    // Both checks: whatever was approved is where one of the two ways wants it, and the rest is as it was.
    if (argv.includes("placed") || argv.includes("kept")) return files.get("stays.txt") === "stays" ? 0 : 1;
    const { tool, args } = JSON.parse(new TextDecoder().decode(stdin)) as Call;
    if (tool !== "file_move") return 0;
    const [from, to] = [args.from, args.to].map((path) => path.slice(FOLDER.length + 1));
    if (from === undefined || to === undefined) return 1;
    const bytes = files.get(from);
    if (bytes === undefined || sha256Hex(bytes) !== args.sha256 || files.has(to)) return 0;
    files.delete(from);
    files.set(to, bytes);
    effects.push(`${from} -> ${to}`);
    return 0;
  };

/**
 * Ends the process at every statement between an approved batch and its end, and between the tap that takes it back and
 * the end of that. Each state is opened again: every file is at one of its two places with its bytes, the batch goes on
 * to its end, and it is taken back once. [BATCH-04] [UNDO-03]
 */
export function cutBatches(seed: number): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    const dataDir = join(world.root, "batch");
    const vault = createMemoryVault();
    const files: Disk = new Map(BEFORE);
    const cutting = createCutting(world, { dataDir, files });
    const working = await openWork(world, { dataDir, vault, ...cutting });
    const proposed = await working.trust.approvals.proposePayload(batchAt(world.clock.now()), BY);
    assert(proposed.ok, `a batch is proposed: ${JSON.stringify(proposed)}`);
    const { request } = proposed.value;
    cutting.disk.start();
    assert((await working.trust.approvals.decide(answerTo(request, "approved"))).ok, "a batch is approved");
    const runId = await runOf(working.work, request);
    await working.work.runGranted(runId);
    assert(isSame(files, AFTER), "undisturbed every file is moved");
    const undo = await working.work.batches.undo(runId, BY);
    assert(undo.ok && undo.value.runId !== null, `it is taken back: ${JSON.stringify(undo)}`);
    await working.work.runGranted(undo.value.runId);
    cutting.disk.finish();
    assert(isSame(files, new Map(BEFORE)), "undisturbed every file is back");
    await working.work.close();
    working.trust.stores.close();
    const states = cutting.states();
    for (const { state, disk } of states) {
      await lookAt({ state, file: RUNTIME_FILE, into: world.root }, (dir) => checkCut(world, { dir, vault, disk }));
    }
    return { states: states.length };
  });
}

type CuttingOptions = { readonly dataDir: string; readonly files: Disk };
type Kept = { readonly state: CutState; readonly disk: Disk };

/** Each state of the database, and of the folder at that moment. */
function createCutting(world: World, { dataDir, files }: CuttingOptions) {
  const disk = createCutDisk({ dataDir, file: RUNTIME_FILE, into: join(world.root, "cuts-batch") });
  const sandboxes = playSandboxes(join(world.root, "spaces"), movesIn(files, []));
  const seen: Disk[] = [];
  const onStatement = (sql: string): void => {
    if (sql.trimStart().startsWith("SELECT")) return;
    disk.onStatement(sql);
    seen[disk.states().length - 1] = new Map(files);
  };
  const states = (): readonly Kept[] =>
    disk
      .states()
      .flatMap((state, index) => (state.damage === null ? [{ state, disk: seen[index] ?? new Map(files) }] : []));
  return { disk, sandboxes, onStatement, states };
}

type Cut = { readonly dir: string; readonly vault: Vault; readonly disk: Disk };

async function checkCut(world: World, { dir, vault, disk }: Cut): Promise<void> {
  const files: Disk = new Map(disk);
  const effects: string[] = [];
  const sandboxes = playSandboxes(join(world.root, "spaces"), movesIn(files, effects));
  const working = await openWork(world, { dataDir: dir, vault, sandboxes });
  assert(files.size === BEFORE.length, "no file is lost by a cut");
  await settleAll(working);
  await checkEnd(working, { files, effects });
  const verdict = await working.trust.stores.audit.verify("genesis");
  assert(verdict.ok && verdict.value.valid, "AUD-02 the chain holds");
  await working.work.close();
  working.trust.stores.close();
  const { uses } = countRows(dir);
  assert(uses === 0 || uses === 2, `each approval is used once: ${uses}`);
  checkIntegrity(join(dir, RUNTIME_FILE));
}

async function checkEnd(
  working: Working,
  { files, effects }: { readonly files: Disk; readonly effects: readonly string[] },
): Promise<void> {
  const { work } = working;
  const runs = await work.list();
  assert(runs.ok && runs.value.length <= 2, "there is the batch, and at most one taking back");
  const first = runs.value.find(({ title }) => !title.startsWith("Undo: "));
  // Cut before the decision was whole: nothing was approved and nothing has moved.
  if (first === undefined) return assert(isSame(files, new Map(BEFORE)), "what was not approved moves nothing");
  assert(
    runs.value.every(({ run }) => run.status === "done"),
    `every run ends: ${JSON.stringify(runs.value)}`,
  );
  const isBack = runs.value.length === 2;
  assert(
    isSame(files, isBack ? new Map(BEFORE) : AFTER),
    `every file is where it belongs: ${[...files.keys()].join()}`,
  );
  const undo = await work.batches.undo(first.run.runId, BY);
  assert(undo.ok && undo.value.runId !== null, `UNDO-03 it is taken back: ${JSON.stringify(undo)}`);
  await untilEnded(working);
  assert(isSame(files, new Map(BEFORE)), "every file is back");
  assert(new Set(effects).size === effects.length, `T10 nothing is moved twice: ${effects.join(", ")}`);
}

const TURNS_MAX = 20_000;

/** A running Silas begins the taking back by itself. */
async function untilEnded({ work }: Working): Promise<void> {
  for (let turns = 0; turns < TURNS_MAX; turns += 1) {
    const listed = await work.list();
    if (listed.ok && listed.value.every(({ run }) => run.endedAt !== null)) return;
    await turn();
  }
  throw new Error("a run does not end");
}

const isSame = (a: Disk, b: Disk): boolean => JSON.stringify([...a].toSorted()) === JSON.stringify([...b].toSorted());
