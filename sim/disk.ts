import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { assert } from "#base";

/** A real data directory under simulation. Every state a crash could leave is kept, to be looked at afterwards. */
type CutDisk = {
  /** To be given to the store: keeps what a process killed at this statement would leave. */
  readonly onStatement: (sql: string) => void;
  readonly states: () => readonly CutState[];
  /** Starts to keep states; before this the statements are only passed on. */
  readonly start: () => void;
  /** Ends with the states between the writes of the last commit: the log cut, torn and holed at every frame. */
  readonly finish: () => void;
};
type CutState = {
  readonly name: string;
  /** Where the files as they were are kept: the same place as for the state before, when not a byte has changed since. */
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
    const last = states.at(-1)?.kept;
    const isSame = last !== undefined && hasSameFiles({ from: dataDir, to: last, file });
    const kept = isSame ? last : join(into, String(states.length).padStart(4, "0"));
    if (!isSame) copyFiles({ from: dataDir, to: kept, file });
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

/** A disk that is watched together with what is outside of it. */
type Cutting<Seen> = Pick<CutDisk, "onStatement" | "start" | "finish"> & {
  /** Each state a killed process could leave, with what was outside of the file then. */
  readonly cuts: () => readonly Cut<Seen>[];
};
type Cut<Seen> = { readonly state: CutState; readonly seen: Seen };

/**
 * Cuts at every statement that writes; what only reads leaves the file as it was. Every commit waits for the disk, so
 * the log never loses what a later effect was built on: a log that was damaged is left to those who cut nothing else.
 */
export function createCutting<Seen>(options: CutOptions & { readonly see: () => Seen }): Cutting<Seen> {
  const disk = createCutDisk(options);
  const seen: Seen[] = [];
  return {
    start: disk.start,
    finish: disk.finish,
    onStatement: (sql) => {
      if (sql.trimStart().startsWith("SELECT")) return;
      disk.onStatement(sql);
      const kept = disk.states().length;
      if (kept > seen.length) seen.push(options.see());
    },
    cuts: () =>
      disk
        .states()
        .filter(({ damage }) => damage === null)
        .map((state, index) => ({ state, seen: seen[index] ?? options.see() })),
  };
}

/** Which of the different states are looked at. */
export type PickStates = <T>(states: readonly T[]) => readonly T[];

const everyOne: PickStates = (states) => states;

type EachLook<Seen> = Omit<Look, "state"> & {
  readonly look: (dir: string, seen: Seen) => Promise<void>;
  /** Every state, unless somebody picks. */
  readonly pick?: PickStates | undefined;
};

/**
 * Looks at one state after the other; answers how many moments there were. Most statements leave nothing in the files until
 * their commit, so moments that left the same bytes and the same outside are one state, and looked at once.
 */
export async function lookAtEach<Seen>(
  cuts: readonly Cut<Seen>[],
  { look, pick = everyOne, ...where }: EachLook<Seen>,
): Promise<number> {
  const different = cuts.filter((cut, index) => !isSameCut(cut, cuts[index - 1]));
  for (const { state, seen } of pick(different)) await lookAt({ state, ...where }, (dir) => look(dir, seen));
  return cuts.length;
}

function isSameCut(cut: Cut<unknown>, before: Cut<unknown> | undefined): boolean {
  if (before === undefined || cut.state.damage !== null || before.state.damage !== null) return false;
  return cut.state.kept === before.state.kept && isDeepStrictEqual(cut.seen, before.seen);
}

type AllLook = Omit<EachLook<unknown>, "look"> & { readonly look: (dir: string) => Promise<void> };

/** The same where nothing is outside of the file. */
export const lookAtAll = (states: readonly CutState[], { look, ...where }: AllLook): Promise<number> =>
  lookAtEach(
    states.map((state) => ({ state, seen: null })),
    { ...where, look: (dir) => look(dir) },
  );

type Look = { readonly state: CutState; readonly file: string; readonly into: string };

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

type TwoPlaces = { readonly from: string; readonly to: string; readonly file: string };

/** The index (-shm) is memory shared between processes: after a crash it is rebuilt from the log. */
const filesOf = (file: string): readonly string[] => ["", "-wal", "-journal"].map((suffix) => file + suffix);

function copyFiles({ from, to, file }: TwoPlaces): void {
  mkdirSync(to, { recursive: true });
  for (const name of filesOf(file)) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}

const hasSameFiles = ({ from, to, file }: TwoPlaces): boolean =>
  filesOf(file).every((name) => {
    const [here, there] = [join(from, name), join(to, name)];
    if (!existsSync(here) || !existsSync(there)) return existsSync(here) === existsSync(there);
    return statSync(here).size === statSync(there).size && readFileSync(here).equals(readFileSync(there));
  });

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
