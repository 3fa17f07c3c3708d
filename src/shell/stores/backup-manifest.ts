import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { err, ok, type Result } from "#base";
import { instantSchema, minLength } from "#model";
import { isArtifactName } from "./backup-artifacts.ts";
import { writePrivateFile } from "./private-files.ts";
import { VAULT_FILE } from "./vault/vault-document.ts";

/** The database files of a data directory; a backup holds some of them, the encrypted vault and results of runs. */
export const STORE_FILES = ["db.sqlite", "silas.db"] as const;
export type StoreFile = (typeof STORE_FILES)[number];

/** From a closed list, or a digest in one folder: no name can lead outside. */
function isBackedUp(name: string): boolean {
  const named: readonly string[] = [...STORE_FILES, VAULT_FILE];
  return named.includes(name) || isArtifactName(name);
}

const manifestSchema = z.strictObject({
  format: z.literal("silas-backup"),
  version: z.literal(1),
  created_at: instantSchema,
  reason: z.enum(["asked_for", "before_migration"]),
  files: z
    .array(
      z.strictObject({
        name: z.string().check(z.refine<string>(isBackedUp, "not_a_file_of_silas")),
        bytes: z.int().check(z.gte(0)),
        sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
        schema_version: z.nullable(z.string()),
      }),
    )
    .check(minLength(1)),
});
export type BackupManifest = z.infer<typeof manifestSchema>;
export type ManifestProblem = { readonly code: "backup_unreadable"; readonly path: string; readonly reason: string };

const MANIFEST = "manifest.json";

export function saveManifest(dir: string, manifest: BackupManifest): void {
  writePrivateFile(join(dir, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The manifest of a backup directory. */
export function loadManifest(dir: string): Result<BackupManifest, ManifestProblem> {
  const path = join(dir, MANIFEST);
  const unreadable = (reason: string) => err({ code: "backup_unreadable", path: dir, reason } as const);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return unreadable("no_manifest");
  }
  try {
    const parsed = z.safeParse(manifestSchema, JSON.parse(text));
    return parsed.success ? ok(parsed.data) : unreadable("not_a_silas_manifest");
  } catch {
    return unreadable("not_json");
  }
}
