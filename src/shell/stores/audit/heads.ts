import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { err, ok, type Instant, type Result } from "#base";
import { instantSchema, keyIdSchema, type AuditHead, type KeptHead, type SignatureHex } from "#model";
import { PRIVATE_FILE_MODE, syncPath, writePrivateFile } from "../private-files.ts";

/** Heads are kept apart from the database: who cuts or replaces the chain there still has to answer for these. */
const FILE = "audit-heads.jsonl";

const lineSchema = z.strictObject({
  at: instantSchema,
  checkpoint_id: z.string(),
  hash: z.string(),
  /** Heads from before there were signatures say nothing of a key. */
  key_id: z.optional(z.nullable(keyIdSchema)),
  seq: z.int().check(z.gte(1)),
  signature: z.optional(z.nullable(z.string())),
});

/** An entry that was committed, noted between two checkpoints: nobody vouches for it, but a chain without it is older. */
const noteSchema = z.strictObject({ hash: z.string(), seq: z.int().check(z.gte(1)) });

/** The content of one line; `head` is null for a note. */
export type HeadLine = AuditHead & { readonly head: KeptHead | null };
type HeadsUnreadable = { readonly code: "heads_unreadable"; readonly line: number };
export type HeadsFile = {
  /** Adds a head behind the last one, unless it is there. What a crash left of a line makes room for it. */
  append(head: KeptHead): void;
  /** Every head of this entry and later ones, oldest first. Those before are read only as far as they are in the way. */
  load(fromSeq: number): Result<readonly KeptHead[], HeadsUnreadable>;
  /** Adds an entry that was just committed, unless a later one is noted. It is on the disk when this returns. */
  note(entry: AuditHead): void;
  /** The same for every line, heads and notes, by the entry that each speaks of. */
  loadLines(fromSeq: number): Result<readonly HeadLine[], HeadsUnreadable>;
  /** Puts these in the place of all lines at once; the lines before are kept beside them under another name. */
  replace(heads: readonly KeptHead[], at: Instant): void;
};

export function createHeadsFile(dataDir: string): HeadsFile {
  const path = join(dataDir, FILE);
  const loadLines = (fromSeq: number): Result<readonly HeadLine[], HeadsUnreadable> => {
    if (!existsSync(path)) return ok([]);
    const handle = openSync(path, "r");
    try {
      return loadFrom(handle, fromSeq);
    } finally {
      closeSync(handle);
    }
  };
  return {
    append: (head) => appendTo(path, { seq: head.seq, text: renderLine(head) }),
    note: ({ seq, hash }) => appendTo(path, { seq, text: JSON.stringify({ hash, seq }) }),
    load: (fromSeq) => {
      const lines = loadLines(fromSeq);
      return lines.ok ? ok(lines.value.flatMap(({ head }) => head ?? [])) : lines;
    },
    loadLines,
    replace: (heads, at) => replaceAll(path, { heads, at }),
  };
}

type Replacing = { readonly heads: readonly KeptHead[]; readonly at: Instant };

/** At every moment the file holds the lines before or all of the new ones. */
function replaceAll(path: string, { heads, at }: Replacing): void {
  const kept = `${path}.replaced-${at.replaceAll(/[:.-]/g, "")}`;
  if (existsSync(path)) {
    rmSync(kept, { force: true });
    linkSync(path, kept);
  }
  writePrivateFile(path, heads.map((head) => `${renderLine(head)}\n`).join(""));
}

/** A new file is durable only with its name, so the directory is synced too where nothing was written before. */
function appendTo(path: string, line: { readonly seq: number; readonly text: string }): void {
  const handle = openSync(path, "a+", PRIVATE_FILE_MODE);
  let isNew = false;
  try {
    const { size } = fstatSync(handle);
    isNew = size === 0;
    const tail = readLastLine(handle, size);
    const whole = tail.lastIndexOf("\n") + 1;
    const last = parseLine(tail.slice(0, whole).split("\n").at(-2) ?? "");
    if (last !== null && last.seq >= line.seq) return;
    if (whole < tail.length) ftruncateSync(handle, size - Buffer.byteLength(tail.slice(whole)));
    writeSync(handle, `${line.text}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (isNew) syncPath(dirname(path));
}

const TAIL_BYTES = 64 * 1024;
const LINE_BYTES = 1024;

/** The end of the file with its last whole line and whatever a crash left behind it. Lines are a few hundred bytes. */
function readLastLine(handle: number, size: number): string {
  const end = readTail(handle, { size, bytes: Math.min(size, LINE_BYTES) });
  const whole = end.lastIndexOf("\n");
  const hasLine = size <= LINE_BYTES || (whole > 0 && end.lastIndexOf("\n", whole - 1) !== -1);
  return hasLine ? end : readTail(handle, { size, bytes: Math.min(size, TAIL_BYTES) });
}

type Lines = Result<readonly HeadLine[], HeadsUnreadable>;

function loadFrom(handle: number, fromSeq: number): Lines {
  const { size } = fstatSync(handle);
  for (let bytes = fromSeq > 1 ? TAIL_BYTES : size; bytes < size; bytes *= 4) {
    const tail = readTail(handle, { size, bytes });
    // The first line of a part is a part of a line.
    const heads = parseLines(tail.slice(tail.indexOf("\n") + 1));
    if (heads.ok && (heads.value[0]?.seq ?? fromSeq) < fromSeq)
      return ok(heads.value.filter(({ seq }) => seq >= fromSeq));
    // Which line it is can only be told by whoever read all of them.
    if (!heads.ok) break;
  }
  const heads = parseLines(readTail(handle, { size, bytes: size }));
  return heads.ok ? ok(heads.value.filter(({ seq }) => seq >= fromSeq)) : heads;
}

type Tail = { readonly size: number; readonly bytes: number };

/** The last bytes of a file that had this size: it may grow meanwhile, and a part of another size would begin within a line. */
function readTail(handle: number, { size, bytes }: Tail): string {
  const buffer = Buffer.alloc(bytes);
  const read = readSync(handle, buffer, 0, bytes, size - bytes);
  return buffer.toString("utf8", 0, read);
}

function parseLines(text: string): Lines {
  const heads: HeadLine[] = [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  for (const [index, line] of lines.entries()) {
    const head = parseLine(line);
    if (head === null) return err({ code: "heads_unreadable", line: index + 1 });
    heads.push(head);
  }
  if (last === "" || isTorn(last)) return ok(heads);
  const head = parseLine(last);
  return head === null ? err({ code: "heads_unreadable", line: lines.length + 1 }) : ok([...heads, head]);
}

/** A line whose writing was cut off ends before the brace that every line ends with, and nothing else has one. */
const isTorn = (text: string): boolean =>
  ['{"at":"', '{"hash":"'].some((start) => text.startsWith(start.slice(0, text.length))) && !text.includes("}");

/** Null for anything but a line as it is written here: another spelling of the same would be an edit nobody sees. */
function parseLine(line: string): HeadLine | null {
  const json = parseJson(line);
  const note = noteSchema.safeParse(json);
  if (note.success) {
    const { hash, seq } = note.data;
    return JSON.stringify({ hash, seq }) === line ? { seq, hash, head: null } : null;
  }
  const parsed = lineSchema.safeParse(json);
  if (!parsed.success) return null;
  const { at, checkpoint_id, hash, key_id, seq, signature } = parsed.data;
  if (JSON.stringify({ at, checkpoint_id, hash, key_id, seq, signature }) !== line) return null;
  const head = {
    at,
    checkpointId: checkpoint_id,
    hash,
    keyId: key_id ?? null,
    seq,
    signature: (signature ?? null) as SignatureHex | null,
  };
  return { seq, hash, head };
}

/** In the order of canonical JSON. */
function renderLine({ at, checkpointId, hash, keyId, seq, signature }: KeptHead): string {
  return JSON.stringify({ at, checkpoint_id: checkpointId, hash, key_id: keyId, seq, signature });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
