import { join, resolve } from "node:path";
import { systemClock } from "#runtime";
import { createBackup, verifyBackup, type BackupManifest } from "#stores";
import { recordBackup } from "../audit/record-backup.ts";
import { backupFailure, UNRECORDED } from "./backup-words.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { loadSetup } from "../client/setup.ts";

type Json = { readonly json?: boolean };

export const define: Define = (backup, act) => {
  backup
    .option("--to <dir>", "a directory that does not exist yet; else one in the data directory")
    .option("--json", "print JSON")
    .action(act(backUp));
  backup
    .command("verify <dir>")
    .description("Check that a backup is whole, down to the last byte.")
    .option("--json", "print JSON")
    .action(act(verify));
};

const backUp: Handler<Json & { readonly to?: string }> = async ({ options, terminal, environment, here }) => {
  const { paths } = loadSetup(environment);
  const stamp = here.now.replaceAll(/[:.-]/g, "");
  const target =
    options.to === undefined ? join(paths.dataDir, "backups", stamp) : resolve(environment.cwd, options.to);
  const made = await createBackup({ dataDir: paths.dataDir, target, clock: systemClock });
  if (!made.ok) throw backupFailure(made.error);
  if (!(await recordBackup(paths.dataDir, made.value))) terminal.note(UNRECORDED);
  if (options.json) return terminal.json({ dir: target, ...made.value });
  terminal.line(`Backed up to ${target}`);
  for (const line of describeFiles(made.value)) terminal.line(line);
  if (made.value.files.some(({ name }) => name === "vault.json")) {
    terminal.note(
      `Not in it: what opens the vault. Keep ${join(paths.stateDir, "vault.key")} or the passphrase apart.`,
    );
  }
};

const verify: Handler<Json> = async ({ args: [dir = ""], options, terminal, environment }) => {
  const source = resolve(environment.cwd, dir);
  const verified = await verifyBackup(source);
  if (!verified.ok) throw backupFailure(verified.error);
  if (options.json) return terminal.json({ dir: source, ok: true, ...verified.value });
  terminal.line(`${source} is whole, from ${verified.value.created_at}`);
  for (const line of describeFiles(verified.value)) terminal.line(line);
};

/** Results of runs go by their digests, which say nothing to anybody: they are one line. */
export function describeFiles({ files }: BackupManifest): readonly string[] {
  const results = files.filter(({ name }) => name.includes("/"));
  const bytesOf = results.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    ...files
      .filter((file) => !results.includes(file))
      .map(({ name, bytes, sha256 }) => `${row(name, bytes)}  sha256 ${sha256.slice(0, 16)}…`),
    ...(results.length === 0 ? [] : [`${row("artifacts", bytesOf)}  results of runs: ${results.length}`]),
  ];
}

const row = (name: string, bytes: number): string => `  ${name.padEnd(10)} ${String(bytes).padStart(12)} bytes`;
