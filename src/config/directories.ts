import { statSync } from "node:fs";
import { posix, win32 } from "node:path";
import type { Environment } from "./environment.ts";

/** Where files belong before any configuration is read. All absolute. */
export type Directories = {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
  readonly userFile: string;
  /** `config/silas.yaml` under the working directory, when it is there. */
  readonly projectFile: string | null;
  /** The checkout whose `./data` is used: the working directory, if it has a project file and SILAS_HOME is not set. */
  readonly checkout: string | null;
};
type Places = Pick<Environment, "env" | "cwd" | "homeDir" | "platform">;

export function findDirectories(places: Places): Directories {
  const { join, resolve } = pathsOf(places.platform);
  const base = baseDirectories(places);
  const cwd = resolve(places.cwd);
  const project = join(cwd, "config", "silas.yaml");
  const projectFile = exists(project) ? project : null;
  const checkout = projectFile !== null && !hasHome(places.env) ? cwd : null;
  const data = checkout === null ? base.data : join(checkout, "data");
  return { ...base, data, userFile: join(base.config, "silas.yaml"), projectFile, checkout };
}

/** Path functions of the platform that was given, not of the one this runs on. */
export function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

type Base = Pick<Directories, "config" | "data" | "state" | "cache">;

function baseDirectories({ env, cwd, homeDir, platform }: Places): Base {
  const { join, resolve } = pathsOf(platform);
  const home = env["SILAS_HOME"];
  if (home !== undefined && hasHome(env)) return split(join, resolve(cwd, expandHome(home, homeDir)));
  if (platform === "darwin") return macDirectories(join(homeDir, "Library"));
  if (platform === "win32") return windowsDirectories(env, homeDir);
  // XDG: a relative value is to be ignored, as the base directory specification says.
  const xdg = (name: string, fallback: string): string => {
    const value = env[name];
    return join(value !== undefined && posix.isAbsolute(value) ? value : join(homeDir, fallback), "silas");
  };
  return {
    config: xdg("XDG_CONFIG_HOME", ".config"),
    data: xdg("XDG_DATA_HOME", ".local/share"),
    state: xdg("XDG_STATE_HOME", ".local/state"),
    cache: xdg("XDG_CACHE_HOME", ".cache"),
  };
}

function split(join: typeof posix.join, root: string): Base {
  return {
    config: join(root, "config"),
    data: join(root, "data"),
    state: join(root, "state"),
    cache: join(root, "cache"),
  };
}

function macDirectories(library: string): Base {
  const support = posix.join(library, "Application Support", "silas");
  return {
    config: posix.join(library, "Preferences", "silas"),
    data: support,
    state: posix.join(support, "state"),
    cache: posix.join(library, "Caches", "silas"),
  };
}

function windowsDirectories(env: Places["env"], homeDir: string): Base {
  const local = env["LOCALAPPDATA"] ?? win32.join(homeDir, "AppData", "Local");
  const roaming = env["APPDATA"] ?? win32.join(homeDir, "AppData", "Roaming");
  return {
    config: win32.join(roaming, "silas", "config"),
    data: win32.join(local, "silas", "data"),
    state: win32.join(local, "silas", "state"),
    cache: win32.join(local, "silas", "cache"),
  };
}

/** `~` and `~/x` mean the home directory, also where no shell expanded them. */
export function expandHome(path: string, homeDir: string): string {
  return path === "~" || path.startsWith("~/") || path.startsWith("~\\") ? homeDir + path.slice(1) : path;
}

function hasHome(env: Places["env"]): boolean {
  return env["SILAS_HOME"] !== undefined && env["SILAS_HOME"] !== "";
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
