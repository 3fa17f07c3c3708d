import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sha256Hex } from "#base";
import { openSqlite } from "./sqlite.ts";
import { countingRandom, fixedClock, must } from "./store.fixture.ts";

/** What reached the disk, in order. A process cannot see a lost page cache, so the calls that empty it are watched. */
const seen: string[] = [];

/** Files share their modules in a run of tests, so what is watched is loaded anew and forgotten again. */
async function watched() {
  vi.resetModules();
  vi.doMock("node:fs", async (importOriginal) => {
    const real = await importOriginal<typeof import("node:fs")>();
    const nameOf = (handle: number) => real.readlinkSync(`/proc/self/fd/${handle}`).split("/").at(-1) ?? "";
    return {
      ...real,
      fsyncSync: (handle: number) => {
        seen.push(`sync ${nameOf(handle)}`);
        real.fsyncSync(handle);
      },
      writeSync: (handle: number, text: string) => {
        seen.push(`write ${nameOf(handle)}`);
        return real.writeSync(handle, text);
      },
      writeFileSync: (path: string, text: string, options: { readonly flush?: boolean }) => {
        seen.push(`write ${path.split("/").at(-1)}${options.flush === true ? ", flushed" : ""}`);
        real.writeFileSync(path, text, options);
      },
      renameSync: (from: string, to: string) => {
        seen.push(`rename to ${to.split("/").at(-1)}`);
        real.renameSync(from, to);
      },
    };
  });
  const files = await import("./private-files.ts");
  const { createHeadsFile } = await import("./audit/heads.ts");
  const { createBackup, restoreBackup } = await import("./backup.ts");
  return { ...files, createHeadsFile, createBackup, restoreBackup };
}

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "silas-private-"));
  seen.length = 0;
});
afterEach(() => {
  vi.doUnmock("node:fs");
  vi.resetModules();
  rmSync(dir, { recursive: true, force: true });
});
const name = () => dir.split("/").at(-1);

test("a private file is on the disk before its name is, and its name before the caller goes on", async () => {
  const { syncPath, writePrivateFile } = await watched();
  writePrivateFile(join(dir, "secret"), "text");
  expect(seen).toEqual(["write secret.partial, flushed", "rename to secret", `sync ${name()}`]);
  syncPath(join(dir, "secret"));
  expect(seen.at(-1)).toBe("sync secret");
  expect(statSync(join(dir, "secret")).mode & 0o777).toBe(0o600);
});

test("[AUD-03] a head and a note are on the disk before the caller goes on, the first with the name of their file", async () => {
  const { createHeadsFile } = await watched();
  const heads = createHeadsFile(dir);
  const file = "audit-heads.jsonl";
  heads.note({ seq: 1, hash: "a".repeat(64) });
  expect(seen).toEqual([`write ${file}`, `sync ${file}`, `sync ${name()}`]);
  seen.length = 0;
  const at = "2026-11-18T08:00:00.000Z" as Parameters<typeof heads.replace>[1];
  const head = { seq: 2, hash: "b".repeat(64), at, checkpointId: "one", keyId: null, signature: null };
  heads.append(head);
  expect(seen).toEqual([`write ${file}`, `sync ${file}`]);
  seen.length = 0;
  heads.replace([head], at);
  expect(seen).toEqual([`write ${file}.partial, flushed`, `rename to ${file}`, `sync ${name()}`]);
});

test("a copy is on the disk before it has its name, and what is put back before it takes the place of the old", async () => {
  const { createBackup, restoreBackup } = await watched();
  const [dataDir, target, digest] = [join(dir, "data"), join(dir, "copy"), sha256Hex("a result")];
  mkdirSync(join(dataDir, "artifacts"), { recursive: true });
  for (const [file, text] of Object.entries({
    "silas.db": "",
    "vault.json": "{}",
    [`artifacts/${digest}`]: "a result",
  }))
    writeFileSync(join(dataDir, file), text);
  seen.length = 0;
  must(await createBackup({ dataDir, target, clock: fixedClock }));
  expect(seen).toEqual([
    "sync vault.json",
    `sync ${digest}`,
    "write manifest.json.partial, flushed",
    "rename to manifest.json",
    "sync copy.partial",
    "rename to copy",
    `sync ${name()}`,
  ]);
  seen.length = 0;
  must(await restoreBackup({ dataDir, source: target, clock: fixedClock, random: countingRandom() }));
  const putBack = seen.filter((line) => !line.includes("SILAS") && !line.includes(".partial"));
  expect(putBack.slice(-9)).toEqual([
    "sync vault.json.restoring",
    "rename to vault.json",
    "sync data",
    "sync silas.db.restoring",
    "rename to silas.db",
    "sync data",
    `sync ${digest}.restoring`,
    `rename to ${digest}`,
    "sync artifacts",
  ]);
});

test("a log and its index that others could read are closed to them when the database is opened", () => {
  const path = join(dir, "one.db");
  const first = openSqlite({ path, synchronous: "FULL" });
  first.run("CREATE TABLE things (id INTEGER)");
  // As a crash leaves them: the log is there, and somebody has opened it to others.
  const left = join(dir, "left.db");
  for (const suffix of ["", "-wal", "-shm"]) {
    copyFileSync(path + suffix, left + suffix);
    chmodSync(left + suffix, 0o644);
  }
  first.close();
  const again = openSqlite({ path: left, synchronous: "FULL" });
  for (const suffix of ["", "-wal", "-shm"]) {
    expect([suffix, existsSync(left + suffix), statSync(left + suffix).mode & 0o777]).toEqual([suffix, true, 0o600]);
  }
  again.close();
});
