import { lstatSync, readdirSync, statSync } from "node:fs";
import { DATA_DIR_MARKERS, type FolderUse } from "#model";
import { pathsOf } from "./directories.ts";
import type { Environment } from "./environment.ts";

type Surroundings = Pick<Environment, "env" | "homeDir" | "platform"> & {
  readonly canonical: (path: string) => string;
};

/** Trees that belong to the system, whole. */
const SYSTEM_TREES = ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr"];
/** Folders that hold the folders of others. */
const SHARED_PLACES = ["/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var"];
const MAC_TREES = ["/Applications", "/Library", "/System", "/private/etc"];
const MAC_PLACES = ["/Users", "/Volumes", "/private", "/private/tmp", "/private/var"];

/** How a folder is used that Silas would close to everybody else. Reads only. */
export function folderUse(path: string, around: Surroundings): Exclude<FolderUse, "foreign"> {
  if (isSystemPlace(around.canonical(path), around)) return "system_place";
  return isFolderOrFree(path, around) ? "free" : "not_a_folder";
}

type Expecting = Surroundings & { readonly expected: readonly string[] };

/** The same for the data directory, which is empty, not there yet, or marked as Silas's. `expected` may be there before. */
export function dataDirUse(path: string, { expected, ...around }: Expecting): FolderUse {
  const use = folderUse(path, around);
  if (use !== "free") return use;
  try {
    const names = readdirSync(path);
    if (names.some((name) => DATA_DIR_MARKERS.includes(name))) return "free";
    return names.every((name) => expected.includes(name) || name === "lost+found") ? "free" : "foreign";
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ENOENT" ? "free" : "foreign";
  }
}

/** The root, the home and all folders above it, the temporary folder, and what the system keeps its own files in. */
function isSystemPlace(place: string, { env, homeDir, platform, canonical }: Surroundings): boolean {
  const { dirname, sep } = pathsOf(platform);
  const isInside = (path: string, tree: string): boolean => path.startsWith(tree.endsWith(sep) ? tree : tree + sep);
  const own = [homeDir, env["TMPDIR"], env["TEMP"], "/tmp", "/var/tmp"].flatMap((path) =>
    path === undefined || path === "" ? [] : [canonical(path)],
  );
  if (dirname(place) === place || own.includes(place) || isInside(canonical(homeDir), place)) return true;
  // A home below a system tree, as FreeBSD has it, is a home.
  if (own.some((folder) => dirname(folder) !== folder && isInside(place, folder))) return false;
  if (platform === "win32") return WINDOWS_TREES.some((tree) => isAtOrInside(place, env[tree], isInside));
  const trees = platform === "darwin" ? [...SYSTEM_TREES, ...MAC_TREES] : SYSTEM_TREES;
  const places = platform === "darwin" ? [...SHARED_PLACES, ...MAC_PLACES] : SHARED_PLACES;
  return (
    trees.some((tree) => isAtOrInside(place, tree, isInside)) || places.includes(place) || dirname(place) === "/var"
  );
}
const WINDOWS_TREES = ["SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramData"];

const isAtOrInside = (
  place: string,
  tree: string | undefined,
  isInside: (path: string, tree: string) => boolean,
): boolean => tree !== undefined && tree !== "" && (place === tree || isInside(place, tree));

/** Whether it is a folder, or can be made one: nothing of that name is there, nor a file above it. */
function isFolderOrFree(path: string, around: Pick<Surroundings, "platform">): boolean {
  const { dirname } = pathsOf(around.platform);
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    // A link that leads nowhere is there, and is no folder.
    if (isThere(path)) return false;
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") return false;
    return dirname(path) === path || isFolderOrFree(dirname(path), around);
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
