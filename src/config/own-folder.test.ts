import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeProblems, loadConfig, type LoadOptions } from "./index.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "silas-folder-")));
  mkdirSync(join(root, "home"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What refuses a start with these settings. */
function refusals(argvOverrides: Readonly<Record<string, string>>, rest: Partial<LoadOptions> = {}): readonly string[] {
  const places = { env: {}, cwd: root, homeDir: join(root, "home"), platform: "linux" } as const;
  const result = loadConfig({ ...places, ...rest, argvOverrides });
  return result.ok ? [] : result.error.map(({ code, key }) => `${code} ${key}`);
}
const dataDir = (path: string, rest: Partial<LoadOptions> = {}) => refusals({ data_dir: path }, rest);

const SYSTEM = ["/", "/etc", "/etc/silas", "/usr", "/usr/share/silas", "/var", "/var/lib", "/var/log", "/home"];
const MORE = ["/root", "/tmp", "/var/tmp", "/opt", "/srv", "/mnt", "/run", "/dev/shm", "/proc/1", "/boot", "/lib64/x"];

describe("the data directory", () => {
  test.each([...SYSTEM, ...MORE, "//", "/./", "/usr/../etc", "/nowhere/../../etc/"])("%s is a system place", (path) => {
    expect(dataDir(path)).toContain("system_directory data_dir");
  });

  test("the home and the folders above it are no data directory, by whatever way they are named", () => {
    symlinkSync(join(root, "home"), join(root, "link"));
    for (const path of ["~", "~/", "~/x/..", "./home", "home/../home", "link", "link/.", "..", "."]) {
      expect([path, dataDir(path)]).toEqual([path, expect.arrayContaining(["system_directory data_dir"])]);
    }
    expect(dataDir("link/silas")).toEqual([]);
    expect(dataDir(root, { env: { TMPDIR: root }, homeDir: "/nowhere/ana" })).toContain("system_directory data_dir");
  });

  test("a folder of its own is one, wherever it is", () => {
    for (const path of ["/data", "/var/lib/silas", "/opt/silas/data", "/srv/silas", "/home/nobody-here/silas"]) {
      expect([path, dataDir(path)]).toEqual([path, []]);
    }
    expect(dataDir("./new/deep/er")).toEqual([]);
    // A home that the system keeps in a tree of its own is a home all the same.
    expect(dataDir("/usr/home/ana/silas", { homeDir: "/usr/home/ana" })).toEqual([]);
    // And one that is the root is none.
    expect(dataDir("/etc/silas", { homeDir: "/" })).toContain("system_directory data_dir");
  });

  test("a folder with something in it is refused unless Silas marked it or its database is there", () => {
    const dir = join(root, "project");
    mkdirSync(dir);
    expect(dataDir(dir)).toEqual([]);
    writeFileSync(join(dir, "thesis.txt"), "mine");
    expect(dataDir(dir)).toEqual(["foreign_directory data_dir"]);
    symlinkSync(dir, join(root, "project-link"));
    expect(dataDir(join(root, "project-link"))).toEqual(["foreign_directory data_dir"]);
    for (const marker of [".silas", "silas.db"]) {
      writeFileSync(join(dir, marker), "");
      expect([marker, dataDir(dir)]).toEqual([marker, []]);
      rmSync(join(dir, marker));
    }
    expect(dataDir(dir)).toEqual(["foreign_directory data_dir"]);
  });

  test("folders that an owner fills before the first start, and what a new disk holds, are no obstacle", () => {
    const dir = join(root, "volume");
    for (const name of ["skills", "verify", "customer_context", "sandbox", "lost+found"]) {
      mkdirSync(join(dir, name), { recursive: true });
    }
    expect(dataDir(dir)).toEqual([]);
    expect(refusals({ data_dir: dir, skills_dir: join(root, "elsewhere") })).toEqual(["foreign_directory data_dir"]);
  });

  test("a file, a folder below a file and a link that leads nowhere are no folders", () => {
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "gone"), join(root, "dangling"));
    for (const path of ["file", "file/below/it", "dangling", "dangling/x"]) {
      expect([path, dataDir(path)]).toEqual([path, expect.arrayContaining(["not_a_directory data_dir"])]);
    }
  });

  test("the other folders that Silas closes to others are no system places either", () => {
    for (const key of ["sandbox.work_dir", "sandbox.verify_dir"]) {
      expect(refusals({ [key]: "/etc" })).toContain(`system_directory ${key}`);
      expect(refusals({ [key]: "~" })).toContain(`system_directory ${key}`);
      expect(refusals({ [key]: join(root, "place") })).toEqual([]);
    }
  });

  test("looking at a folder changes nothing of it", () => {
    const dir = join(root, "shared");
    mkdirSync(dir);
    chmodSync(dir, 0o775);
    writeFileSync(join(dir, "a"), "");
    dataDir(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o775);
    expect(readdirSync(dir)).toEqual(["a"]);
  });
});

test.each(["", "relative/home"])("without an absolute home (%j) nothing is looked for anywhere", (homeDir) => {
  const result = loadConfig({ env: {}, cwd: root, homeDir, platform: "linux" });
  const lines = result.ok ? [] : describeProblems(result.error);
  expect(lines).toEqual(["env HOME is empty or no absolute path; set it to your home directory"]);
});
