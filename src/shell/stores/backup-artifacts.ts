import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "./backup-copy.ts";
import { copyPrivateFile, PRIVATE_DIR_MODE, syncPath } from "./private-files.ts";

/** Where results of runs are kept, each under the digest of its bytes. */
const FOLDER = "artifacts";
const NAME = /^[0-9a-f]{64}$/;

type CopiedArtifact = {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly schema_version: null;
};

/** A result of a run as a backup names it; nothing in such a name leads anywhere else. */
export const isArtifactName = (name: string): boolean => name.startsWith(`${FOLDER}/`) && NAME.test(digestIn(name));

/** The digest that a result goes by. */
export const digestIn = (name: string): string => name.slice(FOLDER.length + 1);

/**
 * Copies the results of runs. After the databases: a result is on the disk before a run names it, so that a copy has every
 * one that the copied runs name. What is no longer what its name says is of no use to anybody, and is left out.
 */
export async function copyArtifacts(dataDir: string, targetDir: string): Promise<readonly CopiedArtifact[]> {
  const from = join(dataDir, FOLDER);
  const digests = existsSync(from) ? readdirSync(from).filter((name) => NAME.test(name)) : [];
  const copied: CopiedArtifact[] = [];
  for (const sha256 of digests.toSorted()) {
    if ((await digestOf(join(from, sha256))) !== sha256) continue;
    mkdirSync(join(targetDir, FOLDER), { recursive: true, mode: PRIVATE_DIR_MODE });
    const name = `${FOLDER}/${sha256}`;
    const target = join(targetDir, name);
    copyPrivateFile(join(from, sha256), target);
    syncPath(target);
    copied.push({ name, bytes: statSync(target).size, sha256, schema_version: null });
  }
  return copied;
}
