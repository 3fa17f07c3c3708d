import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { AuditDraft, AuditRow } from "#model";
import { openMigrated } from "../open-store.ts";
import { openRuntime, SHIPPED_MIGRATIONS } from "../open-stores.ts";
import { AT, auditRules, countingRandom, fixedClock, must, tempDir } from "../store.fixture.ts";

const DIGEST = "a".repeat(64);
const asked = (n: number) => ({ request_id: `request-${n}`, plan_hash: DIGEST, work_item_id: `work-${n}` });
const granted = (n: number) => ({ token_id: `token-${n}`, key_id: "key-1", use_number: 1, lineage_id: `run-${n}` });
const checked = { is_verified: true, checks: 1, checks_passed: 1 };

/** Every event that is looked up by something, as if about the thing with this number. */
const aboutThing = (
  n: number,
): readonly { readonly event: AuditDraft["event"]; readonly data: { readonly [f: string]: unknown } }[] => [
  { event: "migration_applied", data: { store: "runtime", migration: `00${n}_some` } },
  { event: "key_enrolled", data: { key_id: `key-${n}`, key_name: "laptop" } },
  { event: "message_received", data: { message_id: `message-${n}`, channel: "web", taint: "external", key_id: null } },
  { event: "turn_ended", data: { message_id: `message-${n}`, taint: "external", request_id: null } },
  {
    event: "memory_stored",
    data: { memory_id: `memory-${n}`, scope_id: "owner", taint: "owner", trust: "working", source: "owner" },
  },
  { event: "memory_promoted", data: { memory_id: `memory-${n}`, token_id: `token-${n}`, item_digest: DIGEST } },
  { event: "approval_granted", data: { ...asked(n), ...granted(n), friction: [] } },
  {
    event: "run_started",
    data: { run_id: `run-${n}`, work_item_id: `work-${n}`, token_id: `token-${n}`, plan_hash: DIGEST },
  },
  {
    event: "run_ended",
    data: { run_id: `run-${n}`, work_item_id: `work-${n}`, status: "done", attempts: 1, ...checked },
  },
  { event: "approval_used", data: { ...granted(n), use_number: 2, plan_hash: DIGEST, content_hash: DIGEST } },
  {
    event: "skill_installed",
    data: { request_id: `request-${n}`, skill: `skill-${n}`, tree_digest: DIGEST, token_id: `token-${n}` },
  },
  {
    event: "limit_changed",
    data: {
      request_id: `request-${n}`,
      token_id: `token-${n}`,
      key: "batch_review.default_size",
      from: "5",
      to: "10",
      configured: "5",
      direction: "widen",
    },
  },
  { event: "stream_loaded", data: { goal_id: `goal-${n}`, request_id: `request-${n}`, plan_hash: DIGEST } },
  {
    event: "batch_outcome",
    data: { request_id: `request-${n}`, work_item_id: `work-${n}`, outcome: "approved", items: 3 },
  },
  {
    event: "goal_asked",
    data: { goal_id: `goal-${n}`, cycle: 1, task_id: `task-${n}`, request_id: `request-${n}`, reason: "not_covered" },
  },
  { event: "journal_import_started", data: { act_id: `act-${n}` } },
  { event: "journal_import_failed", data: { act_id: `act-${n}`, reason: "some_reason" } },
  { event: "message_endorsed", data: { message_id: `message-${n}`, token_id: `token-${n}` } },
  { event: "memory_forgotten", data: { memory_id: `memory-${n}` } },
  { event: "step_in_doubt", data: { run_id: `run-${n}`, work_item_id: `work-${n}`, attempt: 1, step_index: 1 } },
  {
    event: "run_settled",
    data: { run_id: `run-${n}`, work_item_id: `work-${n}`, choice: "leave", ...checked, settlement_hash: DIGEST },
  },
  { event: "skill_removed", data: { skill: `skill-${n}`, tree_digest: DIGEST } },
  { event: "key_revoked", data: { key_id: `key-${n}`, key_name: "laptop" } },
  { event: "instance_stopped", data: {} },
];

/** Each lookup as it was asked before there were subjects, and as it is asked now. */
const LOOKUPS = [
  ["event IN ('message_received', 'message_endorsed') AND json_extract(entry, '$.data.message_id') = :id", "message"],
  ["event = 'turn_ended' AND json_extract(entry, '$.data.message_id') = :id", "turn"],
  [
    `event IN ('memory_stored', 'memory_changed', 'memory_promoted', 'memory_forgotten')
      AND json_extract(entry, '$.data.memory_id') = :id`,
    "memory",
  ],
  ["event IN ('approval_granted', 'approval_used') AND json_extract(entry, '$.data.token_id') = :id", "approval"],
  [
    `event IN ('run_started', 'step_in_doubt', 'run_ended', 'run_settled')
      AND json_extract(entry, '$.data.run_id') = :id`,
    "run",
  ],
  ["event IN ('key_enrolled', 'key_revoked') AND json_extract(entry, '$.data.key_id') = :id", "key"],
  ["event IN ('skill_installed', 'skill_removed') AND json_extract(entry, '$.data.skill') = :id", "skill"],
  ["event = 'limit_changed' AND json_extract(entry, '$.data.key') = :id", "limit"],
  ["json_extract(entry, '$.data.act_id') = :id", "act"],
  ["event IN ('stream_loaded', 'stream_replaced', 'stream_taken_out', 'stream_unverified') AND :id IS NULL", "stream"],
  ["event = 'batch_outcome' AND :id IS NULL", "batch_outcome"],
  ["event = 'goal_asked' AND :id IS NULL", "goal_asked"],
  ["event = 'migration_applied' AND :id IS NULL", "migration_applied"],
] as const;

const THINGS = 3;
const IDS = [
  null,
  "batch_review.default_size",
  ...["message", "memory", "token", "run", "key", "skill", "act"].flatMap((what) =>
    Array.from({ length: THINGS + 1 }, (_, n) => `${what}-${n}`),
  ),
];

type Answers = { readonly [asked: string]: readonly unknown[] };

const inFile = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
};

const answersOf = (path: string, whereOf: (lookup: (typeof LOOKUPS)[number]) => string): Answers =>
  inFile(path, (db) =>
    Object.fromEntries(
      LOOKUPS.flatMap((lookup) =>
        IDS.map((id) => [
          `${lookup[1]} ${id}`,
          db
            .prepare(`SELECT seq FROM audit_entries WHERE ${whereOf(lookup)} ORDER BY seq`)
            .all({ id })
            .map((row) => row["seq"]),
        ]),
      ),
    ),
  );

const rowsOf = (path: string): readonly AuditRow[] =>
  inFile(path, (db) =>
    db.prepare("SELECT seq, entry AS text, hash FROM audit_entries ORDER BY seq").all(),
  ) as unknown as AuditRow[];

/** A `silas.db` as the version before subjects left it. */
async function makeOldFile(dataDir: string): Promise<string> {
  const [path, migrationsDir] = [join(dataDir, "silas.db"), join(tempDir(), "runtime")];
  mkdirSync(migrationsDir);
  const shipped = join(SHIPPED_MIGRATIONS, "runtime");
  for (const name of readdirSync(shipped).filter((one) => one < "033"))
    copyFileSync(join(shipped, name), join(migrationsDir, name));
  must(await openMigrated({ path, synchronous: "FULL", migrationsDir, at: AT })).close();
  inFile(path, (db) => {
    let head = auditRules.genesis;
    for (let n = 1; n <= THINGS; n += 1) {
      for (const { event, data } of aboutThing(n)) {
        const draft = { event, data, at: AT, actor: { kind: "system" } } as AuditDraft;
        const row = must(auditRules.seal(head, draft));
        db.prepare("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)").run(row.seq, row.text, row.hash);
        head = row;
      }
    }
  });
  return path;
}

const migrate = async (dataDir: string) =>
  must(await openRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));

test("a chain from before subjects keeps its bytes and gives the same answers", async () => {
  const dataDir = tempDir();
  const path = await makeOldFile(dataDir);
  const [rows, answers] = [rowsOf(path), answersOf(path, ([where]) => where)];
  const opened = await migrate(dataDir);
  const verdict = must(await opened.audit.verify("genesis"));
  expect(must(await opened.audit.endedActs(["act-1", "act-2", "act-9"]))).toEqual(new Set(["act-1", "act-2"]));
  await opened.close();
  expect(verdict).toMatchObject({ valid: true });
  expect(rowsOf(path).slice(0, rows.length)).toEqual(rows);
  // Opening recorded the migrations behind the old entries; only the old ones can be compared.
  const kept = Object.entries(
    answersOf(path, ([, kind]) => `seq <= ${rows.length} AND subject_kind = '${kind}' AND subject_id IS :id`),
  );
  expect(Object.fromEntries(kept)).toEqual(answers);
  expect(kept.filter(([, found]) => found.length > 0).length).toBeGreaterThan(LOOKUPS.length);
});

test("the chain has two indexes", async () => {
  const dataDir = tempDir();
  await makeOldFile(dataDir);
  await (await migrate(dataDir)).close();
  const indexes = inFile(join(dataDir, "silas.db"), (db) =>
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'audit_entries' ORDER BY name")
      .all(),
  );
  expect(indexes.map(({ name }) => name)).toEqual(["audit_entries_by_subject", "audit_entries_by_time"]);
});

test("no statement can make a column say something else than the hashed text", async () => {
  const dataDir = tempDir();
  await (await migrate(dataDir)).close();
  inFile(join(dataDir, "silas.db"), (db) => {
    db.exec("DROP TRIGGER audit_entries_stay");
    for (const column of ["at", "event", "subject_kind", "subject_id"]) {
      expect(() => db.exec(`UPDATE audit_entries SET ${column} = 'else'`)).toThrow("generated column");
    }
  });
});
