import { statSync } from "node:fs";
import { join } from "node:path";
import type { SandboxRun } from "#model";
import { node, textOf, type Attempt } from "./attempt.ts";

const WRITE = `tries(() => { fs.writeFileSync(env.TO, "changed"); return "wrote " + env.TO; })`;
const READ = `tries(() => fs.readFileSync(env.FROM).length + " bytes of " + env.FROM)`;

/** Whether a place inside is the very one of this machine; a container has folders of the same names. */
const THEIRS = `const theirs = JSON.parse(env.THEIRS), seen = Object.keys(theirs).filter((path) => {
  const found = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && found.dev + ":" + found.ino === theirs[path];
});
seen.length === 0 ? held("none there") : escaped(seen.join());`;

const finding = (name: string, places: readonly string[]): Attempt => ({
  name,
  command: () => {
    const found = places.flatMap((path) => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? [] : [[path, `${stats.dev}:${stats.ino}`]];
    });
    return node(THEIRS, { THEIRS: JSON.stringify(Object.fromEntries(found)) });
  },
});

const writing = (name: string, to: (target: string) => string): Attempt => ({
  name,
  command: ({ target }) => node(WRITE, { TO: to(target) }),
});
const writingTo = (path: string): Attempt => ({
  name: `write ${path}`,
  command: () => node(WRITE, { TO: path }),
});
const reading = (name: string, from: (own: readonly string[]) => string): Attempt => ({
  name,
  command: ({ own }) => node(READ, { FROM: from(own) }),
});

type OpenFile = { readonly fd: number; readonly to: string };

/**
 * Judges a listing of open files. A descriptor that is closed while it is listed stands there without a target: it was
 * the lister's own, came and went, and says nothing.
 */
const opensOnly =
  (isOwn: (file: OpenFile) => boolean) =>
  ({ stdout }: SandboxRun): string | null => {
    const open = [...textOf(stdout).matchAll(/ (\d+) -> (.*)$/gm)].map(([, fd, to = ""]) => ({ fd: Number(fd), to }));
    const odd = open.filter((file) => !isOwn(file));
    if (open.length < 3) return "proves nothing: the list is empty";
    return odd.length === 0 ? null : odd.map(({ fd, to }) => `${fd} is ${to}`).join(", ");
  };

/** Ways to files that were not granted. */
export const FILE_ATTEMPTS: readonly Attempt[] = [
  writing("write outside by its path", (target) => target),
  writing("write outside through ..", (target) => `/workspace/../../../..${target}`),
  writing("write outside through the root of a process", (target) => `/proc/1/root${target}`),
  writing("write outside through the root of its own", (target) => `/proc/self/root/..${target}`),
  {
    name: "write outside through a link",
    command: ({ target }) =>
      node(`fs.symlinkSync(env.TARGET, "/workspace/link"); env.TO = "/workspace/link"; ${WRITE}`, { TARGET: target }),
  },
  {
    name: "make a second name for a file outside",
    command: ({ target }) => node(`tries(() => fs.linkSync(env.TARGET, "/workspace/hard"))`, { TARGET: target }),
  },
  {
    name: "swap a link under a write, 10,000 times",
    limits: { cpuSeconds: 60, timeoutMs: 120_000 },
    command: ({ target }) =>
      node(
        // Moves two links and opens what is there: a disk takes long for new links, and for files that are cut first.
        `fs.writeFileSync("/workspace/own", ""); fs.symlinkSync("/workspace/own", "/workspace/a"); fs.symlinkSync(env.TARGET, "/workspace/b");
         const wrote = [0, 0];
         for (let i = 0; i < 10000; i++) {
           const link = "/workspace/" + "ab"[i % 2];
           fs.renameSync(link, "/workspace/race");
           try { fs.writeFileSync("/workspace/race", "changed", { flag: "r+" }); wrote[i % 2] += 1; } catch {}
           fs.renameSync("/workspace/race", link);
         }
         wrote[0] === 5000 && wrote[1] === 0 ? held("10,000 tries") : escaped(wrote + " writes");`,
        { TARGET: target },
      ),
  },
  {
    name: "write to a path granted for reading",
    grants: ({ granted }) => ({ readPaths: [{ path: granted, as: "/granted" }] }),
    command: () => node(WRITE, { TO: "/granted/target" }),
  },
  {
    name: "change the rights of a path granted for reading",
    grants: ({ granted }) => ({ readPaths: [{ path: granted, as: "/granted" }] }),
    command: () => node(`tries(() => fs.chmodSync("/granted/target", 0o777))`),
  },
  {
    name: "climb out of a granted path",
    grants: ({ granted }) => ({ writePaths: [{ path: granted, as: "/granted" }] }),
    command: () => node(`tries(() => fs.readFileSync("/granted/../outside/target"))`),
  },
  {
    name: "climb out of a granted path by a link laid in it",
    grants: ({ granted }) => ({ writePaths: [{ path: granted, as: "/granted" }] }),
    command: ({ target }) =>
      node(
        `fs.symlinkSync(env.TARGET, "/granted/link"); let e; try { fs.writeFileSync("/granted/link", "changed"); } catch (x) { e = x; }
         fs.rmSync("/granted/link"); e ? held(e.code) : escaped("wrote");`,
        { TARGET: target },
      ),
  },
  reading("read the database of approvals", (own) => join(own[0] ?? "/", "silas.db")),
  reading("read the journal", (own) => join(own[0] ?? "/", "db.sqlite")),
  reading("read the key of the vault", (own) => join(own[1] ?? "/", "vault.key")),
  {
    name: "read another workspace",
    command: ({ otherWorkspace }) => node(`tries(() => fs.readdirSync(env.FROM).join())`, { FROM: otherWorkspace }),
  },
  reading("read the passwords of this machine", () => "/etc/shadow"),
  finding("read the machine's own name of itself", ["/etc/machine-id"]),
  finding("find homes of people", ["/home", "/root", "/var", "/srv", "/mnt", "/media", "/boot", "/sys"]),
  ...["/etc/passwd", "/usr/bin/silas-escape", "/silas-escape", "/dev/silas-escape", "/lib/silas-escape"].map(writingTo),
  {
    name: "find open files of whoever started it",
    command: () => node(`fs.writeSync(1, execFileSync("/bin/sh", ["-c", "ls -l /proc/$PPID/fd 2>/dev/null; true"]));`),
    judge: opensOnly(({ to }) => /^(?:\/dev\/null$|\/dev\/pts|\/proc\/|pipe:|socket:|anon_inode)/.test(to)),
  },
  {
    name: "inherit an open file of somebody else",
    command: () => ({ argv: ["/bin/ls", "-l", "/proc/self/fd"] }),
    // The third is the folder that is being listed.
    judge: opensOnly(({ fd, to }) => fd <= 2 || to === "/dev/null" || to.startsWith("/proc/")),
  },
];
