import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BIN, createHome, ROOT, withOccupiedPort, type Home } from "./cli-process.ts";

type Doctor = {
  readonly ok: boolean;
  readonly checks: readonly { check: string; state: string; message: string; fix: string | null; fixed?: true }[];
};

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** The usual port may be in use where tests run. */
const ANY_PORT = { env: { SILAS_CHANNELS__WEB__PORT: "0" } };
const data = (...parts: string[]): string => join(home.dir, "data", ...parts);
const finding = ({ checks }: Doctor, name: string) => checks.find(({ check }) => check === name);

describe("config and paths", () => {
  test("paths are those of SILAS_HOME, and --json is one object", async () => {
    const paths = await home.json<Record<string, string>>(["paths", "--json"]);
    expect(paths).toMatchObject({ data_dir: data(), journal: data("db.sqlite"), config_dir: join(home.dir, "config") });
    expect((await home.silas(["paths"])).out).toContain(data("db.sqlite"));
  });

  test("a value names its origin: default, file with line, environment", async () => {
    expect((await home.silas(["config", "get", "channels.web.port", "--origin"])).out).toBe("8420  (default)\n");
    mkdirSync(join(home.dir, "config"));
    writeFileSync(join(home.dir, "config", "silas.yaml"), "silas:\n  channels:\n    web:\n      port: 9123\n");
    expect((await home.silas(["config", "get", "channels.web.port", "--origin"])).out).toMatch(
      /^9123 {2}\(.*silas\.yaml:4\)\n$/,
    );
    const env = { SILAS_CHANNELS__WEB__PORT: "9200" };
    expect((await home.silas(["config", "get", "channels.web.port", "--origin"], { env })).out).toMatch(
      /^9200 {2}\(env SILAS_CHANNELS__WEB__PORT\)/,
    );
    const { entries } = await home.json<{ entries: { key: string }[] }>(["config", "list", "--json"]);
    expect(entries.map(({ key }) => key)).toContain("channels.web.port");
  });

  test("a secret never shows", async () => {
    const ran = await home.silas(["config", "list"], {
      env: { SILAS_CHANNELS__WEB__AUTH_TOKEN: "opensesame-opensesame" },
    });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out + ran.err).not.toContain("opensesame");
  });

  test("an unknown key is wrong use and names the nearest", async () => {
    const ran = await home.silas(["config", "get", "channels.web.prt"]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("Did you mean channels.web.port?");
  });

  test("check lists every problem of a file with its place, and exits 1", async () => {
    const file = join(home.dir, "bad.yaml");
    writeFileSync(file, "silas:\n  chanels: {}\n  context:\n    skill_metadata_budget_pct: 9\n");
    const ran = await home.silas(["config", "check", file, "--json"]);
    const checked = JSON.parse(ran.out) as { ok: boolean; problems: { key: string }[] };
    expect({ code: ran.code, ok: checked.ok }).toEqual({ code: 1, ok: false });
    expect(checked.problems.map(({ key }) => key)).toEqual(["chanels", "context.skill_metadata_budget_pct"]);
    expect((await home.silas(["config", "check", file])).out).toMatch(/bad\.yaml:2:\d+ chanels/);
    writeFileSync(file, "silas:\n  owner_id: ana\n");
    expect(await home.silas(["config", "check", file])).toMatchObject({ code: 0 });
  });

  test("check names the keys of a file that are accepted and not used yet", async () => {
    const file = join(home.dir, "early.yaml");
    writeFileSync(file, "silas:\n  owner_id: ana\n  personality: { enabled: false }\n");
    const checked = await home.silas(["config", "check", file]);
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringContaining("personality.enabled: accepted, not used yet"),
    });
    const json: unknown = JSON.parse((await home.silas(["config", "check", file, "--json"])).out);
    expect(json).toMatchObject({ ok: true, not_used_yet: ["personality.enabled"] });
  });

  test("a broken configuration stops every verb before it touches data", async () => {
    mkdirSync(join(home.dir, "config"));
    writeFileSync(join(home.dir, "config", "silas.yaml"), "silas: [1, 2\n");
    const ran = await home.silas(["tasks", "add", "--raw", "x"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toMatch(/silas\.yaml:\d+/);
    expect(existsSync(data())).toBe(false);
  });
});

describe("doctor", () => {
  test("a fresh install has at least twelve checks, none failing, each warning with a fix", async () => {
    await home.silas(["init"]);
    const ran = await home.silas(["doctor", "--json"], { env: { ...ANY_PORT.env, SILAS_PORT: "9" } });
    const report = JSON.parse(ran.out) as Doctor;
    const misnamed = expect.stringContaining(
      "SILAS_PORT is not read; did you mean SILAS_CHANNELS__WEB__PORT",
    ) as string;
    expect(finding(report, "environment")).toMatchObject({ state: "warn", message: misnamed });
    expect({ code: ran.code, ok: report.ok }).toEqual({ code: 0, ok: true });
    expect(report.checks.length).toBeGreaterThanOrEqual(12);
    expect(report.checks.filter(({ state, fix }) => state !== "ok" && !fix)).toEqual([]);
  });

  test("open access rights fail, and --fix closes them", async () => {
    await home.silas(["init"]);
    chmodSync(data(), 0o755);
    chmodSync(data("db.sqlite"), 0o644);
    const bad = await home.silas(["doctor"], ANY_PORT);
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/fail +directories .*\n +fix: /);
    const fixed = JSON.parse((await home.silas(["doctor", "--fix", "--json"], ANY_PORT)).out) as Doctor;
    expect(finding(fixed, "directories")).toMatchObject({ state: "ok", fixed: true });
    expect([statSync(data()).mode & 0o777, statSync(data("db.sqlite")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("a damaged database and a held port fail; nothing is repaired behind the owner's back", async () => {
    await home.silas(["init"]);
    const rubbish = Buffer.alloc(8192, 7);
    writeFileSync(data("silas.db"), rubbish);
    await withOccupiedPort(async (port) => {
      const ran = await home.silas(["doctor", "--fix", "--json"], { env: { SILAS_CHANNELS__WEB__PORT: String(port) } });
      const report = JSON.parse(ran.out) as Doctor;
      expect(ran.code).toBe(1);
      expect(finding(report, "runtime")).toMatchObject({ state: "fail" });
      expect(finding(report, "port")).toMatchObject({ state: "fail" });
    });
    expect(readFileSync(data("silas.db")).equals(rubbish)).toBe(true);
  });

  test("[MIG-04] a migration that is not the recorded one fails, in the words of the start that would refuse it", async () => {
    await home.silas(["init"]);
    const database = new DatabaseSync(data("db.sqlite"));
    database.exec("UPDATE applied_migrations SET checksum = 'another'");
    database.close();
    const ran = await home.silas(["doctor", "--json"], ANY_PORT);
    expect(ran.code).toBe(1);
    const found = finding(JSON.parse(ran.out) as Doctor, "journal schema");
    expect(found).toMatchObject({ state: "fail", message: expect.stringContaining("001_initial") as string });
    const start = await home.silas(["start", "--no-open", "--port", "0"]);
    expect(start.err).toContain(found?.message ?? "none");
  });

  test("a clock that went back is noticed", async () => {
    await home.silas(["tasks", "add", "--raw", "from tomorrow"]);
    const database = new DatabaseSync(data("db.sqlite"));
    database.exec("UPDATE records SET updated_at = '2999-01-01T00:00:00.000Z'");
    database.close();
    const report = JSON.parse((await home.silas(["doctor", "--json"], ANY_PORT)).out) as Doctor;
    expect(finding(report, "dates")).toMatchObject({ state: "warn" });
  });
});

describe("backup and restore", () => {
  test("a backup restores what was there; the replaced files are kept", async () => {
    await home.silas(["tasks", "add", "--raw", "in the backup"]);
    const target = join(home.dir, "copy");
    expect(await home.silas(["backup", "--to", target])).toMatchObject({ code: 0 });
    expect(await home.silas(["backup", "verify", target])).toMatchObject({ code: 0 });
    expect(await home.silas(["backup", "--to", target])).toMatchObject({ code: 1 });
    await home.silas(["tasks", "add", "--raw", "after the backup"]);
    const asked = await home.silas(["restore", target]);
    expect(asked).toMatchObject({ code: 3, out: "" });
    expect(asked.err).toContain("--yes");
    expect(await home.silas(["restore", target, "--yes"])).toMatchObject({ code: 0 });
    const list = await home.silas(["tasks", "list"]);
    expect(list.out).toContain("in the backup");
    expect(list.out).not.toContain("after the backup");
    expect(readdirSync(data()).some((name) => name.startsWith("db.sqlite.before-restore-"))).toBe(true);
  });

  test("a changed byte in a backup is found, and nothing is restored from it", async () => {
    await home.silas(["tasks", "add", "--raw", "precious"]);
    const target = join(home.dir, "copy");
    await home.silas(["backup", "--to", target]);
    const bytes = readFileSync(join(target, "db.sqlite"));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(join(target, "db.sqlite"), bytes);
    for (const args of [
      ["backup", "verify", target],
      ["restore", target, "--yes"],
    ]) {
      expect((await home.silas(args)).err, args.join(" ")).toContain("damaged");
    }
    expect((await home.silas(["tasks", "list"])).out).toContain("precious");
    expect(await home.silas(["restore", join(home.dir, "nowhere"), "--yes"])).toMatchObject({ code: 1 });
  });
});

describe("canonical, completion, help and the command file", () => {
  test("canonical prints bytes to stdout and the digest to stderr", async () => {
    const ran = await home.silas(["canonical", "-"], { input: '{"b":1,"a":[1.0]}' });
    expect(ran).toMatchObject({ code: 0, out: '{"a":[1],"b":1}' });
    expect(ran.err).toMatch(/^sha256 [0-9a-f]{64}\n$/);
    expect(await home.silas(["canonical", "-"], { input: '{"a":1,"a":2}' })).toMatchObject({ code: 1, out: "" });
  });

  test("bash completes verbs and flags of the place it is at", async () => {
    const script = join(home.dir, "silas.bash");
    writeFileSync(script, (await home.silas(["completion", "bash"])).out);
    const complete = (...words: string[]): string[] => {
      const list = ["silas", ...words].map((word) => `'${word}'`).join(" ");
      const code = `source '${script}'; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _silas; echo "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", code], { encoding: "utf8" }).trim().split(" ");
    };
    expect(complete("sta")).toEqual(["start", "status", "start-again"]);
    expect(complete("tasks", "re")).toEqual(["reopen"]);
    expect(complete("tasks", "labels", "del")).toEqual(["delete"]);
    expect(complete("tasks", "list", "--vi")).toEqual(["--view"]);
    for (const shell of ["zsh", "fish", "pwsh"])
      expect((await home.silas(["completion", shell])).out).toContain("follow-up");
    expect(await home.silas(["completion", "tcsh"])).toMatchObject({ code: 2, out: "" });
  });

  test("no arguments, --help and help explain; --version is one line", async () => {
    for (const args of [[], ["--help"], ["help"], ["help", "tasks"], ["tasks", "--help"], ["tasks", "add", "--help"]]) {
      const ran = await home.silas(args);
      expect({ args, code: ran.code, err: ran.err }).toEqual({ args, code: 0, err: "" });
      expect(
        ran.out.split("\n").every((line) => line.length <= 80),
        args.join(" "),
      ).toBe(true);
    }
    expect((await home.silas(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("bin/silas works through a link, from any directory, with foreign NODE_OPTIONS", () => {
    const link = join(home.dir, "silas");
    symlinkSync(BIN, link);
    const env = {
      PATH: process.env["PATH"],
      HOME: home.dir,
      SILAS_HOME: home.dir,
      NODE_OPTIONS: "--require=/nonexistent.js",
    };
    const out = execFileSync(link, ["paths", "--json"], { cwd: "/", env, encoding: "utf8" });
    expect(JSON.parse(out)).toMatchObject({ data_dir: data() });
    expect(statSync(join(ROOT, "bin", "silas")).mode & 0o111).not.toBe(0);
  });
});
