import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./places.ts";

type Lock = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
};

/** The packages that carry the Node binary; every program written for Node needs one. */
const NODE_BINARY = /^node_modules\/node-(?:linux|win)-/;

/** Bytes of a production install on this machine: its packages, the source and the built page, without Node itself. */
export function installedBytes(): number {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
  const packages = Object.entries(lock.packages).filter(
    ([path, entry]) => path !== "" && entry.dev !== true && !NODE_BINARY.test(path),
  );
  const own = ["src", "bin", "scripts", "web/dist"].map((path) => bytesUnder(join(ROOT, path)));
  return sum(packages.map(([path]) => bytesUnder(join(ROOT, path)))) + sum(own);
}

/** Packages inside a package are counted as entries of their own. */
function bytesUnder(path: string): number {
  const entries = readdirIfThere(path);
  return sum(
    entries.map((entry) => {
      const child = join(path, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? 0 : bytesUnder(child);
      return entry.isFile() ? statSync(child).size : 0;
    }),
  );
}

/** Optional packages of other platforms are in the lockfile and not on the disk. */
function readdirIfThere(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
