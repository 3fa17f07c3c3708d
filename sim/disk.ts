import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "#base";

/** A real data directory under simulation. Every state a crash could leave is kept, to be looked at afterwards. */
export type CutDisk = {
  /** To be given to the store: keeps what a process killed at this statement would leave. */
  readonly onStatement: (sql: string) => void;
  readonly states: () => readonly CutState[];
  /** Starts to keep states; before this the statements are only passed on. */
  readonly start: () => void;
  /** Ends with the states between the writes of the last commit: the log cut, torn and holed at every frame. */
  readonly finish: () => void;
};
export type CutState = {
  readonly name: string;
  /** Where the files as they were are kept. */
  readonly kept: string;
  /** What power loss did to the log on top of it. */
  readonly damage: ((log: Buffer) => Buffer) | null;
};

type CutOptions = { readonly dataDir: string; readonly file: string; readonly into: string };

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SECTOR_BYTES = 512;

export function createCutDisk({ dataDir, file, into }: CutOptions): CutDisk {
  const states: CutState[] = [];
  let isKeeping = false;
  let walBytesBefore = 0;
  const keep = (name: string): string => {
    const kept = join(into, String(states.length).padStart(4, "0"));
    copyFiles({ from: dataDir, to: kept, file });
    states.push({ name, kept, damage: null });
    return kept;
  };
  return {
    onStatement: (sql) => {
      if (isKeeping) keep(`before ${sql.trim().slice(0, 60).replaceAll(/\s+/g, " ")}`);
    },
    states: () => states,
    start: () => {
      isKeeping = true;
      walBytesBefore = walBytes(dataDir, file);
    },
    finish: () => {
      isKeeping = false;
      const kept = keep("after the last statement");
      for (const at of frameStarts({ dataDir, file, from: walBytesBefore })) {
        // Sectors that never reached the disk, although later ones did or the file grew, read as zeros.
        const inside = at + FRAME_HEADER_BYTES + SECTOR_BYTES;
        states.push(
          { name: `log cut at byte ${at}`, kept, damage: (log) => log.subarray(0, at) },
          { name: `log torn at byte ${inside}`, kept, damage: (log) => log.fill(0, inside) },
          { name: `log with a hole at byte ${at}`, kept, damage: (log) => log.fill(0, at, at + SECTOR_BYTES) },
        );
      }
    },
  };
}

export type Look = { readonly state: CutState; readonly file: string; readonly into: string };

/** Puts a state into a directory of its own, lets the work look at it, and clears it away. */
export async function lookAt({ state, file, into }: Look, work: (dir: string) => Promise<void>): Promise<void> {
  const dir = join(into, "look");
  copyFiles({ from: state.kept, to: dir, file });
  const log = join(dir, `${file}-wal`);
  if (state.damage !== null) writeFileSync(log, state.damage(readFileSync(log)));
  try {
    await work(dir);
  } catch (cause) {
    throw new Error(`after a cut ${state.name}`, { cause });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function copyFiles({ from, to, file }: { readonly from: string; readonly to: string; readonly file: string }): void {
  mkdirSync(to, { recursive: true });
  // The index (-shm) is memory shared between processes: after a crash it is rebuilt from the log.
  for (const suffix of ["", "-wal", "-journal"]) {
    if (existsSync(join(from, file + suffix))) copyFileSync(join(from, file + suffix), join(to, file + suffix));
  }
}

const walBytes = (dataDir: string, file: string): number => {
  const path = join(dataDir, `${file}-wal`);
  return existsSync(path) ? statSync(path).size : 0;
};

type Range = { readonly dataDir: string; readonly file: string; readonly from: number };

/** Where the frames of the last transaction begin. */
function frameStarts({ dataDir, file, from }: Range): readonly number[] {
  const size = walBytes(dataDir, file);
  if (size === 0) return [];
  const header = readFileSync(join(dataDir, `${file}-wal`)).subarray(0, WAL_HEADER_BYTES);
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  assert((size - WAL_HEADER_BYTES) % frameBytes === 0, "the log holds whole frames");
  const starts: number[] = [];
  for (let start = Math.max(from, WAL_HEADER_BYTES); start < size; start += frameBytes) starts.push(start);
  return starts;
}

/** SQLite's own verdict on a file, its search index included. */
export function checkIntegrity(path: string): void {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("PRAGMA integrity_check").all();
    assert(rows.length === 1 && rows[0]?.["integrity_check"] === "ok", "pages hold together");
    const search = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'search'").get();
    if (search !== undefined) database.exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)");
  } finally {
    database.close();
  }
}
