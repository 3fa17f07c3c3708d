import { appendFileSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HostId, RecordId } from "#model";
import { heldUnder } from "../../../test/held-under.ts";
import { openAuditLog, openAuditReader, readHold, renewHeads } from "./audit/open-beside.ts";
import { verifyWholeChain } from "./audit/verify-apart.ts";
import { createBackup, restoreBackup, verifyBackup } from "./backup.ts";
import { readQueues } from "./read-queues.ts";
import { inspectStores } from "./inspect.ts";
import { acquireInstanceLock, readInstance } from "./instance-lock.ts";
import { findLogLines, openLogFile } from "./log-file.ts";
import { openCustomerFiles } from "./messages/customer-files.ts";
import { openStores, SHIPPED_MIGRATIONS } from "./open-stores.ts";
import { openSkillFolders } from "./skills/skill-folders.ts";
import { readStop } from "./stops/read-stop.ts";
import { AT, auditRules, countingRandom, fixedClock, must, mustFail, tempDir } from "./store.fixture.ts";

/** Who leaves files open keeps the disk from freeing them, and one day finds that no more can be opened. */

const world = { clock: fixedClock, random: countingRandom(), auditRules };
const SESSION = { deviceName: "phone", createdAt: AT, lastSeenAt: AT, revokedAt: null };

/** A data directory that was in use, with notes beside its database. */
async function used(): Promise<string> {
  const dataDir = join(tempDir(), "data");
  const stores = must(await openStores({ dataDir, ...world }));
  must(await stores.sessions.add({ ...SESSION, sessionId: "one", tokenDigest: "one" }));
  must(await stores.sessions.revoke("one", { at: AT, actor: { kind: "terminal" } }));
  await stores.close();
  expect(heldUnder(dataDir)).toEqual([]);
  return dataDir;
}

/** The shipped migrations and one more for each database. */
function grown(journal = "CREATE TABLE more (a TEXT) STRICT;\n", runtime = journal): string {
  const dir = join(tempDir(), "migrations");
  cpSync(SHIPPED_MIGRATIONS, dir, { recursive: true });
  for (const [store, sql] of Object.entries({ journal, runtime })) {
    const number = String(readdirSync(join(dir, store)).length + 1).padStart(3, "0");
    writeFileSync(join(dir, store, `${number}_more.sql`), sql);
  }
  return dir;
}

describe("a start that fails", () => {
  test.each(["db.sqlite", "silas.db"])("for a %s that is no database leaves nothing open", async (name) => {
    const dataDir = await used();
    writeFileSync(join(dataDir, name), "these are words and no database at all");
    expect(mustFail(await openStores({ dataDir, ...world }))).toMatchObject({ code: "store_corrupt" });
    expect(heldUnder(dataDir)).toEqual([]);
  });

  test.each([
    ["journal", grown.bind(null, "CREATE NONSENSE;\n", "CREATE TABLE more (a TEXT) STRICT;\n")],
    ["runtime", grown.bind(null, "CREATE TABLE more (a TEXT) STRICT;\n", "CREATE NONSENSE;\n")],
  ])("for a migration of the %s leaves nothing open", async (_store, migrations) => {
    const dataDir = await used();
    const failed = mustFail(await openStores({ dataDir, ...world, migrationsDir: migrations() }));
    expect(failed).toMatchObject({ code: "migration_failed" });
    expect(heldUnder(dataDir)).toEqual([]);
  });

  test.each(["journal", "runtime"])("for an edited migration of the %s leaves nothing open", async (store) => {
    const [dataDir, migrationsDir] = [await used(), grown()];
    appendFileSync(join(migrationsDir, store, "001_initial.sql"), "-- edited\n");
    expect(mustFail(await openStores({ dataDir, ...world, migrationsDir })).code).toBe("migration_edited");
    expect(heldUnder(dataDir)).toEqual([]);
  });

  test("at any statement answers with a fault, leaves nothing open, and the next start works", async () => {
    const [made, migrationsDir] = [await used(), grown()];
    const dataDir = join(tempDir(), "data");
    const startFailing = async (failing: number): Promise<{ readonly isOver: boolean; readonly isOpen: boolean }> => {
      rmSync(dataDir, { recursive: true, force: true });
      cpSync(made, dataDir, { recursive: true });
      let left = failing;
      const onStatement = (): void => {
        left -= 1;
        if (left === 0) throw Object.assign(new Error("simulated failure"), { errcode: 10 });
      };
      const seen = { onStatement, onRuntimeStatement: onStatement };
      const begun = await openStores({ dataDir, ...world, migrationsDir, ...seen });
      if (begun.ok) await begun.value.close();
      return { isOver: left > 0, isOpen: begun.ok };
    };
    let failing = 1;
    for (;;) {
      const { isOver, isOpen } = await startFailing(failing);
      expect([failing, isOpen, heldUnder(dataDir)]).toEqual([failing, isOver, []]);
      if (isOver) break;
      await must(await openStores({ dataDir, ...world, migrationsDir })).close();
      failing += 1;
    }
    expect(failing).toBeGreaterThan(20);
  });

  test("at any statement of a new journal's identity leaves nothing open", async () => {
    const dataDir = join(tempDir(), "data");
    const onStatement = (sql: string): void => {
      if (sql.includes("INTO host ")) throw Object.assign(new Error("simulated failure"), { errcode: 10 });
    };
    const failed = mustFail(await openStores({ dataDir, ...world, onStatement }));
    expect(failed).toMatchObject({ code: "store_failed", file: join(dataDir, "db.sqlite") });
    expect(heldUnder(dataDir)).toEqual([]);
  });
});

test("closing waits for an import that is under way, and then leaves nothing open", async () => {
  const dataDir = await used();
  const stores = must(await openStores({ dataDir, ...world }));
  const labels = Array.from({ length: 600 }, (_, index) => ({
    id: `l${index}` as RecordId,
    kind: "label" as const,
    body: { name: `label ${index}` },
    createdAt: AT,
    updatedAt: AT,
    deletedAt: null,
    revision: 1,
    hostId: "other" as HostId,
    counter: index + 1,
    vectorClock: { ["other" as HostId]: index + 1 },
  }));
  const importing = stores.journal.importRecords(labels);
  await stores.close();
  expect(heldUnder(dataDir)).toEqual([]);
  must(await importing);
});

test("stores of a database that is held are closed with all of their connections", async () => {
  const dataDir = await used();
  appendFileSync(join(dataDir, "audit-heads.jsonl"), `{"hash":"${"f".repeat(64)}","seq":900}\n`);
  const stores = must(await openStores({ dataDir, ...world }));
  expect(stores.hold.current()?.reason).toBe("database_older");
  await stores.close();
  expect(heldUnder(dataDir)).toEqual([]);
});

test("a copy, its check and its return leave nothing open, and neither does a refused one", async () => {
  const dataDir = await used();
  const dir = join(dataDir, "..");
  const [target, source] = [join(dir, "copy"), join(dir, "copy")];
  mkdirSync(join(dataDir, "artifacts"));
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  must(await verifyBackup(source));
  must(await restoreBackup({ dataDir, source, ...world }));
  appendFileSync(join(target, "silas.db"), "\0");
  mustFail(await verifyBackup(source));
  mustFail(await restoreBackup({ dataDir, source, ...world }));
  copyFileSync(join(dataDir, "audit-heads.jsonl"), join(dataDir, "silas.db"));
  mustFail(await createBackup({ dataDir, target: join(dir, "other"), clock: fixedClock }));
  expect(heldUnder(dir)).toEqual([]);
});

test("the lock of a data directory is open while it is held, and whoever is refused or only asks leaves nothing open", async () => {
  const dataDir = await used();
  const lock = must(acquireInstanceLock(dataDir));
  expect(heldUnder(dataDir)).toContain(join(dataDir, "instance.lock"));
  mustFail(acquireInstanceLock(dataDir));
  must(readInstance(dataDir));
  lock.release();
  expect(heldUnder(dataDir)).toEqual([]);
  must(readInstance(dataDir));
  expect(heldUnder(dataDir)).toEqual([]);
});

describe("a look into a data directory from beside leaves nothing open", () => {
  const looks: Readonly<Record<string, (dataDir: string) => unknown>> = {
    inspecting: (dataDir) => inspectStores({ dataDir, after: AT }),
    "reading the queues": (dataDir) => readQueues(dataDir),
    "reading the stop": (dataDir) => readStop(dataDir),
    "reading the hold": (dataDir) => readHold({ dataDir, rules: auditRules }),
    "noting the chain anew": (dataDir) => renewHeads({ dataDir, rules: auditRules }, AT),
    "verifying the chain": (dataDir) => verifyWholeChain({ dataDir, rules: auditRules }),
    "reading the chain": async (dataDir) => {
      const opened = openAuditReader({ dataDir, rules: auditRules });
      if (opened.ok) await opened.value.close();
    },
    "writing the chain": async (dataDir) => {
      const opened = openAuditLog({ dataDir, rules: auditRules });
      if (opened.ok) await opened.value.close();
    },
  };
  test.each(Object.entries(looks))("%s", async (_name, look) => {
    const dataDir = await used();
    await look(dataDir);
    expect(heldUnder(dataDir)).toEqual([]);
    // From before there was anything to look at, and no database at all.
    for (const left of ["", "these are words and no database at all"]) {
      rmSync(join(dataDir, "silas.db"));
      writeFileSync(join(dataDir, "silas.db"), left);
      await look(dataDir);
      expect(heldUnder(dataDir)).toEqual([]);
    }
  });
});

test("files of the log, of skills and of customers are closed once they are read or full", async () => {
  const dir = tempDir();
  const log = await openLogFile({ stateDir: dir, clock: fixedClock, fileBytesMax: 200 });
  for (let step = 0; step < 20; step += 1) log.info("step", { id: "one", step });
  expect(heldUnder(dir)).toEqual([join(dir, "logs", "silas.log")]);
  log.close();
  await findLogLines({ stateDir: dir, id: "one" });
  mkdirSync(join(dir, "skills", "one"), { recursive: true });
  writeFileSync(join(dir, "skills", "one", "SKILL.md"), "x");
  must(await openSkillFolders(join(dir, "skills")).read("one"));
  expect(heldUnder(dir)).toEqual([]);
  const customers = openCustomerFiles(join(dir, "customers"));
  writeFileSync(join(dir, "customers", "ana.json"), "{}", { mode: 0o600 });
  writeFileSync(join(dir, "customers", "bob.json"), "[]", { mode: 0o666 });
  for (const id of ["ana", "bob"]) {
    await customers.load(id);
    expect([id, heldUnder(dir)]).toEqual([id, []]);
  }
});
