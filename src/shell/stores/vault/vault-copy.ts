import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../backup-copy.ts";
import { copyPrivateFile, syncPath } from "../private-files.ts";
import { VAULT_FILE } from "./vault-document.ts";

type CopiedVault = {
  readonly name: typeof VAULT_FILE;
  readonly bytes: number;
  readonly sha256: string;
  readonly schema_version: null;
};

/**
 * Copies the encrypted vault as it lies there, whatever its state; its key file is never copied. A reader sees it whole,
 * since it is only ever replaced in one step.
 */
export async function copyVault(dataDir: string, targetDir: string): Promise<readonly CopiedVault[]> {
  const source = join(dataDir, VAULT_FILE);
  if (!existsSync(source) || statSync(source).size === 0) return [];
  const target = join(targetDir, VAULT_FILE);
  copyPrivateFile(source, target);
  syncPath(target);
  return [{ name: VAULT_FILE, bytes: statSync(target).size, sha256: await digestOf(target), schema_version: null }];
}
