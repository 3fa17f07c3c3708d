import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { assert, sha256Hex } from "#base";
import { batchProposalSchema, readMoveFiles, type BatchProposal, type KeptRequest } from "#model";
import { answerTo, BY, RUNTIME_FILE } from "./approval-world.ts";
import { createCutting, lookAtEach } from "./disk.ts";
import { inWorld, type World } from "./disk-run.ts";
import { answer, approve, chainOf, openGoals, setClock, type GoalWorld } from "./goals.fixture.ts";
import { runOf, until, type Script } from "./work-world.ts";

const GOAL = "goal-files";
const OLD_S = Date.UTC(2026, 10, 1) / 1000;

const goalFile = (folder: string): string => `---
id: ${GOAL}
type: goal
title: Keep the folder tidy
schedule: "* * * * *"
files: { read: [${folder}] }
reviewed_batches: { folder: ${folder} }
---

# What to do

Ask about what has come.
`;

function put(folder: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `bytes of ${name}`);
    utimesSync(join(folder, name), OLD_S, OLD_S);
  }
}
const treeOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

type Call = {
  readonly tool: string;
  readonly args: { readonly from: string; readonly to: string; readonly sha256: string };
};

/** Moves as the real program does, and says what it moved. */
const moving =
  (moved: string[]): Script =>
  ({ argv, stdin }) => {
    if (argv.includes("placed") || argv.includes("kept")) return 0;
    const { tool, args } = JSON.parse(new TextDecoder().decode(stdin)) as Call;
    if (tool !== "file_move") return 0;
    const isSame = existsSync(args.from) && sha256Hex(readFileSync(args.from, "utf8")) === args.sha256;
    if (!isSame || existsSync(args.to)) return 0;
    mkdirSync(dirname(args.to), { recursive: true });
    renameSync(args.from, args.to);
    moved.push(args.to);
    return 0;
  };

type Scene = {
  readonly silas: GoalWorld;
  readonly folder: string;
  readonly moved: readonly string[];
  /** What the database was told to do. */
  readonly statements: string[];
  readonly world: World;
};

function inFolder(names: readonly string[], play: (scene: Scene) => Promise<void>): Promise<void> {
  return inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    // The world may lie in memory, where nothing can be granted.
    const root = mkdtempSync("/var/tmp/silas-goal-");
    const folder = join(root, "files");
    put(folder, names);
    put(root, ["beside.pdf"]);
    const moved: string[] = [];
    const statements: string[] = [];
    const silas = await openGoals(world, { script: moving(moved), onStatement: (sql) => void statements.push(sql) });
    try {
      await silas.work.start();
      await play({ silas, folder, moved, statements, world });
      await silas.close();
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
}

/** Lets a minute pass, with the look that is due in it. */
async function looked({ silas }: Pick<Scene, "silas">): Promise<void> {
  const before = await looksOf(silas);
  await silas.pass(1);
  await until(async () => (await looksOf(silas)) > before);
}
async function looksOf({ trust }: GoalWorld): Promise<number> {
  const last = await trust.stores.goals.lastCycle(GOAL);
  assert(last.ok, "cycles can be read");
  return last.value?.number ?? 0;
}

async function waiting({ trust }: GoalWorld): Promise<readonly KeptRequest[]> {
  const listed = await trust.stores.approvals.list(["pending"]);
  assert(listed.ok, "requests can be read");
  return listed.value.filter(({ kind }) => kind === "batch_review");
}
const batchIn = ({ markdown }: KeptRequest): BatchProposal => batchProposalSchema.parse(JSON.parse(markdown));
const batches = async (silas: GoalWorld) =>
  (await waiting(silas)).filter((one) => batchIn(one).action === "move_files");
const questions = async (silas: GoalWorld) =>
  (await waiting(silas)).filter((one) => batchIn(one).action === "choose_move");
/** What a running Silas begins by itself after a decision. */
async function carriedOut({ work }: GoalWorld, request: KeptRequest): Promise<string> {
  const runId = await runOf(work, request);
  await work.runGranted(runId);
  return runId;
}

const SURE = Array.from({ length: 12 }, (_, at) => `f${String(at + 1).padStart(2, "0")}.pdf`);

test("[BATCH-01] [BATCH-02] a goal looks where it may read, puts what it found out in batches, and nothing moves before each is decided", () =>
  inFolder([...SURE, "inside/old.pdf"], async (scene) => {
    const { silas, folder, moved } = scene;
    const before = treeOf(folder);
    const proposed = await silas.trust.approvals.propose(goalFile(folder), BY);
    assert(proposed.ok, "a goal is proposed");
    await silas.pass(3);
    // Not before the goal itself is approved.
    expect(await batches(silas)).toEqual([]);
    await approve(silas, goalFile(folder));
    await looked(scene);
    const [first, ...more] = await batches(silas);
    assert(first !== undefined && more.length === 0, "one batch waits, and the rest behind it");
    expect(batchIn(first).items.map(({ title }) => title)).toEqual(SURE.slice(0, 10));
    expect(batchIn(first).items.every(({ confidence }) => confidence >= 0.5)).toBe(true);
    expect(first.workItemId).toBe(`${GOAL}.files`);
    // However often it looks, the same is asked about once, and nothing moves.
    await looked(scene);
    await looked(scene);
    expect(await waiting(silas)).toHaveLength(1);
    expect(treeOf(folder)).toEqual(before);
    expect(await silas.work.goals.show(GOAL)).toMatchObject({ ok: true, value: { status: "waiting_for_you" } });
    await answer(silas, { request: first, verdict: "approved" });
    const runId = await carriedOut(silas, first);
    expect(moved.map((path) => path.slice(folder.length + 1)).toSorted()).toEqual(
      SURE.slice(0, 10).map((name) => `Documents/${name}`),
    );
    // It ran under the token of its own batch, and can be taken back.
    expect(await silas.work.show(runId)).toMatchObject({
      ok: true,
      value: { run: { status: "done" }, undo: { state: "open" } },
    });
    await silas.work.batches.next();
    const [second] = await batches(silas);
    assert(second !== undefined, "the next batch is asked about");
    expect(batchIn(second).items.map(({ title }) => title)).toEqual(SURE.slice(10));
    await answer(silas, { request: second, verdict: "declined" });
    await looked(scene);
    // What was declined stays and is not asked about again; what has come since is.
    expect(await waiting(silas)).toEqual([]);
    put(folder, ["new.png"]);
    await looked(scene);
    const [third] = await batches(silas);
    expect(third === undefined ? [] : batchIn(third).items.map(({ title }) => title)).toEqual(["new.png"]);
    expect(moved).toHaveLength(10);
    expect(treeOf(folder)).toEqual(expect.arrayContaining(["f11.pdf", "f12.pdf", "inside/old.pdf", "new.png"]));
    expect(existsSync(join(folder, "..", "beside.pdf"))).toBe(true);
    const events = (await chainOf(silas)).filter(({ event }) => event === "goal_items_asked");
    expect(events.map(({ data }) => data["in_batches"])).toEqual([12, 1]);
  }));

test("a look that finds nothing new writes down nothing about files", () =>
  inFolder(SURE, async (scene) => {
    const { silas, folder, statements } = scene;
    await approve(silas, goalFile(folder));
    const writes = () => statements.filter((sql) => /^(INSERT INTO|DELETE FROM) (goal_items|batch_series)/u.test(sql));
    await looked(scene);
    expect(writes()).not.toEqual([]);
    statements.length = 0;
    await looked(scene);
    expect(writes()).toEqual([]);
  }));

test("[BATCH-03] what no rule is sure about is a question of its own that no approval answers; a choice is a batch of one under its own signature, and can be taken back", () =>
  inFolder(["README", "clip.ts", "notes.pdf"], async (scene) => {
    const { silas, folder, moved } = scene;
    await approve(silas, goalFile(folder));
    await looked(scene);
    expect(await batches(silas)).toHaveLength(1);
    const asked = await questions(silas);
    expect(asked.map((one) => batchIn(one).items.length)).toEqual([2, 2]);
    const [about, other] = asked;
    assert(about !== undefined && other !== undefined, "there are two questions");
    // Nothing approves a question, on whatever way it comes.
    expect(await silas.trust.approvals.decide(answerTo(about, "approved"))).toMatchObject({
      ok: false,
      error: { code: "decision_changed" },
    });
    expect(
      await silas.trust.approvals.select({ requestId: about.requestId, itemIds: ["1", "2"], actor: BY }),
    ).toMatchObject({ ok: false, error: { code: "selection_refused" } });
    await looked(scene);
    expect(moved).toEqual([]);
    const chosen = await silas.trust.approvals.select({ requestId: about.requestId, itemIds: ["2"], actor: BY });
    assert(chosen.ok, "a way is chosen");
    const { request } = chosen.value;
    const ways = readMoveFiles({ params: batchIn(request).params, item_ids: ["2"] });
    assert(ways.ok && ways.value.moves.length === 1, "it is a batch of one");
    const [{ from, to } = { from: "", to: "" }] = ways.value.moves;
    // Choosing alone does not move it either.
    await looked(scene);
    expect(treeOf(folder)).toContain(from);
    await answer(silas, { request, verdict: "approved" });
    const runId = await carriedOut(silas, request);
    expect(moved).toEqual([join(folder, to)]);
    const undo = await silas.work.batches.undo(runId, BY);
    assert(undo.ok && undo.value.runId !== null, "it is taken back");
    await silas.work.runGranted(undo.value.runId);
    // Leaving it is a decline, and neither is asked again.
    await answer(silas, { request: other, verdict: "declined" });
    await looked(scene);
    expect(await questions(silas)).toEqual([]);
    expect(treeOf(folder)).toEqual(["README", "clip.ts", "notes.pdf"].toSorted());
  }));

test("[BATCH-01] ended at every write of a look, Silas asks about each file once", () =>
  inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    const root = mkdtempSync("/var/tmp/silas-goal-");
    const folder = join(root, "files");
    put(folder, ["a.pdf", "b.png", "README"]);
    const dataDir = join(world.root, "data");
    const into = join(world.root, "cuts");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: () => null });
    const silas = await openGoals(world, { dataDir, onStatement: cutting.onStatement, script: moving([]) });
    await silas.work.start();
    await approve(silas, goalFile(folder));
    cutting.start();
    await looked({ silas });
    await until(async () => (await waiting(silas)).length === 2);
    cutting.finish();
    await silas.close();
    const states = await lookAtEach(cutting.cuts(), {
      file: RUNTIME_FILE,
      into: join(world.root, "then"),
      async look(dir) {
        const moved: string[] = [];
        const again = await openGoals(world, { dataDir: dir, vault: silas.vault, script: moving(moved) });
        await again.work.start();
        await looked({ silas: again });
        await looked({ silas: again });
        const names = (await waiting(again)).flatMap((one) => batchIn(one).items.map(({ title }) => title));
        expect(names.toSorted()).toEqual(["README", "README", "a.pdf", "b.png"]);
        expect(moved).toEqual([]);
        await again.close();
      },
    });
    expect(states).toBeGreaterThan(5);
    rmSync(root, { recursive: true, force: true });
  }));
