import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { err, ok } from "#base";
import { openJournal, openStores } from "./open-stores.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";
import { startFaultSentence } from "./start-fault.ts";
import { guarded, guardedValue } from "./store-fault.ts";
import { auditRules, countingRandom, fixedClock, must, mustFail, tempDir } from "./store.fixture.ts";

function open(path: string, synchronous: "FULL" | "NORMAL" = "FULL"): Sqlite {
  const db = openSqlite({ path, synchronous });
  onTestFinished(() => db.close());
  return db;
}

test("[MIG-01] a database opens with WAL, a busy timeout of five seconds and the durability its store asks for", () => {
  const dir = tempDir();
  const pragmas = (db: Sqlite) =>
    ["journal_mode", "busy_timeout", "synchronous", "foreign_keys"].map((name) =>
      Object.values(db.get<object>(`PRAGMA ${name}`) ?? {}).at(0),
    );
  expect(pragmas(open(join(dir, "full.db"), "FULL"))).toEqual(["wal", 5000, 2, 1]);
  expect(pragmas(open(join(dir, "normal.db"), "NORMAL"))).toEqual(["wal", 5000, 1, 1]);
});

test("[MIG-01] the stores wait for the disk at every commit", async () => {
  const dataDir = tempDir();
  const seen: string[] = [];
  const onStatement = (sql: string) => void seen.push(sql);
  const stores = must(
    await openStores({ dataDir, clock: fixedClock, random: countingRandom(), onStatement, auditRules }),
  );
  await stores.close();
  expect(seen).toContain("PRAGMA synchronous = FULL");
});

test("an unsynced transaction lowers the durability for itself alone, also when it fails", () => {
  const db = open(join(tempDir(), "x.db"), "FULL");
  const durability = () => db.get<{ readonly synchronous: number }>("PRAGMA synchronous")?.synchronous;
  db.run("CREATE TABLE t (id INTEGER) STRICT");
  const seen = [
    db.unsyncedTransaction(() => ok(durability())),
    db.unsyncedTransaction(() => err(durability())),
    ok(durability()),
    db.transaction(() => ok(durability())),
  ];
  expect(seen).toEqual([ok(1), err(1), ok(2), ok(2)]);
  expect(() => db.unsyncedTransaction(() => ok(db.run("INSERT INTO t VALUES (NULL, 2)")))).toThrow("2 values");
  expect(durability()).toBe(2);
});

test("a transaction that SQLite has ended by itself still answers with its own error", () => {
  const db = open(join(tempDir(), "x.db"));
  const ended = db.transaction(() => {
    db.run("ROLLBACK");
    return err("disk_full");
  });
  expect(ended).toEqual(err("disk_full"));
});

test("files are for the owner alone, also the log and the index beside them, also when they were open before", () => {
  const dir = join(tempDir(), "data");
  const path = join(dir, "x.db");
  const db = open(path);
  db.run("CREATE TABLE t (a INTEGER)");
  const mode = (name: string) => (statSync(name).mode & 0o777).toString(8);
  expect([dir, path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(["700", "600", "600", "600"]);
  db.close();
  chmodSync(path, 0o644);
  chmodSync(dir, 0o755);
  open(path);
  expect([dir, path].map(mode)).toEqual(["700", "600"]);
});

test("a transaction that answers an error or throws leaves nothing behind", () => {
  const db = open(join(tempDir(), "x.db"));
  db.run("CREATE TABLE t (a INTEGER)");
  const insert = () => db.run("INSERT INTO t VALUES (1)");
  const refused = db.transaction(() => (insert(), err({ code: "no" })));
  expect(refused).toEqual({ ok: false, error: { code: "no" } });
  const thrower = () => db.transaction(() => (insert(), db.run("INSERT INTO missing VALUES (1)"), ok()));
  expect(thrower).toThrow("no such table");
  expect(db.get("SELECT count(*) AS n FROM t")).toEqual({ n: 0 });
  db.transaction(() => (insert(), ok()));
  expect(db.get("SELECT count(*) AS n FROM t")).toEqual({ n: 1 });
});

test("what waits for a commit runs behind it, the same function once, and not at all when nothing was committed", () => {
  const db = open(join(tempDir(), "x.db"));
  const ran: string[] = [];
  const note = (): void => void ran.push(db.handle.isTransaction ? "inside" : "behind");
  const twice = () => (db.afterCommit(note), db.afterCommit(note));
  db.transaction(() => (twice(), err({ code: "no" })));
  const thrower = () => db.transaction(() => (twice(), db.run("INSERT INTO missing VALUES (1)"), ok()));
  expect(thrower).toThrow("no such table");
  expect(ran).toEqual([]);
  db.transaction(() => (twice(), ok()));
  db.transaction(() => ok());
  expect(ran).toEqual(["behind"]);
  db.transaction(() => (twice(), ok()));
  expect(ran).toEqual(["behind", "behind"]);
});

test("undefined and unsafe integers never reach the database, and whole numbers arrive as integers", () => {
  const db = open(join(tempDir(), "x.db"));
  expect(() => db.get("SELECT :a", { a: undefined as unknown as null })).toThrow("parameter a is missing");
  expect(() => db.get("SELECT :a", { a: 2 ** 53 })).toThrow("not a safe integer");
  expect(db.get("SELECT typeof(:a) AS type", { a: 7 })).toEqual({ type: "integer" });
});

test("rows are inserted in their order, however many share a statement, and all of a row or none", () => {
  const db = open(join(tempDir(), "x.db"));
  db.run("CREATE TABLE t (n INTEGER PRIMARY KEY, word TEXT) STRICT");
  const insert = (rows: readonly (readonly (string | number | null)[])[]) =>
    db.insert("INSERT INTO t (n, word) VALUES (?, ?)", rows);
  const rows = Array.from({ length: 2 * 16 + 3 }, (_, n) => [n, n === 20 ? null : `word ${n}`] as const);
  insert([]);
  insert(rows);
  expect(db.columns("SELECT n, word FROM t ORDER BY n")).toEqual(rows);
  expect(db.get("SELECT count(*) AS n FROM t WHERE typeof(n) = 'integer'")).toEqual({ n: rows.length });
  expect(() => insert([[100]])).toThrow("a value for each place");
  expect(() => insert([[2 ** 53, "a"]])).toThrow("not a safe integer");
  expect(() => insert([[100, undefined as unknown as null]])).toThrow("is missing");
});

test("parameters are bound by name, wherever and however often they stand; texts and comments hold none", () => {
  const db = open(join(tempDir(), "x.db"));
  const sql = `SELECT :b AS b, ':a' AS quoted, 'it''s :a' AS escaped, :a AS ":a", :b || :a AS both -- :c`;
  const row = { b: "two", quoted: ":a", escaped: "it's :a", ":a": "one", both: "twoone" };
  expect(db.get(sql, { a: "one", b: "two" })).toEqual(row);
  expect(() => db.get(sql, { b: "two" })).toThrow("parameter a is missing");
  expect(() => db.get(sql, { a: "one", b: "two", c: "three" })).toThrow("no parameter c");
  expect(() => db.run("CREATE TABLE t (a TEXT)", { a: null })).toThrow("no parameter a");
});

test("a busy database is a fault worth a retry, a full disk and a broken statement are told apart", () => {
  const path = join(tempDir(), "x.db");
  const db = open(path);
  db.run("CREATE TABLE t (a TEXT)");
  db.handle.exec("PRAGMA busy_timeout = 0");
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  const write = () =>
    guarded(() => db.transaction(() => ok(db.run("INSERT INTO t VALUES (:a)", { a: "x".repeat(9000) }))));
  expect(mustFail(write())).toMatchObject({ code: "store_busy", retryable: true });
  other.exec("ROLLBACK");
  db.handle.exec("PRAGMA max_page_count = 3");
  expect(mustFail(write())).toMatchObject({ code: "disk_full", retryable: true });
  db.handle.exec("PRAGMA max_page_count = 1000");
  expect(must(write())).toBe(1);
  expect(mustFail(guardedValue(() => db.run("SELECT nothing")))).toMatchObject({ code: "store_failed" });
  const bug = () => guardedValue(() => JSON.parse("{"));
  expect(bug).toThrow(SyntaxError);
});

test.each([
  ["text", Buffer.from("this is not a database, it is a letter to my grandmother\n".repeat(200))],
  ["a header and zeros", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8000)])],
])("a file that holds %s is refused by name and left as it is", async (_what, bytes) => {
  const dataDir = tempDir();
  const file = join(dataDir, "db.sqlite");
  writeFileSync(file, bytes);
  const fault = mustFail(await openJournal({ dataDir, clock: fixedClock, random: countingRandom() }));
  expect(fault).toMatchObject({ code: "store_corrupt", file });
  expect(startFaultSentence(fault)).toContain("silas restore");
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test("half a database is refused and left as it is", async () => {
  const dataDir = tempDir();
  const file = join(dataDir, "db.sqlite");
  const options = { dataDir, clock: fixedClock, random: countingRandom() };
  await must(await openJournal(options)).close();
  const half = readFileSync(file).subarray(0, 3 * 4096 + 100);
  writeFileSync(file, half);
  const fault = mustFail(await openJournal(options));
  expect(fault).toMatchObject({ code: "store_corrupt", file });
  expect(readFileSync(file).equals(half)).toBe(true);
});

test("only what SQLite or the operating system threw is a fault; whatever else was thrown goes on as it is", () => {
  const thrown = (cause: unknown): unknown => {
    try {
      return mustFail(
        guardedValue(() => {
          throw cause;
        }),
      ).code;
    } catch (goesOn) {
      return [goesOn];
    }
  };
  const failing = (fields: object) => Object.assign(new Error("failed"), fields);
  const bugs = [null, undefined, "words", { errcode: 5 }, { code: "ENOSPC" }, new Error("bug"), failing({ code: "X" })];
  for (const bug of bugs) expect(thrown(bug)).toEqual([bug]);
  const faults: readonly (readonly [string, object])[] = [
    ["store_busy", { errcode: 5 }],
    ["store_busy", { errcode: 6 }],
    ["store_busy", { errcode: 5 + 256 }],
    ["store_read_only", { errcode: 8 }],
    ["store_corrupt", { errcode: 11 }],
    ["store_corrupt", { errcode: 26 }],
    ["disk_full", { errcode: 13 }],
    ["disk_full", { code: "ENOSPC" }],
    ["disk_full", { code: "EDQUOT" }],
    ["store_failed", { errcode: 10 }],
    ["store_failed", { code: "EACCES" }],
  ];
  expect(faults.map(([, fields]) => thrown(failing(fields)))).toEqual(faults.map(([code]) => code));
});
