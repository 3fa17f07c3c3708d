import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, databaseIn, ROOT, urlIn, withOccupiedPort, type Home } from "./cli-process.ts";

type Status = { readonly running: boolean; readonly pid?: number; readonly url?: string };
type TaskList = { readonly tasks: readonly { readonly task: { readonly body: { readonly title: string } } }[] };

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const ANSI = /\u001b\[/;
const status = (): Promise<Status> => home.json<Status>(["status", "--json"]);

describe("silas init", () => {
  test("[CLI-01] the package has one command, silas, and it knows init and start", async () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      bin: object;
    };
    expect(Object.keys(manifest.bin)).toEqual(["silas"]);
    const help = await home.silas(["--help"]);
    expect(help.code).toBe(0);
    for (const verb of ["init", "start"]) {
      expect(help.out).toMatch(new RegExp(`^ {2}${verb} `, "m"));
      expect((await home.silas(["help", verb])).code).toBe(0);
    }
  });

  test("[CLI-03] init makes silas.db with all migrations, the verification and the customer-context directory", async () => {
    expect(await home.silas(["init"])).toMatchObject({ code: 0 });
    const data = join(home.dir, "data");
    for (const [file, room] of [
      ["silas.db", "runtime"],
      ["db.sqlite", "journal"],
    ] as const) {
      expect(migrationsIn(join(data, file))).toHaveLength(shippedMigrations(room).length);
      expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    }
    for (const dir of ["", "verify", "customer_context"]) {
      expect(statSync(join(data, dir)).isDirectory()).toBe(true);
      expect(statSync(join(data, dir)).mode & 0o777).toBe(0o700);
    }
  });

  test("[CLI-05] init says that there is no web search without a key, and goes on; with one, or without a provider, it says nothing", async () => {
    const said = async (env: NodeJS.ProcessEnv): Promise<string> => {
      const ran = await home.silas(["init"], { env });
      expect(ran.code).toBe(0);
      return ran.out;
    };
    expect(await said({})).toContain("Web search is off: it needs the key of tavily, in SEARCH_API_KEY.");
    expect(await said({ SEARCH_API_KEY: "tvly-1" })).not.toContain("Web search");
    expect(await said({ SILAS_SEARCH__PROVIDER: "null" })).not.toContain("Web search");
  });

  test("[MIG-10] init runs all migrations, and running it again harms nothing", async () => {
    await home.silas(["init"]);
    await home.silas(["tasks", "add", "--raw", "survive"]);
    const files = [
      ["silas.db", "runtime"],
      ["db.sqlite", "journal"],
    ] as const;
    const applied = () => files.map(([file]) => migrationsIn(join(home.dir, "data", file)));
    const before = applied();
    expect(before.map((rows) => rows.map(({ id }) => `${id}.sql`))).toEqual(
      files.map(([, room]) => shippedMigrations(room).toSorted()),
    );
    expect(await home.silas(["init"])).toMatchObject({ code: 0 });
    expect(applied()).toEqual(before);
    expect((await home.json<TaskList>(["tasks", "list", "--json"])).tasks).toHaveLength(1);
  });
});

describe("silas start", () => {
  test("[CLI-06] reads config/silas.yaml, says where it is in at most eight lines, takes what is said, stops within its grace, and exits 0", async () => {
    mkdirSync(join(home.dir, "config"));
    writeFileSync(join(home.dir, "config", "silas.yaml"), "silas:\n  owner_id: ana\n");
    const running = await home.start();
    const url = urlIn(running.output());
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(running.output()).toContain("No AI model - built-in rules");
    expect(running.output()).toMatch(/ready in \d+ ms/);
    expect(running.output()).not.toMatch(ANSI);
    expect(running.output().trimEnd().split("\n").length).toBeLessThanOrEqual(8);
    expect(await status()).toMatchObject({ running: true, url, owner_id: "ana" });
    expect(await home.silas(["say", "Water the plants"])).toMatchObject({ code: 0 });
    expect(await home.silas(["stop"])).toMatchObject({ code: 0 });
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await status()).toMatchObject({ running: false });
  });

  test("prints the one-time link when it cannot open a browser, and the link enrols once", async () => {
    const running = await home.start(["--no-open"], { SILAS_PORT: "9" });
    expect(running.output()).toContain(
      "Note    the variable SILAS_PORT is not read; did you mean SILAS_CHANNELS__WEB__PORT?",
    );
    const link = /http:\/\/localhost:\d+\/enrol#(\S+)/.exec(running.output());
    const enrol = () =>
      fetch(`${urlIn(running.output())}/session/enrol`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code: link?.[1], device_name: "test" }),
      });
    expect((await enrol()).status).toBe(200);
    expect((await enrol()).status).toBe(401);
  });

  test("hands the one-time link to the browser and then prints it nowhere", async () => {
    const seen = join(home.dir, "seen");
    const browser = join(home.dir, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > '${seen}.partial' && mv '${seen}.partial' '${seen}'\n`, {
      mode: 0o755,
    });
    const running = await home.start(["--open"], { BROWSER: browser, DISPLAY: ":0" });
    await expect.poll(() => existsSync(seen)).toBe(true);
    expect(readFileSync(seen, "utf8")).toMatch(/^http:\/\/localhost:\d+\/enrol#\S{20,}$/);
    expect(running.output()).not.toContain("enrol#");
    // One that is there and ends with a code does so at a busy machine's pace; this one is known at once to be missing.
    const failed = await home.silas(["open"], { env: { BROWSER: `${browser}-of-nobody`, DISPLAY: ":0" } });
    expect(failed.out).toContain("/enrol#");
  });

  test("a second start says so, prints the address, and exits 0", async () => {
    const running = await home.start();
    const second = await home.silas(["start", "--no-open", "--port", "0"]);
    expect(second.code).toBe(0);
    expect(second.out).toMatch(/already running, pid \d+/);
    expect(second.out).toContain(urlIn(running.output()));
    expect(running.child.exitCode).toBeNull();
  });

  test("writes from the terminal go through the running instance", async () => {
    const running = await home.start();
    expect(await home.silas(["tasks", "add", "--raw", "through the instance"])).toMatchObject({ code: 0 });
    const { tasks } = await home.json<TaskList>(["tasks", "list", "--json"]);
    expect(tasks.map(({ task }) => task.body.title)).toEqual(["through the instance"]);
    expect(await home.silas(["tasks", "add", "--raw", " "])).toMatchObject({ code: 2 });
    expect(await home.silas(["tasks", "done", "zzzzzz"])).toMatchObject({ code: 1 });
    const exported = await home.silas(["journal", "export"]);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect((await home.silas(["journal", "export"])).out).toBe(exported.out);
  });

  test("export and import go through the running instance and keep every byte", async () => {
    for (const title of ["one", "two \u202e three", "四 🙂"]) await home.silas(["tasks", "add", "--raw", title]);
    const before = await home.silas(["journal", "export"]);
    const other = createHome();
    try {
      await other.start();
      const file = join(home.dir, "all.jsonl");
      writeFileSync(file, before.out);
      expect(await other.silas(["journal", "import", file])).toMatchObject({ code: 0 });
      expect((await other.silas(["journal", "export"])).out).toBe(before.out);
      expect(await other.silas(["journal", "import", "-"], { input: before.out.slice(0, -20) })).toMatchObject({
        code: 1,
      });
      expect((await other.silas(["journal", "export"])).out).toBe(before.out);
    } finally {
      await other.remove();
    }
  });

  test("open gives a fresh one-time link; stop and open without an instance say so", async () => {
    expect(await home.silas(["open", "--no-open"])).toMatchObject({ code: 1, out: "" });
    expect(await home.silas(["stop"])).toMatchObject({ code: 0, out: "" });
    await home.start();
    const first = await home.json<{ url: string }>(["open", "--json"]);
    const second = await home.silas(["open", "--no-open"]);
    expect(first.url).toMatch(/^http:\/\/localhost:\d+\/enrol#\S{20,}$/);
    expect(second.out.trim()).not.toBe(first.url);
    expect(second.out).toMatch(/\/enrol#/);
  });

  test("an error is found in the log by its id, and no token is in the log", async () => {
    const running = await home.start();
    const refused = await fetch(`${urlIn(running.output())}/api/status`);
    const { error_id: id } = (await refused.json()) as { error_id: string };
    const found = await home.json<{ lines: { error_id: string }[] }>(["logs", "--id", id, "--json"]);
    expect(found.lines.map((line) => line.error_id)).toEqual([id]);
    expect((await home.silas(["logs", "--tail", "5"])).out).toContain("web_listening");
    expect(await home.silas(["logs", "--id", "nosuchid"])).toMatchObject({ code: 1, out: "" });
    const instance = JSON.parse(readFileSync(join(home.dir, "data", "instance.json"), "utf8")) as { cli_token: string };
    const log = readFileSync(join(home.dir, "state", "logs", "silas.log"), "utf8");
    const code = /enrol#(\S+)/.exec(running.output())?.[1] ?? "none";
    expect([log.includes(instance.cli_token), log.includes(code)]).toEqual([false, false]);
  });

  test("commands at the same moment wait for each other instead of failing", async () => {
    const runs = await Promise.all(["a", "b", "c", "d"].map((title) => home.silas(["tasks", "add", "--raw", title])));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { tasks } = await home.json<TaskList>(["tasks", "list", "--json"]);
    expect(tasks.map(({ task }) => task.body.title).toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  test("a token that the instance does not know is exit code 4 and changes nothing", async () => {
    await home.start();
    const file = join(home.dir, "data", "instance.json");
    const instance = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    const key = Object.keys(instance).find((name) => name.includes("token")) ?? "";
    writeFileSync(file, JSON.stringify({ ...instance, [key]: "x".repeat(43) }));
    const ran = await home.silas(["tasks", "add", "--raw", "foreign"]);
    expect(ran.code).toBe(4);
    expect(ran.err).toContain("Nothing was changed");
  });

  test("after kill -9 the next start works and nothing that was answered is lost", async () => {
    const running = await home.start();
    await home.silas(["tasks", "add", "--raw", "before the kill"]);
    const { pid } = await status();
    process.kill(pid ?? 0, "SIGKILL");
    await running.ended;
    expect(await status()).toMatchObject({ running: false });
    const again = await home.start();
    expect(urlIn(again.output())).not.toBe("");
    const { tasks } = await home.json<TaskList>(["tasks", "list", "--json"]);
    expect(tasks.map(({ task }) => task.body.title)).toEqual(["before the kill"]);
  });

  test("a port that something else holds is said plainly, with the flag that helps", async () => {
    await withOccupiedPort(async (port) => {
      const ran = await home.silas(["start", "--no-open", "--port", String(port)]);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain(String(port));
      expect(ran.err).toContain("--port");
      expect(ran.err).not.toMatch(/EADDRINUSE|\n\s+at /);
    });
    expect(await status()).toMatchObject({ running: false });
  });

  test("[CFG-21] a broken startup rule stops start with an error naming the key, before a port opens", async () => {
    const cases: [string, string][] = [
      ["channels: { web: { host: 0.0.0.0 } }", "channels.web.auth_token"],
      ["sandbox: { verify_dir: same, customer_context_dir: same }", "sandbox.customer_context_dir"],
      ["sandbox: { customer_context_dir: /usr }", "sandbox.customer_context_dir"],
      ["context: { profiles: { coding: { chronicle: 0.5, memory: 0.4, workspace: 0.3 } } }", "context.profiles.coding"],
      ["context: { skill_metadata_budget_pct: 0.5 }", "context.skill_metadata_budget_pct"],
      ["autonomy: { widen_correction_rate_max: 0.5 }", "autonomy.widen_correction_rate_max"],
      ["scheduler: { enabled: false }", "suggestions.enabled"],
      ["skills: { import: { require_transform_report: false } }", "skills.import.require_transform_report"],
      ["skills: { validation: { description_min_chars: 2000 } }", "skills.validation.description_min_chars"],
      ["chanels: {}", "chanels"],
    ];
    for (const [text, key] of cases) {
      writeConfig(home, text);
      // A start that came as far as its port would say that this one is taken.
      await withOccupiedPort(async (port) => {
        const ran = await home.silas(["start", "--no-open", "--port", String(port)]);
        expect(ran, text).toMatchObject({ code: 1, out: "" });
        expect(ran.err).toContain(key);
        expect(ran.err).toMatch(/silas\.yaml:\d+/);
      });
      expect(existsSync(join(home.dir, "data", "instance.json"))).toBe(false);
    }
  });

  test("[MIG-07] start has applied every migration when it listens; when one fails, it ends and nothing listens", async () => {
    await home.start();
    expect(migrationsIn(join(home.dir, "data", "silas.db"))).toHaveLength(shippedMigrations("runtime").length);
    expect(migrationsIn(join(home.dir, "data", "db.sqlite"))).toHaveLength(shippedMigrations("journal").length);
    const other = createHome();
    try {
      // A table that is in the way makes the first migration of this file fail.
      mkdirSync(join(other.dir, "data"), { mode: 0o700 });
      const database = databaseIn(other.dir);
      database.exec("CREATE TABLE sessions (mine TEXT); INSERT INTO sessions VALUES ('kept')");
      database.close();
      await withOccupiedPort(async (port) => {
        const ran = await other.silas(["start", "--no-open", "--port", String(port)]);
        expect(ran).toMatchObject({ code: 1, out: "" });
        expect(ran.err).toContain("001_initial could not be applied");
      });
      const after = databaseIn(other.dir, { readOnly: true });
      expect(after.prepare("SELECT mine FROM sessions").all()).toMatchObject([{ mine: "kept" }]);
      expect(after.prepare("SELECT name FROM sqlite_master").all()).toHaveLength(1);
      after.close();
    } finally {
      await other.remove();
    }
  });

  test("NO_COLOR, FORCE_COLOR=0 and a pipe give plain text", async () => {
    for (const env of [{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }, {}]) {
      const { out, err } = await home.silas(["doctor"], { env: { ...env, SILAS_CHANNELS__WEB__PORT: "0" } });
      expect(out + err).not.toMatch(ANSI);
    }
  });

  test("SIGINT ends it gracefully", async () => {
    const running = await home.start();
    running.child.kill("SIGINT");
    const [code] = (await once(running.child, "exit")) as [number];
    expect(code).toBe(0);
    expect(existsSync(join(home.dir, "data", "instance.json"))).toBe(false);
  });
});

const shippedMigrations = (room: "journal" | "runtime"): string[] =>
  readdirSync(join(ROOT, "src", "shell", "stores", "migrations", room)).filter((name) => name.endsWith(".sql"));

function migrationsIn(file: string): { id: string; applied_at: string }[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare("SELECT id, applied_at FROM applied_migrations ORDER BY id").all() as {
      id: string;
      applied_at: string;
    }[];
  } finally {
    database.close();
  }
}

function writeConfig({ dir }: Home, inner: string): void {
  mkdirSync(join(dir, "config"), { recursive: true });
  writeFileSync(join(dir, "config", "silas.yaml"), `silas:\n  ${inner}\n`);
}
