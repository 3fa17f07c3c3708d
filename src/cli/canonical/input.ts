import { createReadStream } from "node:fs";
import { err, ok, type Result } from "#base";
import type { CanonicalCall, InputErrorCode } from "./bytes.ts";

/** Reads `-` from the given stdin and everything else from the file system, never holding more than the limit. */
export function createInputReader(stdin: AsyncIterable<Uint8Array>): CanonicalCall["readInput"] {
  return async (source, { bytesMax }) => {
    try {
      return await collect(source === "-" ? stdin : createReadStream(source), bytesMax);
    } catch (cause) {
      return err({ code: codeOf(cause) });
    }
  };
}

async function collect(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Result<Uint8Array, { readonly code: InputErrorCode }>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > bytesMax) return err({ code: "too_large" });
    parts.push(chunk);
  }
  return ok(Buffer.concat(parts, size));
}

const CODES: Readonly<Record<string, InputErrorCode>> = {
  ENOENT: "not_found",
  ENOTDIR: "not_found",
  EISDIR: "not_a_file",
  EACCES: "not_permitted",
  EPERM: "not_permitted",
};

function codeOf(cause: unknown): InputErrorCode {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return CODES[code] ?? "unreadable";
}
