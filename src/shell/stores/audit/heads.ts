import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { err, ok, type Instant, type Result } from "#base";
import { instantSchema, type AuditCheckpoint, type AuditHead } from "#model";
import { PRIVATE_FILE_MODE } from "../private-files.ts";

/** Heads are kept apart from the database: who cuts or replaces the chain there still has to answer for these. */
const FILE = "audit-heads.jsonl";

const lineSchema = z.strictObject({
  at: instantSchema,
  checkpoint_id: z.string(),
  hash: z.string(),
  seq: z.int().check(z.gte(1)),
});

export type HeadsFile = {
  append(head: AuditCheckpoint, at: Instant): void;
  /** Every head, oldest first; a line that was not written to its end by a crash is left out. */
  load(): Result<readonly AuditHead[], { readonly code: "heads_unreadable"; readonly line: number }>;
};

export function createHeadsFile(dataDir: string): HeadsFile {
  const path = join(dataDir, FILE);
  return {
    append: ({ checkpointId, hash, seq }, at) => {
      const isTorn = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, "utf8"));
      const handle = openSync(path, "a", PRIVATE_FILE_MODE);
      try {
        const line = JSON.stringify({ at, checkpoint_id: checkpointId, hash, seq });
        writeSync(handle, `${isTorn ? "\n" : ""}${line}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    },
    load: () => parseHeads(existsSync(path) ? readFileSync(path, "utf8") : ""),
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

function parseHeads(text: string): ReturnType<HeadsFile["load"]> {
  const heads: AuditHead[] = [];
  const lines = text.split("\n");
  // What stands behind the last line break is nothing, or a line whose writing was cut off.
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const head = lineSchema.safeParse(parseJson(line));
    if (!head.success) return err({ code: "heads_unreadable", line: index + 1 });
    heads.push({ seq: head.data.seq, hash: head.data.hash });
  }
  return ok(heads);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
