import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Installs the peers when they are missing or not the ones of the lockfile. Answers with a sentence on failure. */
export function ensurePeers(): string | null {
  if (areInstalled()) return null;
  console.log(
    "bench/node_modules is missing or out of date: installing the peers (npm ci --ignore-scripts in bench/).",
  );
  const cli = process.env["npm_execpath"];
  const args = ["ci", "--ignore-scripts"];
  const options = { cwd: FOLDER, stdio: "inherit" } as const;
  const result = cli?.endsWith(".js")
    ? spawnSync(process.env["npm_node_execpath"] ?? process.execPath, [cli, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (result.status === 0) return null;
  return "Installing the peers failed; npm's own words are above. Run `npm ci --ignore-scripts` in bench/ and try again.";
}

/** Loads a peer by name. Its types are stated by the caller, since the project compiles without the peers installed. */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

type Lock = { readonly packages?: Readonly<Record<string, { readonly version?: string }>> };

function areInstalled(): boolean {
  const wanted = readLock("package-lock.json")?.packages;
  const present = readLock("node_modules/.package-lock.json")?.packages;
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => path === "" || present[path]?.version === entry.version);
}

function readLock(path: string): Lock | null {
  try {
    return JSON.parse(readFileSync(`${FOLDER}${path}`, "utf8")) as Lock;
  } catch {
    return null;
  }
}
