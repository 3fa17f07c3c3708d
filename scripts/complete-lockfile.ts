/**
 * Adds to package-lock.json the platform packages that npm left out.
 *
 * Tools with native parts list one optional package per platform. When a registry mirror holds only some of them,
 * `npm install` writes a lockfile without the others, and `npm ci` then refuses that lockfile everywhere. The version is
 * known from the package that asks for it and the platform from its name, which is all npm needs to skip it elsewhere.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./tools.ts";

type LockEntry = {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
export type Lockfile = { readonly packages: Readonly<Record<string, LockEntry>> };

type MissingPackage = { readonly name: string; readonly version: string; readonly askedBy: string };

/** Packages that an entry depends on and that no folder on the way up to the root would provide. */
export function missingFrom({ packages }: Lockfile): readonly MissingPackage[] {
  return Object.entries(packages).flatMap(([askedBy, entry]) =>
    Object.entries({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter(([name]) => !placesOf(askedBy).some((place) => packages[`${place}node_modules/${name}`] !== undefined))
      .map(([name, version]) => ({ name, version, askedBy })),
  );
}

function placesOf(path: string): readonly string[] {
  const steps = path.split(/(?<=^|\/)node_modules\//).filter((step) => step !== "");
  return steps
    .map((_, index) =>
      steps
        .slice(0, index + 1)
        .map((step) => `node_modules/${step.replace(/\/?$/, "/")}`)
        .join(""),
    )
    .concat("");
}

const SYSTEMS = new Set([
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "aix",
  "win32",
]);
const PROCESSORS = new Set([
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
]);

/** What the name says about where it runs; null when it says nothing. */
export function platformOf(name: string): object | null {
  const words = (name.split("/").at(-1) ?? "").split("-");
  const cpu = words.filter((word) => PROCESSORS.has(word));
  const os = words.filter((word) => SYSTEMS.has(word));
  if (cpu.length === 0 && os.length === 0) return null;
  const libc = os[0] !== "linux" ? [] : [words.some((word) => word.startsWith("musl")) ? "musl" : "glibc"];
  return { ...(cpu.length && { cpu }), ...(os.length && { os }), ...(libc.length && { libc }) };
}

export function completed(lockfile: Lockfile): Lockfile {
  const entries = new Map(Object.entries(lockfile.packages));
  for (const { name, version, askedBy } of missingFrom(lockfile)) {
    const asking = lockfile.packages[askedBy];
    const platform = platformOf(name);
    if (platform === null || asking?.optionalDependencies?.[name] === undefined) continue;
    entries.set(`node_modules/${name}`, { version, ...(asking.dev && { dev: true }), optional: true, ...platform });
  }
  const sorted = [...entries].toSorted(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lockfile, packages: Object.fromEntries(sorted) };
}

function main(): void {
  const path = join(ROOT, "package-lock.json");
  const lockfile = JSON.parse(readFileSync(path, "utf8")) as Lockfile;
  const whole = completed(lockfile);
  writeFileSync(path, `${JSON.stringify(whole, null, 2)}\n`);
  const count = Object.keys(whole.packages).length - Object.keys(lockfile.packages).length;
  console.log(`Added ${count} packages of other platforms to package-lock.json.`);
  for (const { name, askedBy } of missingFrom(whole)) console.log(`Still missing: ${name}, asked for by ${askedBy}`);
}

if (import.meta.main) main();
