import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { Sha256Hex } from "#base";
import { CommandFailure } from "../terminal/failure.ts";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");

/** The SHA-256 of a file of any size; nothing of it is kept or sent. */
export async function digestOfFile(file: string, cwd: string): Promise<Sha256Hex> {
  const path = resolve(cwd, file);
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (cause) {
    throw new CommandFailure({
      what: `${path} could not be read.`,
      kept: "Nothing was changed.",
      next: "Name a file that exists and that you may read.",
      cause,
    });
  }
  return hash.digest("hex") as Sha256Hex;
}
