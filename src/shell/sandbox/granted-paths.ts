import { closeSync, constants, fstatSync, openSync, realpathSync } from "node:fs";
import { join, posix } from "node:path";
import { err, ok, type Result } from "#base";
import type { SandboxConfig, SandboxRefusal } from "#model";

/** A granted path, opened. What is mounted is this very file or folder, whatever its name means later. */
export type OpenedPath = { readonly fd: number; readonly as: string; readonly access: "read" | "write" };

/** Where the workspace is for the program. */
export const WORKSPACE = "/workspace";

export type Places = {
  /** Folders of Silas itself; no grant may reach into them, or hold them. */
  readonly own: readonly string[];
  /** Except workspaces: a check reads what a step left in another one. */
  readonly workDir: string;
};

export function openGranted(
  { readPaths, writePaths }: Pick<SandboxConfig, "readPaths" | "writePaths">,
  places: Places,
): Result<readonly OpenedPath[], SandboxRefusal> {
  const wanted = [
    ...readPaths.map((path) => ({ ...path, access: "read" as const })),
    ...writePaths.map((path) => ({ ...path, access: "write" as const })),
  ];
  const opened: OpenedPath[] = [];
  const refuse = (path: string, reason: PathFault): Result<never, SandboxRefusal> => {
    closePaths(opened);
    return err({ code: "sandbox_path_refused", path, reason });
  };
  for (const { path, as, access } of wanted) {
    if (!isTarget(as, wanted)) return refuse(as, "bad_target");
    if (!isPlain(path)) return refuse(path, "not_absolute");
    if (reachesOwn(path, places)) return refuse(path, "holds_silas");
    const found = openByWalking(path);
    if (!found.ok) return refuse(path, found.error);
    opened.push({ fd: found.value, as, access });
  }
  return ok(opened);
}

export function closePaths(paths: readonly OpenedPath[]): void {
  for (const { fd } of paths) closeSync(fd);
}

type PathFault = Extract<SandboxRefusal, { readonly code: "sandbox_path_refused" }>["reason"];

/** From Linux's fcntl.h; Node does not name it. Such a handle stands for the place and cannot be read or written. */
export const O_PATH = 0o10_000_000;

/**
 * Opens a path one name at a time, each from the folder before it and none through a link. Somebody who swaps a folder
 * for a link meanwhile gets a refusal, never another folder.
 */
export function openByWalking(path: string): Result<number, PathFault> {
  if (!isPlain(path)) return err("not_absolute");
  let fd = openSync("/", O_PATH | constants.O_DIRECTORY);
  for (const name of path.split("/").slice(1)) {
    if (name === "") continue;
    const next = openIn(fd, name);
    closeSync(fd);
    if (!next.ok) return next;
    fd = next.value;
    if (fstatSync(fd).isSymbolicLink()) return closed(fd, "is_link");
  }
  const found = fstatSync(fd);
  return found.isFile() || found.isDirectory() ? ok(fd) : closed(fd, "special_file");
}

function openIn(folder: number, name: string): Result<number, PathFault> {
  try {
    return ok(openSync(`/proc/self/fd/${folder}/${name}`, O_PATH | constants.O_NOFOLLOW));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return err(code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable");
  }
}

function closed(fd: number, reason: PathFault): Result<never, PathFault> {
  closeSync(fd);
  return err(reason);
}

const isPlain = (path: string): boolean =>
  path.startsWith("/") && !path.includes("\0") && path.isWellFormed() && posix.normalize(path) === path;

const RESERVED = /^\/(?:(?:usr|bin|sbin|lib[^/]*|etc|proc|dev|sys|run|opt\/silas|workspace)(?:\/|$)|tmp$|opt$)/;

/** A place of its own: not over the system, and not inside another grant, where a program could have laid a link. */
function isTarget(as: string, all: readonly { readonly as: string }[]): boolean {
  if (!isPlain(as) || as === "/" || as.endsWith("/") || RESERVED.test(as)) return false;
  return all.filter((other) => isWithin(as, other.as)).length === 1;
}

function reachesOwn(path: string, { own, workDir }: Places): boolean {
  const runs = realOf(workDir);
  if (path.startsWith(`${runs}/`)) return !/^run-[^/]+\/workspace(?:\/|$)/.test(path.slice(runs.length + 1));
  return [...own, workDir].map(realOf).some((place) => isWithin(path, place) || isWithin(place, path));
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(join(folder, "/"));

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
