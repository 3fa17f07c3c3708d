import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { Stores } from "./open-stores.ts";
import { createBackup, restoreBackup, verifyBackup } from "./backup.ts";
import { acquireInstanceLock } from "./instance-lock.ts";
import { openStores, SHIPPED_MIGRATIONS } from "./open-stores.ts";
import { readMigrations } from "./migration-files.ts";
import { AT, auditRules, countingRandom, fixedClock, must, mustFail, tempDir } from "./store.fixture.ts";

const world = { clock: fixedClock, random: countingRandom(), auditRules };

async function openWithSession(dataDir: string, name: string): Promise<Stores> {
  const stores = must(await openStores({ dataDir, ...world }));
  const session = {
    sessionId: name,
    deviceName: name,
    tokenDigest: name,
    createdAt: AT,
    lastSeenAt: AT,
    revokedAt: null,
  };
  must(await stores.sessions.add(session));
  return stores;
}

async function names(dataDir: string): Promise<readonly string[]> {
  const stores = must(await openStores({ dataDir, ...world }));
  const list = must(await stores.sessions.list());
  await stores.close();
  return list.map((session) => session.deviceName);
}

test("a backup taken while Silas runs holds every store, checked, and comes back", async () => {
  const dir = tempDir();
  const dataDir = join(dir, "data");
  const target = join(dir, "copy");
  const stores = await openWithSession(dataDir, "phone");
  const { hostId } = stores.journal;
  const manifest = must(await createBackup({ dataDir, target, clock: fixedClock }));
  expect(manifest.files.map((file) => [file.name, file.schema_version])).toEqual([
    ["db.sqlite", must(readMigrations(join(SHIPPED_MIGRATIONS, "journal"))).at(-1)?.id],
    ["silas.db", must(readMigrations(join(SHIPPED_MIGRATIONS, "runtime"))).at(-1)?.id],
  ]);
  expect(readdirSync(target).toSorted()).toEqual(["db.sqlite", "manifest.json", "silas.db"]);
  const modes = ["", "db.sqlite", "manifest.json"].map((name) =>
    (statSync(join(target, name)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(["700", "600", "600"]);
  await stores.close();
  await (await openWithSession(dataDir, "laptop")).close();
  const restored = must(await restoreBackup({ dataDir, source: target, ...world }));
  expect(await names(dataDir)).toEqual(["phone"]);
  expect(restored.kept.every((path) => existsSync(path))).toBe(true);
  expect(must(await verifyBackup(target))).toEqual(manifest);

  const after = must(await openStores({ dataDir, ...world }));
  // Counters that other devices may have seen are never given out again: the restored journal is another host.
  expect(after.journal.hostId).not.toBe(hostId);
  await after.close();
});

test("what a restore replaces stays whole beside it", async () => {
  const dir = tempDir();
  const dataDir = join(dir, "data");
  const target = join(dir, "copy");
  await (await openWithSession(dataDir, "phone")).close();
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  await (await openWithSession(dataDir, "laptop")).close();
  const { kept } = must(await restoreBackup({ dataDir, source: target, ...world }));
  const old = new DatabaseSync(kept.find((path) => path.includes("silas.db")) ?? "");
  expect(old.prepare("SELECT count(*) AS n FROM sessions").get()).toEqual({ n: 2 });
  old.close();
});

test("a damaged database can be replaced, and is kept as it was", async () => {
  const dir = tempDir();
  const dataDir = join(dir, "data");
  const target = join(dir, "copy");
  await (await openWithSession(dataDir, "phone")).close();
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  const garbage = "half a file".repeat(1000);
  writeFileSync(join(dataDir, "silas.db"), garbage);
  const { kept } = must(await restoreBackup({ dataDir, source: target, ...world }));
  expect(await names(dataDir)).toEqual(["phone"]);
  expect(readFileSync(kept.find((path) => path.includes("silas.db")) ?? "", "utf8")).toBe(garbage);
});

test("a backup that was changed by one byte is refused and nothing is touched", async () => {
  const dir = tempDir();
  const dataDir = join(dir, "data");
  const target = join(dir, "copy");
  await (await openWithSession(dataDir, "phone")).close();
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  appendFileSync(join(target, "silas.db"), "\0");
  const fault = mustFail(await restoreBackup({ dataDir, source: target, ...world }));
  expect(fault).toEqual({ code: "backup_damaged", file: join(target, "silas.db") });
  expect(readdirSync(dataDir).filter((name) => name.includes("restor"))).toEqual([]);
});

test.each([
  ["no manifest", null],
  ["no JSON", "{"],
  [
    "a name that leads elsewhere",
    JSON.stringify({
      format: "silas-backup",
      version: 1,
      created_at: AT,
      reason: "asked_for",
      files: [{ name: "../x", bytes: 1, sha256: "0".repeat(64), schema_version: null }],
    }),
  ],
])("a directory with %s is no backup", async (_what, text) => {
  const source = tempDir();
  if (text !== null) writeFileSync(join(source, "manifest.json"), text);
  expect(mustFail(await verifyBackup(source))).toMatchObject({ code: "backup_unreadable", path: source });
});

test("restore refuses while an instance runs, and backup refuses to write over anything", async () => {
  const dir = tempDir();
  const dataDir = join(dir, "data");
  const target = join(dir, "copy");
  expect(mustFail(await createBackup({ dataDir, target, clock: fixedClock })).code).toBe("nothing_to_back_up");
  await (await openWithSession(dataDir, "phone")).close();
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  expect(mustFail(await createBackup({ dataDir, target, clock: fixedClock })).code).toBe("target_exists");
  const lock = must(acquireInstanceLock(dataDir));
  const fault = mustFail(await restoreBackup({ dataDir, source: target, ...world }));
  expect(fault).toEqual({ code: "instance_running", instance: null });
  lock.release();
  must(await restoreBackup({ dataDir, source: target, ...world }));
});

test("results of runs are part of a backup, checked, and come back; one that was changed is not passed off as itself", async () => {
  const dir = tempDir();
  const dataDir = join(dir, "data");
  const target = join(dir, "copy");
  await (await openWithSession(dataDir, "phone")).close();
  const folder = join(dataDir, "artifacts");
  mkdirSync(folder);
  const [kept, empty, changed] = ["a result", "", "was something else"].map((text) => sha256Hex(text));
  writeFileSync(join(folder, kept ?? ""), "a result");
  writeFileSync(join(folder, empty ?? ""), "");
  writeFileSync(join(folder, changed ?? ""), "now it is this");
  writeFileSync(join(folder, "half.partial"), "half");
  const manifest = must(await createBackup({ dataDir, target, clock: fixedClock }));
  const named = manifest.files.map(({ name }) => name).filter((name) => name.startsWith("artifacts/"));
  expect(named).toEqual([kept, empty].toSorted().map((digest) => `artifacts/${digest}`));
  expect(must(await verifyBackup(target))).toEqual(manifest);
  rmSync(folder, { recursive: true });
  const restored = must(await restoreBackup({ dataDir, source: target, ...world }));
  expect(readFileSync(join(folder, kept ?? ""), "utf8")).toBe("a result");
  expect(readdirSync(folder).toSorted()).toEqual([kept, empty].toSorted());
  expect(restored.kept.filter((path) => path.includes("artifacts"))).toEqual([]);
  expect((statSync(join(folder, kept ?? "")).mode & 0o777).toString(8)).toBe("600");

  writeFileSync(join(target, "artifacts", kept ?? ""), "another");
  expect(mustFail(await verifyBackup(target)).code).toBe("backup_damaged");
  // A manifest cannot give other bytes the name of these, nor name a file anywhere else.
  const path = join(target, "manifest.json");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replaceAll(`"sha256": "${kept}"`, `"sha256": "${sha256Hex("another")}"`));
  expect(mustFail(await verifyBackup(target)).code).toBe("backup_damaged");
  for (const name of ["artifacts/../silas.db", "artifacts/x", "../x", `artifacts/${kept}/x`]) {
    writeFileSync(path, text.replaceAll(`artifacts/${kept}`, name));
    expect(mustFail(await verifyBackup(target)).code, name).toBe("backup_unreadable");
  }
});

test("copies and what is put back from them are for the owner alone, whatever the files were before", async () => {
  const dir = tempDir();
  const [dataDir, target] = [join(dir, "data"), join(dir, "copy")];
  await (await openWithSession(dataDir, "phone")).close();
  const artifact = join("artifacts", sha256Hex("a result"));
  mkdirSync(join(dataDir, "artifacts"));
  writeFileSync(join(dataDir, artifact), "a result");
  writeFileSync(join(dataDir, "vault.json"), "{}");
  const files = ["db.sqlite", "silas.db", "vault.json", artifact];
  const modesIn = (place: string) => files.map((name) => (statSync(join(place, name)).mode & 0o777).toString(8));
  for (const name of files) chmodSync(join(dataDir, name), 0o644);
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  expect(modesIn(target)).toEqual(["600", "600", "600", "600"]);
  for (const name of files) chmodSync(join(target, name), 0o644);
  must(await restoreBackup({ dataDir, source: target, ...world }));
  expect(modesIn(dataDir)).toEqual(["600", "600", "600", "600"]);
  // Once more in the same moment, as by a clock that stands still.
  expect(must(await restoreBackup({ dataDir, source: target, ...world })).kept).toHaveLength(3);
});

test("a database from before the first migration is copied as that", async () => {
  const [dataDir, target] = [tempDir(), join(tempDir(), "copy")];
  writeFileSync(join(dataDir, "db.sqlite"), "");
  const { files } = must(await createBackup({ dataDir, target, clock: fixedClock }));
  expect(files).toMatchObject([{ name: "db.sqlite", schema_version: null }]);
  expect(must(await restoreBackup({ dataDir, source: target, ...world })).kept).toHaveLength(1);
});
