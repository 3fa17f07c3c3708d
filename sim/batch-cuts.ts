import { dirname, join } from "node:path";
import { assert, sha256Hex, type Instant } from "#base";
import type { BatchProposal } from "#model";
import type { Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { answerTo, BY, countRows, RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach, type PickStates } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";
import {
  allEnded,
  closeWork,
  openWork,
  playSandboxes,
  runOf,
  settleAll,
  type Script,
  type Working,
} from "./work-world.ts";

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

type Move = { readonly from: string; readonly to: string; readonly bytes: string };
type Moves = { readonly name: string; readonly folder: string; readonly moves: readonly Move[]; readonly at: Instant };

/** Files that a rule would move, each into a folder that is made for it. */
export const batchOf = ({ name, folder, moves, at }: Moves): BatchProposal => ({
  kind: "batch_review",
  batch_id: name,
  goal_id: name,
  action: "move_files",
  params: {
    folder,
    moves: moves.map(({ from, to, bytes }, index) => ({
      item_id: String(index + 1),
      from,
      to,
      sha256: sha256Hex(bytes),
    })),
    folders_made: [...new Set(moves.map(({ to }) => dirname(to)))],
    folders_removed: [],
  },
  items: moves.map(({ from }, index) => ({
    item_id: String(index + 1),
    title: from,
    actor: "rules",
    occurred_at: at,
    reason: "By kind",
    confidence: 0.9,
  })),
  reason_summary: "By kind",
  confidence_min: 0.9,
  created_at: at,
});

const MOVES = [
  { from: "a.pdf", to: "Documents/a.pdf", bytes: "a" },
  { from: "b.png", to: "Images/b.png", bytes: "b" },
];

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
export function cutBatches(seed: number, pick?: PickStates): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    const dataDir = join(world.root, "batch");
    const vault = createMemoryVault();
    const files: Disk = new Map(BEFORE);
    const into = join(world.root, "cuts-batch");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: (): Disk => new Map(files) });
    const sandboxes = playSandboxes(join(world.root, "spaces"), movesIn(files, []));
    const working = await openWork(world, { dataDir, vault, sandboxes, onStatement: cutting.onStatement });
    const batch = batchOf({ name: "tidy-sim", folder: FOLDER, moves: MOVES, at: world.clock.now() });
    const proposed = await working.trust.approvals.proposePayload(batch, BY);
    assert(proposed.ok, `a batch is proposed: ${JSON.stringify(proposed)}`);
    const { request } = proposed.value;
    cutting.start();
    assert((await working.trust.approvals.decide(answerTo(request, "approved"))).ok, "a batch is approved");
    const runId = await runOf(working.work, request);
    await working.work.runGranted(runId);
    assert(isSame(files, AFTER), "undisturbed every file is moved");
    const undo = await working.work.batches.undo(runId, BY);
    assert(undo.ok && undo.value.runId !== null, `it is taken back: ${JSON.stringify(undo)}`);
    await working.work.runGranted(undo.value.runId);
    cutting.finish();
    assert(isSame(files, new Map(BEFORE)), "undisturbed every file is back");
    await closeWork(working);
    const look = (dir: string, disk: Disk): Promise<void> => checkCut(world, { dir, vault, disk });
    return { states: await lookAtEach(cutting.cuts(), { file: RUNTIME_FILE, into: world.root, pick, look }) };
  });
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
  await closeWork(working);
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
  // A running Silas begins the taking back by itself.
  await allEnded(work);
  assert(isSame(files, new Map(BEFORE)), "every file is back");
  assert(new Set(effects).size === effects.length, `T10 nothing is moved twice: ${effects.join(", ")}`);
}

const isSame = (a: Disk, b: Disk): boolean => JSON.stringify([...a].toSorted()) === JSON.stringify([...b].toSorted());
