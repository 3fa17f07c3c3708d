import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { assert, err, uuidV7, type Result } from "#base";
import { decide, digestOfCommand, furtherReadsOf, readsOf } from "#journal";
import type { JournalCommand, JournalCommit, OperationId } from "#model";
import type { JournalStore } from "#ports";
import { openJournal, type StoresOptions } from "#stores";
import { checkIntegrity, createCutDisk, lookAt, lookAtAll, type PickStates } from "./disk.ts";
import { checkState, checkTrees, loadState, type JournalState } from "./journal-checks.ts";
import { randomCommand } from "./journal-commands.ts";
import { createSeeded, createVirtualClock, type Seeded, type VirtualClock } from "./seeded.ts";

const START_MS = 1_794_729_600_000;
const FILE = "db.sqlite";
const COMMANDS_BEFORE = 6;

export type World = { readonly root: string; readonly seeded: Seeded; readonly clock: VirtualClock };

/** Works in a directory of its own, which goes away whatever happens. */
export async function inWorld<T>(seed: number, work: (world: World) => Promise<T>): Promise<T> {
  // Which writes reach the disk is decided by the cuts, so a disk in memory does as well and never waits.
  const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "silas-sim-"));
  try {
    return await work({ root, seeded: createSeeded(seed), clock: createVirtualClock(START_MS) });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** How many states were cut and looked at. */
export type Cuts = { readonly states: number };

/**
 * Cuts a journal commit at every write boundary of a real file: before each statement, and inside the commit at every
 * frame of the log, cleanly and torn. Each state is opened again, must be the one before or the one after, and takes the
 * same operation once more to reach the one after. [JOURNAL-10, JOURNAL-11, JOURNAL-12]
 */
export function cutJournalCommit(seed: number, pick?: PickStates): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    const dataDir = join(world.root, "data");
    const disk = createCutDisk({ dataDir, file: FILE, into: join(world.root, "cuts") });
    const store = await open(world, { dataDir, onStatement: disk.onStatement });
    const applied: OperationId[] = [];
    for (let index = 0; index < COMMANDS_BEFORE; index += 1) {
      const commit = await decideNext(world, { store, applied });
      assert((await store.commit(commit)).ok, "an undisturbed commit succeeds");
      applied.push(commit.operationId);
    }
    const commit = await decideBig(world, store);
    const before = JSON.stringify(await loadState(store));
    disk.start();
    const committed = await store.commit(commit);
    assert(committed.ok, "an undisturbed commit succeeds");
    disk.finish();
    const after = JSON.stringify(await loadState(store));
    await store.close();
    assert(before !== after, "the commit that is cut changes something");
    let states = await lookAtAll(disk.states(), {
      file: FILE,
      into: world.root,
      pick,
      look: (dir) => checkCut(world, { dir, commit, before, after }),
    });
    const again = world.seeded.pick(disk.states());
    await lookAt({ state: again, file: FILE, into: world.root }, async (dir) => {
      states += await cutRecovery(world, { dir, commit, before, after, pick });
    });
    return { states };
  });
}

type Cut = {
  readonly dir: string;
  readonly commit: JournalCommit;
  readonly before: string;
  readonly after: string;
};

async function checkCut(world: World, { dir, commit, before, after }: Cut): Promise<void> {
  const store = await open(world, { dataDir: dir });
  const found = await loadState(store);
  const text = JSON.stringify(found);
  assert(text === before || text === after, "JOURNAL-12 all of the operation or nothing of it");
  checkState(found, store.hostId);
  checkTrees(found);
  const again = await store.commit(commit);
  const isKnown = !again.ok && again.error.code === "operation_exists";
  assert(again.ok ? text === before : isKnown && text === after, "JOURNAL-11 the operation is applied once");
  assert(JSON.stringify(await loadState(store)) === after, "JOURNAL-11 sending it again leads to the same state");
  await store.close();
  checkIntegrity(join(dir, FILE));
}

/** The second crash: the start after the first one, and the repeated operation, are cut in the same way. */
async function cutRecovery(
  world: World,
  { pick, dir, commit, before, after }: Cut & { readonly pick: PickStates | undefined },
): Promise<number> {
  const disk = createCutDisk({ dataDir: dir, file: FILE, into: join(world.root, "cuts-again") });
  disk.start();
  const store = await open(world, { dataDir: dir, onStatement: disk.onStatement });
  await store.commit(commit);
  disk.finish();
  await store.close();
  return lookAtAll(disk.states(), {
    file: FILE,
    into: join(world.root, "again"),
    pick,
    look: (second) => checkCut(world, { dir: second, commit, before, after }),
  });
}

/**
 * Lets every single statement of a commit fail with an error of the disk. The store must answer with a fault, keep
 * nothing, and take the same commit on the same connection when the trouble is over.
 */
export function failJournalCommit(seed: number): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let failing: { at: number; readonly errcode: number } | null = null;
    let seen = 0;
    const onStatement = (): void => {
      seen += 1;
      if (failing === null || seen !== failing.at) return;
      throw Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: failing.errcode });
    };
    const store = await open(world, { dataDir: join(world.root, "data"), onStatement });
    let states = 0;
    for (const [errcode, code] of [
      [10, "store_failed"],
      [13, "disk_full"],
      [5, "store_busy"],
    ] as const) {
      const commit = await decideBig(world, store);
      const before = JSON.stringify(await loadState(store));
      for (let at = 1; ; at += 1) {
        seen = 0;
        failing = { at, errcode };
        const answer: Result<unknown, { readonly code: string }> = await store.commit(commit);
        failing = null;
        if (answer.ok) break;
        states += 1;
        assert(answer.error.code === code, `statement ${at}: the fault is ${code}`);
        assert(JSON.stringify(await loadState(store)) === before, `statement ${at}: nothing was kept`);
      }
      checkState(await loadState(store), store.hostId);
    }
    await store.close();
    return { states };
  });
}

/** Cuts the first migration and a second one on existing data; each is recorded and applied, or neither. */
export function cutMigrations(seed: number, pick?: PickStates): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    const dataDir = join(world.root, "data");
    const migrationsDir = join(world.root, "migrations");
    cpSync(SHIPPED_MIGRATIONS, migrationsDir, { recursive: true });
    mkdirSync(dataDir, { recursive: true });
    let states = 0;
    for (const upgrade of UPGRADES) {
      if (upgrade !== null) writeFileSync(join(migrationsDir, "journal", SIMULATED), upgrade);
      const disk = createCutDisk({ dataDir, file: FILE, into: join(world.root, `cuts-${states}`) });
      disk.start();
      const store = await open(world, { dataDir, migrationsDir, onStatement: disk.onStatement });
      disk.finish();
      if (upgrade === null) await store.commit(await decideBig(world, store));
      const whole = await loadState(store);
      await store.close();
      const isUpgrade = upgrade !== null;
      states += await lookAtAll(disk.states(), {
        file: FILE,
        into: world.root,
        pick,
        look: (dir) => checkMigrated(world, { dir, migrationsDir, whole: isUpgrade ? whole : null }),
      });
    }
    return { states };
  });
}

type Migrated = { readonly dir: string; readonly migrationsDir: string; readonly whole: JournalState | null };

/** Starting again completes a migration that was cut. One that is recorded has done all of its work, once. */
async function checkMigrated(world: World, { dir, migrationsDir, whole }: Migrated): Promise<void> {
  const store = await open(world, { dataDir: dir, migrationsDir });
  const found = await loadState(store);
  await store.close();
  checkIntegrity(join(dir, FILE));
  if (whole === null) return;
  assert(JSON.stringify(found) === JSON.stringify(whole), "no record is lost");
  const database = new DatabaseSync(join(dir, FILE));
  const row = database
    .prepare("SELECT (SELECT count(*) FROM simulated) AS rows, (SELECT count(*) FROM applied_migrations) AS recorded")
    .get();
  database.close();
  assert(row?.["rows"] === whole.records.length && row["recorded"] === SHIPPED + 1, "MIG-06 recorded and applied");
}

const SHIPPED_MIGRATIONS = fileURLToPath(new URL("../src/shell/stores/migrations", import.meta.url));
const SHIPPED = readdirSync(join(SHIPPED_MIGRATIONS, "journal")).length;
const SIMULATED = `${String(SHIPPED + 1).padStart(3, "0")}_simulated.sql`;

/** The shipped migrations on an empty file, then one that rewrites every row. */
const UPGRADES = [
  null,
  `CREATE TABLE simulated (id TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT;
INSERT INTO simulated SELECT id, body FROM records;
ALTER TABLE operations ADD COLUMN simulated INTEGER;
UPDATE records SET updated_at = updated_at;
`,
] as const;

export async function open(world: World, options: Omit<StoresOptions, "clock" | "random">): Promise<JournalStore> {
  const opened = await openJournal({ ...options, clock: world.clock, random: world.seeded });
  assert(opened.ok, `the journal opens: ${opened.ok ? "" : JSON.stringify(opened.error)}`);
  return opened.value;
}

type Going = { readonly store: JournalStore; readonly applied: readonly OperationId[] };

/** A random command that core accepts and that writes something. */
export async function decideNext(world: World, { store, applied }: Going): Promise<JournalCommit> {
  for (;;) {
    world.clock.moveMs(1000);
    const { records } = await loadState(store);
    const command = randomCommand({ seeded: world.seeded, at: world.clock.now(), records, applied });
    const decided = await decideOn(world, { store, command });
    if (decided.ok && decided.value.writes.length > 0) return decided.value;
  }
}

/** A command with many parts: a follow-up that carries items over and closes its source. [JOURNAL-12] */
async function decideBig(world: World, store: JournalStore): Promise<JournalCommit> {
  world.clock.moveMs(1000);
  const title = `source ${world.seeded.below(1000)}`;
  const items = ["one", "two", "three", "x".repeat(400)];
  const created = await decideOn(world, { store, command: { kind: "task.create", title, items } });
  assert(created.ok && (await store.commit(created.value)).ok, "a task is created");
  const sourceTaskId = created.value.subjectId;
  assert(sourceTaskId !== null, "a task is created");
  const followUp = await decideOn(world, {
    store,
    command: {
      kind: "task.followUp",
      sourceTaskId,
      newTaskTitle: "follow up",
      carryOverOpenChecklistItems: true,
      closeSourceTaskAs: "DONE",
      preserveCategoryAndLabels: true,
    },
  });
  assert(followUp.ok && followUp.value.writes.length > 3, "a follow-up writes several records");
  return followUp.value;
}

type Asked = { readonly store: JournalStore; readonly command: JournalCommand };

async function decideOn(world: World, { store, command }: Asked): Promise<Result<JournalCommit, { code: string }>> {
  const at = world.clock.now();
  const operationId = uuidV7(at, world.seeded.bytes(10)) as OperationId;
  const first = await store.read(readsOf(command));
  if (!first.ok) return err(first.error);
  const further = await store.read(furtherReadsOf(command, first.value));
  if (!further.ok) return err(further.error);
  const facts = {
    records: new Map([...first.value.records, ...further.value.records]),
    operations: new Map([...first.value.operations, ...further.value.operations]),
  };
  const decided = decide({ command, operationId, at, facts });
  if (!decided.ok) return err({ code: decided.error.code });
  return { ok: true, value: { operationId, command, commandDigest: digestOfCommand(command), at, ...decided.value } };
}
