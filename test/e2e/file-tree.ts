/** A folder as it is now, to be held against how it was. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Every file with its mode and the digest of its bytes. */
export function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
      return `${relative(folder, path)} ${lstatSync(path).mode.toString(8)} ${digest}`;
    })
    .toSorted();
}

export const digestsOf = (tree: readonly string[]): readonly string[] =>
  tree.map((line) => line.slice(line.lastIndexOf(" "))).toSorted();

/** Every file below a folder with its bytes; what a running Silas puts away meanwhile is none of them. */
export function filesIn(folder: string): readonly { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      try {
        return [{ path, bytes: readFileSync(path) }];
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw thrown;
      }
    });
}
