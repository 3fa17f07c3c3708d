import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Instant, type Result } from "#base";
import { faultOf } from "#engine";
import type { StoreFault } from "#model";
import type { Clock, Randomness } from "#ports";
import { copyArtifacts, digestIn, isArtifactName } from "./backup-artifacts.ts";
import { copyDatabase, digestOf, inspectDatabase } from "./backup-copy.ts";
import {
  loadManifest,
  saveManifest,
  STORE_FILES,
  type BackupManifest,
  type ManifestProblem,
} from "./backup-manifest.ts";
import { acquireInstanceLock, type InstanceRunning } from "./instance-lock.ts";
import { newHostId } from "./open-stores.ts";
import { copyPrivateFile, ensurePrivateDir, PRIVATE_DIR_MODE, syncPath } from "./private-files.ts";
import { copyVault } from "./vault/vault-copy.ts";
import { VAULT_FILE } from "./vault/vault-document.ts";

export type BackupProblem =
  | { readonly code: "target_exists"; readonly path: string }
  | { readonly code: "nothing_to_back_up"; readonly path: string };
export type RestoreProblem =
  | ManifestProblem
  | { readonly code: "backup_damaged"; readonly file: string }
  | InstanceRunning;

/**
 * Copies every database of the data directory, the encrypted vault and the results of runs, each whole and checked, also
 * while Silas runs.
 */
export async function createBackup(options: {
  readonly dataDir: string;
  /** A directory that does not exist yet; it appears only when the backup is complete. */
  readonly target: string;
  readonly clock: Clock;
}): Promise<Result<BackupManifest, BackupProblem | StoreFault>> {
  const { dataDir, target } = options;
  if (existsSync(target)) return err({ code: "target_exists", path: target });
  const names = STORE_FILES.filter((name) => existsSync(join(dataDir, name)));
  if (names.length === 0) return err({ code: "nothing_to_back_up", path: dataDir });
  const partial = `${target}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true, mode: PRIVATE_DIR_MODE });
    // Before the databases: a new key is enrolled first and stored second, so the older vault fits the newer registry.
    const files: BackupManifest["files"] = [...(await copyVault(dataDir, partial))];
    for (const name of names) {
      // One file after the other: they share the disk.
      const copied = await copyClosed(join(dataDir, name), join(partial, name));
      if (!copied.ok) return copied;
      const { bytes, sha256, schemaVersion } = copied.value;
      files.push({ name, bytes, sha256, schema_version: schemaVersion });
    }
    files.push(...(await copyArtifacts(dataDir, partial)));
    const manifest = {
      format: "silas-backup",
      version: 1,
      created_at: options.clock.now(),
      reason: "asked_for",
      files,
    } as const;
    saveManifest(partial, manifest);
    renameSync(partial, target);
    syncPath(dirname(target));
    return ok(manifest);
  } catch (cause) {
    return err(faultOf(cause));
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function copyClosed(path: string, target: string) {
  const handle = new DatabaseSync(path, { readOnly: true });
  try {
    return await copyDatabase(handle, target);
  } finally {
    handle.close();
  }
}

/** Whether every file of a backup is what its manifest says, down to the last byte and page. */
export async function verifyBackup(source: string): Promise<Result<BackupManifest, RestoreProblem | StoreFault>> {
  const manifest = loadManifest(source);
  if (!manifest.ok) return manifest;
  for (const { name, bytes, sha256 } of manifest.value.files) {
    const path = join(source, name);
    // The digest first: it reads the file as it lies there, the page check may not even open it.
    const digest = existsSync(path) ? await digestOf(path) : null;
    const isItself = !isArtifactName(name) || digestIn(name) === sha256;
    if (digest !== sha256 || !isItself) return err({ code: "backup_damaged", file: path });
    const isPlain = name === VAULT_FILE || isArtifactName(name);
    const found = isPlain ? ok({ bytes: statSync(path).size }) : await inspectDatabase(path);
    if (!found.ok || found.value.bytes !== bytes) return err({ code: "backup_damaged", file: path });
  }
  return manifest;
}

type Restored = { readonly manifest: BackupManifest; readonly kept: readonly string[] };

/**
 * Puts a verified backup in place. What it replaces stays beside it under another name. At every moment of the way each
 * database is either the old one or the restored one, so a cut leaves nothing half and the restore can be run again.
 */
export async function restoreBackup(options: {
  readonly dataDir: string;
  readonly source: string;
  readonly clock: Clock;
  readonly random: Randomness;
}): Promise<Result<Restored, RestoreProblem | StoreFault>> {
  const { dataDir, source } = options;
  const manifest = await verifyBackup(source);
  if (!manifest.ok) return manifest;
  const lock = acquireInstanceLock(dataDir);
  if (!lock.ok) return lock;
  const at = options.clock.now();
  try {
    const kept = manifest.value.files.flatMap(({ name }) => {
      const restoring = join(dataDir, `${name}.restoring`);
      prepare({ from: join(source, name), restoring });
      if (name === "db.sqlite") renewHost(restoring, newHostId(options.random, at));
      // The same bytes under the same name: there is nothing to keep of what was there.
      return isArtifactName(name) ? putBack(restoring, join(dataDir, name)) : replace({ dataDir, name, restoring, at });
    });
    return ok({ manifest: manifest.value, kept });
  } catch (cause) {
    return err(faultOf(cause));
  } finally {
    lock.value.release();
  }
}

function prepare({ from, restoring }: { readonly from: string; readonly restoring: string }): void {
  ensurePrivateDir(dirname(restoring));
  copyPrivateFile(from, restoring);
}

/**
 * A copy put back has forgotten counters that other devices may already have seen. Under a new identity it starts to
 * count afresh, so that no pair of host and counter ever names two versions.
 */
function renewHost(path: string, hostId: string): void {
  const handle = new DatabaseSync(path);
  try {
    const hasHost = handle.prepare("SELECT 1 FROM sqlite_master WHERE name = 'host'").get() !== undefined;
    if (hasHost) handle.prepare("UPDATE host SET host_id = ?, counter = 0").run(hostId);
  } finally {
    handle.close();
  }
}

function putBack(restoring: string, path: string): readonly string[] {
  syncPath(restoring);
  renameSync(restoring, path);
  syncPath(dirname(path));
  return [];
}

type Replacement = {
  readonly dataDir: string;
  readonly name: BackupManifest["files"][number]["name"];
  readonly restoring: string;
  readonly at: Instant;
};

function replace({ dataDir, name, restoring, at }: Replacement): readonly string[] {
  const current = join(dataDir, name);
  const keptPath = `${current}.before-restore-${at.replaceAll(/[:.-]/g, "")}`;
  const isThere = existsSync(current);
  if (isThere) {
    if (name !== VAULT_FILE) foldLog(current);
    // A log that could not be folded in belongs to the old file alone: beside the new one it would be replayed into it.
    for (const suffix of ["-wal", "-shm"]) {
      if (existsSync(current + suffix)) renameSync(current + suffix, keptPath + suffix);
    }
    rmSync(keptPath, { force: true });
    linkSync(current, keptPath);
  }
  syncPath(restoring);
  renameSync(restoring, current);
  syncPath(dataDir);
  return isThere ? [keptPath] : [];
}

/** Brings the write-ahead log into the file, when the file can still be opened at all. */
function foldLog(path: string): void {
  try {
    const handle = new DatabaseSync(path);
    try {
      handle.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      handle.close();
    }
  } catch (cause) {
    // A damaged file is the very reason to restore; it is kept as it is.
    faultOf(cause);
  }
}
