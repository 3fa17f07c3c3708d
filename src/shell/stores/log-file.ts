import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Clock, Log, LogFields } from "#ports";
import { allowedFields } from "./log-fields.ts";
import { ensurePrivateDir, PRIVATE_FILE_MODE } from "./private-files.ts";

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const FILES_MAX = 5;

export type LogFile = Log & { readonly close: () => void };

type LogFileOptions = {
  readonly stateDir: string;
  readonly clock: Clock;
  /** When a file is full; smaller in tests only because ten megabytes are slow to write. */
  readonly fileBytesMax?: number;
};

/** JSON lines in `logs/silas.log`, kept in five files of ten megabytes. A log that cannot be written stops nothing. */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  // Loaded when first needed: starting should not wait for it.
  const { pino } = await import("pino");
  const file = openRotating(logPath(options.stateDir), options.fileBytesMax ?? FILE_BYTES_MAX);
  const logger = pino(
    {
      base: null,
      messageKey: "event",
      timestamp: () => `,"at":"${options.clock.now()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    file,
  );
  const write =
    (level: "info" | "warn" | "error") =>
    (event: string, fields: LogFields = {}) =>
      logger[level](allowedFields(fields), eventOf(event));
  return { info: write("info"), warn: write("warn"), error: write("error"), close: file.close };
}

/** The name of what happened, which nobody can make long. */
const eventOf = (event: string): string => event.slice(0, 100);

const logPath = (stateDir: string): string => join(stateDir, "logs", "silas.log");
const numbered = (path: string, number: number): string => (number === 0 ? path : `${path}.${number}`);

function openRotating(path: string, bytesMax: number): { write: (line: string) => void; close: () => void } {
  ensurePrivateDir(join(path, ".."));
  let handle: number | null = openPrivate(path);
  let bytes = fstatSync(handle).size;
  const rotate = (): void => {
    if (handle !== null) closeSync(handle);
    for (let number = FILES_MAX - 1; number >= 1; number -= 1) {
      const from = numbered(path, number - 1);
      if (existsSync(from)) renameSync(from, numbered(path, number));
    }
    handle = openPrivate(path);
    bytes = 0;
  };
  return {
    write: (line) => {
      if (handle === null) return;
      try {
        if (bytes > 0 && bytes + Buffer.byteLength(line) > bytesMax) rotate();
        bytes += writeSync(handle, line);
      } catch {
        // A full disk must not take the work down with its log; the next line tries again.
      }
    },
    close: () => {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

function openPrivate(path: string): number {
  const handle = openSync(path, "a", PRIVATE_FILE_MODE);
  chmodSync(path, PRIVATE_FILE_MODE);
  return handle;
}

const ID_FIELDS = [
  "id",
  "error_id",
  "request_id",
  "operation_id",
  "session_id",
  "record_id",
  "batch_id",
  "connection_id",
];

/** The lines that carry an id in any of its fields, oldest first. Lines that are no JSON are passed over. */
export async function findLogLines(options: {
  readonly stateDir: string;
  readonly id: string;
}): Promise<readonly string[]> {
  const found: string[] = [];
  for (let number = FILES_MAX - 1; number >= 0; number -= 1) {
    const path = numbered(logPath(options.stateDir), number);
    if (!existsSync(path)) continue;
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      if (line.includes(options.id) && carries(line, options.id)) found.push(line);
    }
  }
  return found;
}

function carries(line: string, id: string): boolean {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null) return false;
    return ID_FIELDS.some((name) => (parsed as LogFields)[name] === id);
  } catch {
    return false;
  }
}
