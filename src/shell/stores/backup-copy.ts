import { createReadStream, statSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { err, ok, type Result, type Sha256Hex } from "#base";
import { faultOf } from "#engine";
import type { StoreFault } from "#model";
import { ensurePrivateFile } from "./private-files.ts";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");

type CopiedFile = { readonly bytes: number; readonly sha256: Sha256Hex; readonly schemaVersion: string | null };

/** Copies an open database to a file of its own, page by page, and proves that the copy is whole. */
export async function copyDatabase(handle: DatabaseSync, target: string): Promise<Result<CopiedFile, StoreFault>> {
  try {
    ensurePrivateFile(target);
    await backup(handle, target);
    return await inspectDatabase(target);
  } catch (cause) {
    return err(faultOf(cause));
  }
}

/** Size, digest and schema version of a database at rest; `store_corrupt` when its pages do not hold together. */
export async function inspectDatabase(path: string): Promise<Result<CopiedFile, StoreFault>> {
  try {
    const schemaVersion = checkPages(path);
    if (schemaVersion === undefined) return err({ code: "store_corrupt", retryable: false });
    return ok({ bytes: statSync(path).size, sha256: await digestOf(path), schemaVersion });
  } catch (cause) {
    return err(faultOf(cause));
  }
}

/** The last applied migration, null when none is; undefined when the check fails. */
function checkPages(path: string): string | null | undefined {
  const database = new DatabaseSync(path);
  try {
    // A copy is one file: without this its first reader would leave a log and an index beside it.
    database.exec("PRAGMA journal_mode = DELETE");
    const check = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    if (check.length !== 1 || check[0]?.integrity_check !== "ok") return undefined;
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'applied_migrations'").get();
    if (table === undefined) return null;
    const row = database.prepare("SELECT max(id) AS id FROM applied_migrations").get() as { id: string | null };
    return row.id;
  } finally {
    database.close();
  }
}

export async function digestOf(path: string): Promise<Sha256Hex> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex") as Sha256Hex;
}
