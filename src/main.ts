/**
 * The start of the process. Reads the outside world once, hands it to the command line as values, and sets the exit
 * code; everything else is decided in `cli/`.
 */
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

const NODE_MAJOR_MIN = 24;
const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// A reader that has seen enough (`silas tasks list | head`) closes the pipe; that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
    throw error;
  });
}

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(`Silas needs Node ${NODE_MAJOR_MIN} or later, and this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  // Halves the time of every command. The cache lies beside the code it was made from, so whoever can change the one
  // could change the other; where it cannot be written, Node goes on without it.
  enableCompileCache(fromHere("../node_modules/.cache/silas"));
  const manifest = readManifest();
  const { findOwnModules } = await import("./cli/own-modules.ts");
  findOwnModules(manifest.imports);
  const { run } = await import("./cli/program.ts");
  process.exitCode = await run({
    version: manifest.version,
    argv: process.argv.slice(2),
    // Touched only by commands that ask or read: opening it is not free.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
  });
}

/** Part of the installation like this file itself, so what it holds is known. */
function readManifest(): { readonly version: string; readonly imports: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(fromHere("../package.json"), "utf8"));
}
