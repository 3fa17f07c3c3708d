import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { err, ok, type Instant, type Result } from "#base";
import { instantSchema, keyIdSchema, type KeptHead, type SignatureHex } from "#model";
import { PRIVATE_FILE_MODE } from "../private-files.ts";

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

export type HeadsUnreadable = { readonly code: "heads_unreadable"; readonly line: number };
export type HeadsFile = {
  /** Adds a head behind the last one, unless it is there. What a crash left of a line makes room for it. */
  append(head: KeptHead): void;
  /** Every head of this entry and later ones, oldest first. Those before are read only as far as they are in the way. */
  load(fromSeq: number): Result<readonly KeptHead[], HeadsUnreadable>;
};

export function createHeadsFile(dataDir: string): HeadsFile {
  const path = join(dataDir, FILE);
  return {
    append: (head) => appendTo(path, head),
    load: (fromSeq) => {
      if (!existsSync(path)) return ok([]);
      const handle = openSync(path, "r");
      try {
        return loadFrom(handle, fromSeq);
      } finally {
        closeSync(handle);
      }
    },
  };
}

/** Puts the heads of a replaced database beside it; its chain is no longer the one they speak of. */
export function setHeadsAside(dataDir: string, at: Instant): string | null {
  const path = join(dataDir, FILE);
  if (!existsSync(path)) return null;
  const kept = `${path}.before-restore-${at.replaceAll(/[:.-]/g, "")}`;
  renameSync(path, kept);
  return kept;
}

function appendTo(path: string, head: KeptHead): void {
  const handle = openSync(path, "a+", PRIVATE_FILE_MODE);
  try {
    const { size } = fstatSync(handle);
    const tail = readTail(handle, Math.min(size, TAIL_BYTES));
    const whole = tail.lastIndexOf("\n") + 1;
    const last = parseLine(tail.slice(0, whole).split("\n").at(-2) ?? "");
    if (last !== null && last.seq >= head.seq) return;
    if (whole < tail.length) ftruncateSync(handle, size - Buffer.byteLength(tail.slice(whole)));
    writeSync(handle, `${renderLine(head)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const TAIL_BYTES = 64 * 1024;

function loadFrom(handle: number, fromSeq: number): ReturnType<HeadsFile["load"]> {
  const { size } = fstatSync(handle);
  for (let bytes = fromSeq > 1 ? TAIL_BYTES : size; bytes < size; bytes *= 4) {
    const tail = readTail(handle, bytes);
    // The first line of a part is a part of a line.
    const heads = parseLines(tail.slice(tail.indexOf("\n") + 1));
    if (heads.ok && (heads.value[0]?.seq ?? fromSeq) < fromSeq)
      return ok(heads.value.filter(({ seq }) => seq >= fromSeq));
    // Which line it is can only be told by whoever read all of them.
    if (!heads.ok) break;
  }
  const heads = parseLines(readTail(handle, size));
  return heads.ok ? ok(heads.value.filter(({ seq }) => seq >= fromSeq)) : heads;
}

function readTail(handle: number, bytes: number): string {
  const { size } = fstatSync(handle);
  const buffer = Buffer.alloc(bytes);
  const read = readSync(handle, buffer, 0, bytes, size - bytes);
  return buffer.toString("utf8", 0, read);
}

function parseLines(text: string): ReturnType<HeadsFile["load"]> {
  const heads: KeptHead[] = [];
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
const isTorn = (text: string): boolean => text.startsWith('{"at":"'.slice(0, text.length)) && !text.includes("}");

/** Null for anything but a line as it is written here: another spelling of the same would be an edit nobody sees. */
function parseLine(line: string): KeptHead | null {
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success) return null;
  const { at, checkpoint_id, hash, key_id, seq, signature } = parsed.data;
  if (JSON.stringify({ at, checkpoint_id, hash, key_id, seq, signature }) !== line) return null;
  return {
    at,
    checkpointId: checkpoint_id,
    hash,
    keyId: key_id ?? null,
    seq,
    signature: (signature ?? null) as SignatureHex | null,
  };
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
