import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { err, ok, type Result } from "#base";
import { faultOf } from "#engine";
import type { VaultFault } from "#model";
import type { Randomness } from "#ports";
import { ensurePrivateDir, writePrivateFile } from "../private-files.ts";
import { damaged } from "./vault-document.ts";

const KEY_BYTES = 32;

/** The random bytes that open a vault without a passphrase; null when the file is not there. */
export function loadKeyFile(path: string): Result<Uint8Array | null, VaultFault> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    return isAbsent ? ok(null) : err(faultOf(cause));
  }
  return /^[0-9a-f]{64}\n?$/.test(text) ? ok(Buffer.from(text.trim(), "hex")) : damaged("key_file_unreadable");
}

/** On the disk before anything is sealed with it; one left by a start that was cut off is used again. */
export function ensureKeyFile(path: string, random: Randomness): Result<Uint8Array, VaultFault> {
  const found = loadKeyFile(path);
  if (!found.ok) return found;
  if (found.value !== null) return ok(found.value);
  const bytes = random.bytes(KEY_BYTES);
  try {
    ensurePrivateDir(dirname(path));
    writePrivateFile(path, `${Buffer.from(bytes).toString("hex")}\n`);
    return ok(bytes);
  } catch (cause) {
    return err(faultOf(cause));
  }
}
