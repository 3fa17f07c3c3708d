import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isOfTheDead } from "./work-dir.ts";

/** Control groups in which the kernel counts processes and threads, one for each run. */
export type TaskGroups = {
  /** Null when the group cannot be made; then only the watcher counts. */
  open(tasksMax: number): TaskGroup | null;
  /** Removes every group that is empty by now. */
  close(): void;
};

export type TaskGroup = {
  /** Whatever these start from then on is counted with them. The first entry takes about ten milliseconds. */
  enter(pids: readonly number[]): Promise<void>;
  close(): void;
};

const NAME = /^silas-(?<owner>.+)-\d+$/;

/**
 * The kernel counts the processes of every user but root against RLIMIT_NPROC, so only a Silas of root needs these.
 * Null where the groups of this machine cannot be written, as in most containers: there the watcher counts alone.
 */
export function findTaskGroups(owner: string): TaskGroups | null {
  if (process.getuid?.() !== 0) return null;
  const facts = { mounts: readOr("/proc/self/mountinfo"), groups: readOr("/proc/self/cgroup") };
  const parent = groupPlaces(facts).find((place) => canHold(place, owner));
  return parent === undefined ? null : groupsIn(parent, owner);
}

function groupsIn(parent: string, owner: string): TaskGroups {
  const left = new Set<string>();
  let count = 0;
  const close = (): void => {
    for (const folder of left) if (remove(folder)) left.delete(folder);
  };
  for (const name of namesIn(parent)) {
    if (isOfTheDead(NAME.exec(name)?.groups?.["owner"] ?? "")) remove(join(parent, name));
  }
  return {
    open(tasksMax) {
      close();
      count += 1;
      const folder = join(parent, nameOf(owner, count));
      if (!make(folder, String(tasksMax))) return null;
      return {
        async enter(pids) {
          // One that is gone by now needs no limit.
          for (const pid of pids) await writeFile(join(folder, "cgroup.procs"), String(pid)).catch(() => null);
        },
        // While the first process takes its mounts down it is still in there; then the next run removes the group.
        close: () => void (remove(folder) || left.add(folder)),
      };
    },
    close,
  };
}

const nameOf = (owner: string, count: number): string => `silas-${owner}-${count}`;

type Facts = {
  /** As in /proc/self/mountinfo and /proc/self/cgroup. */
  readonly mounts: string;
  readonly groups: string;
};

/**
 * Where a group could be made. Below the group of this process in the first version of control groups. In the second one
 * a group that holds processes hands no limits on to others, so there it is most often the place beside it.
 */
export function groupPlaces({ mounts, groups }: Facts): readonly string[] {
  const paths = groups.split("\n").map((line) => /^\d+:([^:]*):(.*)$/.exec(line) ?? []);
  const pathOf = (controller: string): string | undefined =>
    paths.find(([, names]) => names?.split(",").includes(controller) === true)?.[2];
  return mounts.split("\n").flatMap((line) => {
    const fields = line.split(" ");
    const [type, options = ""] = [fields[fields.indexOf("-") + 1], fields.at(-1)];
    const isFirst = type === "cgroup" && options.split(",").includes("pids");
    const path = pathOf(isFirst ? "pids" : "");
    const mount = fields[4];
    if ((!isFirst && type !== "cgroup2") || path === undefined || mount === undefined) return [];
    return isFirst ? [join(mount, path)] : [join(mount, path), join(mount, dirname(path))];
  });
}

function canHold(place: string, owner: string): boolean {
  const folder = join(place, nameOf(owner, 0));
  return make(folder, "max") && remove(folder);
}

/** Without a limit to set it is no group that counts, and goes again. */
function make(folder: string, tasksMax: string): boolean {
  if (!tryTo(() => mkdirSync(folder))) return false;
  const isCounting =
    existsSync(join(folder, "pids.max")) && tryTo(() => writeFileSync(join(folder, "pids.max"), tasksMax));
  if (!isCounting) remove(folder);
  return isCounting;
}

const remove = (folder: string): boolean => tryTo(() => rmdirSync(folder));

function tryTo(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
