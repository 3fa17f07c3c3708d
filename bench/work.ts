import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock, systemRandomness, systemTimers } from "../src/shell/runtime/index.ts";
import { createMemoryVault } from "../src/shell/stores/index.ts";
import { createSandboxes } from "../src/shell/sandbox/index.ts";
import type { Sandboxes } from "../src/shell/ports.ts";
import { createSeeded, grantPlan, openWork, OUTSIDE, playSandboxes, type Working } from "../sim/index.ts";
import { bareLaunch } from "./bare-launch.ts";
import { quantile, type Line } from "./measure.ts";
import { makeDir, whenMeasured } from "./places.ts";

const STEPS = 12;
/** As many as a list shows. */
const FEWEST = 100;
const FEW = 1_000;
const MANY = 10_000;
const LISTINGS = 20;
const INTERRUPTED = 1_000;
const ROUNDS = 5;
const LOOK_AGAIN_MS = 20;

/**
 * Runs of approved plans. A step is measured from the approval that was granted to the end of its run, ledger and audit
 * entries included, and shared out among the steps; the limit launches the same program in bubblewrap alone. Lists are
 * those of `silas work list`. Interrupted runs are those a crash left in a step that reaches outside: each is loaded with
 * its plan and ledger, judged, and kept as in doubt with its entries; the limit commits as many rows, one at a time.
 */
export async function lines(): Promise<readonly Line[]> {
  const stepping = await open(join(makeDir(), "data"), realSandboxes());
  const [fewest, few, many] = [await openFilled(FEWEST), await openFilled(FEW), await openFilled(MANY)];
  const bare = bareLaunch(makeDir(), "/usr/bin/true");
  return [
    {
      what: `a step of a plan with ${STEPS}`,
      unit: "ms/step",
      product: () => stepMs(stepping),
      limit: () => medianOf(STEPS, bare),
      peer: null,
      goals: [],
      rounds: ROUNDS,
    },
    {
      what: `list runs, ${FEW} kept against ${FEWEST}`,
      unit: "cpu ms",
      product: () => cpuMsOf(LISTINGS, () => list(few)),
      limit: () => cpuMsOf(LISTINGS, () => list(fewest)),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.2 }],
      rounds: ROUNDS,
    },
    {
      what: `list runs, ${MANY} kept against ${FEW}`,
      unit: "cpu ms",
      product: () => cpuMsOf(LISTINGS, () => list(many)),
      limit: () => cpuMsOf(LISTINGS, () => list(few)),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.2 }],
      rounds: ROUNDS,
    },
    {
      what: `list runs, ${MANY} kept against their rows`,
      unit: "cpu ms",
      product: () => cpuMsOf(LISTINGS, () => list(many)),
      limit: () => cpuMsOf(LISTINGS, async () => readRows(many.rows)),
      peer: null,
      goals: [],
      rounds: ROUNDS,
    },
    {
      what: `take up ${INTERRUPTED} interrupted runs`,
      unit: "ms",
      product: takeUp,
      limit: commitRows,
      peer: null,
      goals: [],
    },
  ];
}

async function open(dataDir: string, sandboxes: Sandboxes): Promise<Working> {
  // Chance and time are real here; the world only hands them on.
  const world = { root: dataDir, seeded: { ...createSeeded(1), ...systemRandomness }, clock: CLOCK };
  const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes });
  whenMeasured(async () => {
    await working.work.close();
    working.trust.stores.close();
  });
  return working;
}
const CLOCK = { ...systemClock, moveMs: () => {} };

function realSandboxes(): Sandboxes {
  const { platform, arch, execPath: node } = process;
  return createSandboxes({
    settings: { backend: "subprocess", workDir: makeDir() },
    own: [],
    host: { platform, arch, searchPath: process.env["PATH"] ?? "", node },
    randomness: systemRandomness,
    timers: systemTimers,
  });
}

let plans = 0;

async function stepMs(working: Working): Promise<number> {
  plans += 1;
  const steps = Array.from({ length: STEPS }, (_, index) => `  - { name: step ${index}, run: /usr/bin/true }`);
  const head = `id: task-${plans}\ntype: task\ntitle: Do nothing\nbudget: { max_attempts: 1 }`;
  const runId = await grantPlan(working, `---\n${head}\nsteps:\n${steps.join("\n")}\n---\n\n# Nothing\n\nNothing.\n`);
  const startedMs = performance.now();
  await working.work.runGranted(runId);
  const tookMs = performance.now() - startedMs;
  const shown = await working.work.show(runId);
  if (!shown.ok || shown.value.run.status !== "done") throw new Error(JSON.stringify(shown));
  return tookMs / STEPS;
}

type Filled = Working & { readonly rows: DatabaseSync };

/** A data directory with so many runs that have ended, each with its own approval. */
async function openFilled(count: number): Promise<Filled> {
  const dataDir = join(makeDir(), "data");
  await makeRuns(dataDir, { count, status: "done" });
  const working = await open(dataDir, playSandboxes(makeDir()));
  const rows = new DatabaseSync(join(dataDir, "silas.db"), { readOnly: true });
  whenMeasured(() => rows.close());
  return { ...working, rows };
}

async function list({ work }: Working): Promise<void> {
  const listed = await work.list();
  if (!listed.ok || listed.value.length === 0) throw new Error("nothing is listed");
}

function readRows(database: DatabaseSync): void {
  const rows = database.prepare("SELECT record FROM work_runs ORDER BY started_at DESC, run_id DESC LIMIT 100").all();
  for (const { record } of rows) JSON.parse(String(record));
}

/** One run on a real approval, and its rows again and again under other names: nothing here is verified. */
async function makeRuns(dataDir: string, { count, status }: { readonly count: number; readonly status: string }) {
  const first = await open(dataDir, playSandboxes(makeDir()));
  await first.work.runGranted(await grantPlan(first, OUTSIDE));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER "${String(name)}"`);
  }
  database.exec("PRAGMA foreign_keys = OFF");
  if (status === "running") {
    database.exec(`UPDATE work_ledger SET state = 'started', entry = json_set(entry, '$.state', 'started', '$.ended_at', NULL)
      WHERE position = 2`);
    database.exec(`UPDATE work_runs SET status = 'running', ended_at = NULL,
      record = json_set(record, '$.status', 'running', '$.ended_at', NULL, '$.results', json('[]'))`);
  }
  database.exec("BEGIN");
  for (const table of TABLES) cloneRows(database, { table, count: count - 1 });
  database.exec("COMMIT");
  database.close();
}

const TABLES = [
  "pending_decisions",
  "request_headings",
  "approval_tokens",
  "attempt_lineages",
  "approval_uses",
  "decision_tokens",
  "work_runs",
  "work_ledger",
];
const IDS = new Set(["request_id", "token_id", "nonce", "lineage_id", "run_id", "execution_id", "record", "entry"]);

function cloneRows(database: DatabaseSync, { table, count }: { readonly table: string; readonly count: number }): void {
  const rows = database.prepare(`SELECT * FROM ${table}`).all();
  const ids = idsIn(database);
  for (const row of rows) {
    const columns = Object.keys(row);
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`);
    for (let number = 1; number <= count; number += 1) {
      const values = columns.map((column) => {
        const value = row[column] ?? null;
        if (!IDS.has(column) || typeof value !== "string") return value;
        return ids.reduce((text, id) => text.replaceAll(id, `${id}-${number}`), value);
      });
      insert.run(...values);
    }
  }
}

function idsIn(database: DatabaseSync): readonly string[] {
  const row = database
    .prepare(
      `SELECT a.token_id, a.nonce, u.lineage_id, d.request_id FROM approval_tokens a
       JOIN approval_uses u ON u.nonce = a.nonce JOIN decision_tokens d ON d.token_id = a.token_id LIMIT 1`,
    )
    .get();
  return Object.values(row ?? {}).map(String);
}

async function takeUp(): Promise<number> {
  const dataDir = join(makeDir(), "data");
  await makeRuns(dataDir, { count: INTERRUPTED, status: "running" });
  const working = await open(dataDir, playSandboxes(makeDir()));
  const database = new DatabaseSync(join(dataDir, "silas.db"), { readOnly: true });
  const left = database.prepare("SELECT count(*) AS n FROM work_runs WHERE ended_at IS NULL");
  const startedMs = performance.now();
  await working.work.start();
  while (left.get()?.["n"] !== 0) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  const tookMs = performance.now() - startedMs;
  database.close();
  const doubtful = await working.trust.stores.work.inDoubt();
  if (!doubtful.ok || doubtful.value.length !== INTERRUPTED) throw new Error("not every run is in doubt");
  return tookMs;
}

function commitRows(): number {
  const database = new DatabaseSync(join(makeDir(), "rows.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO rows (record) VALUES (?)");
  const startedMs = performance.now();
  for (let number = 0; number < INTERRUPTED; number += 1) insert.run("x".repeat(600));
  const tookMs = performance.now() - startedMs;
  database.close();
  return tookMs;
}

async function medianOf(times: number, work: () => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < times; count += 1) {
    const startedMs = performance.now();
    await work();
    took.push(performance.now() - startedMs);
  }
  return quantile(took, 0.5);
}

async function cpuMsOf(times: number, work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  for (let count = 0; count < times; count += 1) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / times;
}
