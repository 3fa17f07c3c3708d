import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { composeLocal, type LocalApp, type LocalOptions } from "#compose";
import { loadConfig } from "#config";
import { layMigrated } from "#sim";
import { instantFromMs, type Instant } from "#base";
import type { AuditEntry, KeptRequest, WorkDetail } from "#model";
import { must } from "./journal-fixture.ts";

export const TERMINAL = { kind: "terminal" } as const;
const BEGIN_MS = Date.UTC(2026, 10, 16, 8, 0);

export type Desk = {
  readonly app: LocalApp;
  readonly folder: string;
  readonly dataDir: string;
  moveMs(ms: number): void;
  now(): Instant;
};

/** Outside of /tmp, which is no place that a plan may reach. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync("/var/tmp/silas-batch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    if (name.includes("/")) mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), (BEGIN_MS - 86_400_000) / 1000, (BEGIN_MS - 86_400_000) / 1000);
  }
  return folder;
}

/** Everything but a server, with real stores and the real sandbox, on a clock of its own. */
export async function openDesk(
  files: Readonly<Record<string, string>>,
  home = homeDir(),
  begin = 0,
  watch: Pick<LocalOptions, "onStatement" | "log"> = {},
): Promise<Desk> {
  const loaded = loadConfig({
    env: { SILAS_HOME: home },
    cwd: home,
    homeDir: home,
    platform: process.platform,
    argvOverrides: { "channels.web.port": "0" },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  let nowMs = BEGIN_MS + begin;
  const now = (): Instant => must(instantFromMs(nowMs));
  const { config, paths } = loaded.value;
  layMigrated(config.dataDir);
  const app = must(await composeLocal({ config, stateDir: paths.stateDir, machine: { clock: { now } }, ...watch }));
  onTestFinished(() => app.close());
  must(await app.keys.prepare());
  return { app, folder: folderOf(files), dataDir: config.dataDir, moveMs: (ms) => void (nowMs += ms), now };
}

export function homeDir(): string {
  const home = realpathSync(mkdtempSync("/var/tmp/silas-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export async function askedIn({ app, folder }: Desk): Promise<KeptRequest> {
  const { asked } = must(await app.work.batches.tidy(folder, TERMINAL));
  if (asked === null) throw new Error("there is something to move");
  return asked.request;
}

export async function approve({ app }: Desk, { requestId }: Pick<KeptRequest, "requestId">): Promise<string> {
  const shown = must(await app.approvals.show(requestId));
  const answer = { requestId, verdict: "approved", shownHash: shown.planHash, actor: TERMINAL } as const;
  must(await app.approvals.decide({ ...answer, friction: ["tap", "confirm"] }));
  const runs = must(await app.work.list());
  const found = runs.find((one) => one.requestId === requestId);
  if (found === undefined) throw new Error("an approved batch has its run");
  return found.run.runId;
}

export async function run({ app }: Desk, runId: string): Promise<WorkDetail> {
  await app.work.runGranted(runId);
  return must(await app.work.show(runId));
}

/** Asked, approved and run. */
export async function carryOut(desk: Desk): Promise<WorkDetail> {
  return run(desk, await approve(desk, await askedIn(desk)));
}

/** Takes a run back, and answers with the run that did. */
export async function takeBack(desk: Desk, runId: string): Promise<WorkDetail> {
  const undo = must(await desk.app.work.batches.undo(runId, TERMINAL));
  if (undo.runId === null) throw new Error("something takes it back");
  return run(desk, undo.runId);
}

/** Every path of a tree with its bytes, its time and its mode. */
export function treeOf(folder: string, inside = ""): readonly string[] {
  return readdirSync(join(folder, inside))
    .toSorted()
    .flatMap((name) => {
      const path = join(inside, name);
      const about = lstatSync(join(folder, path));
      if (about.isDirectory()) return [`${path}/`, ...treeOf(folder, path)];
      const bytes = about.isFile()
        ? createHash("sha256")
            .update(readFileSync(join(folder, path)))
            .digest("hex")
        : "-";
      return [`${path} ${bytes} ${about.mode} ${about.mtimeMs}`];
    });
}

export async function eventsOf({ app: _app, dataDir }: Desk): Promise<readonly Pick<AuditEntry, "event" | "data">[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(dataDir, "silas.db"), { readOnly: true });
  try {
    const rows = database.prepare("SELECT entry FROM audit_entries ORDER BY seq").all();
    return rows.map((row) => JSON.parse(String(row["entry"])) as Pick<AuditEntry, "event" | "data">);
  } finally {
    database.close();
  }
}
