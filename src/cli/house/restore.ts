import { resolve } from "node:path";
import { systemClock, systemRandomness } from "#runtime";
import { readInstance, restoreBackup, verifyBackup } from "#stores";
import { beginRestore } from "../audit/record-backup.ts";
import { backupFailure, UNRECORDED } from "./backup-words.ts";
import { describeFiles } from "./backup.ts";
import { askFirst } from "../terminal/ask.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { loadSetup } from "../client/setup.ts";

export const define: Define = (restore, act) => {
  restore
    .argument("<from>", "the directory of a backup")
    .option("--yes", "do not ask")
    .option("--json", "print what was done as JSON")
    .action(act(restoreFrom));
};

type Options = { readonly yes?: true; readonly json?: boolean };

/** Verifies first, asks second, and keeps what it replaces. */
const restoreFrom: Handler<Options> = async ({ args: [from = ""], options, terminal, environment }) => {
  const { paths } = loadSetup(environment);
  const source = resolve(environment.cwd, from);
  const verified = await verifyBackup(source);
  if (!verified.ok) throw backupFailure(verified.error);
  const running = readInstance(paths.dataDir);
  if (running.ok && running.value.state === "live") throw backupFailure({ code: "instance_running", instance: null });
  if (!options.json) {
    terminal.note(`Puts back the state of ${verified.value.created_at} in ${paths.dataDir}:`);
    for (const line of describeFiles(verified.value)) terminal.note(line);
  }
  if (!options.yes) {
    await askFirst(terminal, {
      because: "Restoring replaces the present data",
      question: "Replace the present data with this backup?",
      declined: "Not restored.",
    });
  }
  const record = await beginRestore(paths.dataDir, verified.value);
  const restored = await restoreBackup({
    dataDir: paths.dataDir,
    source,
    clock: systemClock,
    random: systemRandomness,
  });
  if (!restored.ok) {
    await record.refused(restored.error.code);
    throw backupFailure(restored.error);
  }
  if (!(await record.done())) terminal.note(UNRECORDED);
  if (options.json) return terminal.json(restored.value);
  terminal.line("Restored.");
  for (const file of restored.value.kept) terminal.line(`  what was there before is kept in ${file}`);
};
