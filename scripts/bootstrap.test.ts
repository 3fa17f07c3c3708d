import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ROOT } from "./tools.ts";

const LOCK = {
  packages: { "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "1.0.0", optional: true } },
};
const INSTALLED = JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0" } } });

let project: string;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "silas-bootstrap-"));
  for (const path of ["scripts/bootstrap.mjs", "scripts/own-node.mjs", "bin/silas"])
    cpSync(join(ROOT, path), join(project, path));
  put("package.json", '{ "type": "module" }');
  put("package-lock.json", JSON.stringify(LOCK));
  put("node_modules/.package-lock.json", INSTALLED);
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

function bootstrap(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { npm_execpath: _, ...rest } = process.env;
  return spawnSync(process.execPath, [join(project, "scripts/bootstrap.mjs"), ...args], {
    encoding: "utf8",
    cwd: tmpdir(),
    env: { ...rest, ...environment },
  });
}

/** An npm that counts how often it was called and then does what the test says. */
function fakeNpm(body: string): NodeJS.ProcessEnv {
  put(
    "npm-cli.js",
    `import { appendFileSync, writeFileSync } from "node:fs";\nappendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");\n${body}`,
  );
  return { npm_execpath: join(project, "npm-cli.js"), npm_node_execpath: process.execPath };
}

describe("handing over", () => {
  test("passes arguments on, keeps the exit code, and drops options meant for another Node", () => {
    put(
      "sim/run.ts",
      "console.log(process.argv.slice(2).join(), process.env.NODE_OPTIONS ?? 'none', process.cwd()); process.exit(7);",
    );
    const run = bootstrap(["sim", "--seed=5", "--loud"], { NODE_OPTIONS: "--max-old-space-size=300" });
    expect(run.status).toBe(7);
    expect(run.stdout.trim()).toBe(`--seed=5,--loud none ${project}`);
  });

  test("stops at the first command that fails", () => {
    put("scripts/build-web.ts", "process.exit(3);");
    put("src/main.ts", "console.log('started');");
    const run = bootstrap(["start"]);
    expect([run.status, run.stdout]).toEqual([3, ""]);
  });

  test("start opens the page and takes the user's arguments", () => {
    put("scripts/build-web.ts", "");
    put("src/main.ts", "console.log(process.argv.slice(2).join(' '));");
    expect(bootstrap(["start", "--port", "9000"]).stdout.trim()).toBe("start --open --port 9000");
  });

  test("passes a signal on and ends the way the child ended", async () => {
    put(
      "sim/run.ts",
      "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready');",
    );
    const child = spawn(process.execPath, [join(project, "scripts/bootstrap.mjs"), "sim"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.on("exit", resolve);
    child.stdout.once("data", () => child.kill("SIGTERM"));
    expect(await promise).toBe(9);
  });

  test("stops the child when the shell npm ran it through is gone", async () => {
    put(
      "sim/run.ts",
      "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('ready');",
    );
    // The command after it keeps the shell from stepping aside for the first one.
    const command = `"${process.execPath}" "${join(project, "scripts/bootstrap.mjs")}" sim; true`;
    const shell = spawn("/bin/sh", ["-c", command], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, npm_lifecycle_event: "sim" },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    // The pipe closes only when the last process that holds it has ended.
    shell.stdout.on("close", resolve);
    shell.stdout.once("data", () => shell.kill("SIGTERM"));
    await promise;
    expect(shell.signalCode).toBe("SIGTERM");
  });

  test("an unknown verb is a usage error that lists the known ones", () => {
    const run = bootstrap(["fly"]);
    expect([run.status, run.stderr]).toEqual([2, expect.stringContaining("start|test|check")]);
  });
});

describe("installing", () => {
  test("is skipped when what npm recorded matches the lockfile, however it was installed", () => {
    put("sim/run.ts", "console.log('ran');");
    const run = bootstrap(["sim"], fakeNpm(""));
    expect(run.stdout.trim()).toBe("ran");
  });

  test.each([
    ["nothing is installed", null],
    ["another version is installed", INSTALLED.replace("1.0.0", "0.9.0")],
    ["the record was cut off", INSTALLED.slice(0, 20)],
  ])("happens when %s", (_, record) => {
    put("sim/run.ts", "console.log('ran');");
    rmSync(join(project, "node_modules/.package-lock.json"));
    if (record !== null) put("node_modules/.package-lock.json", record);
    const run = bootstrap(
      ["sim"],
      fakeNpm(`writeFileSync("node_modules/.package-lock.json", ${JSON.stringify(INSTALLED)});`),
    );
    expect(run.stdout).toMatch(/^Installing .*\nInstalled in \d+ s\.\nran\n$/);
    expect(readFileSync(join(project, "npm-calls"), "utf8")).toMatch(/^ci --ignore-scripts /);
  });

  test("a failure is one sentence that says what to do", () => {
    rmSync(join(project, "node_modules/.package-lock.json"));
    const run = bootstrap(["sim"], fakeNpm("process.exit(1);"));
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("npm ping");
  });

  test("a machine without npm is told where to get it", () => {
    rmSync(join(project, "node_modules/.package-lock.json"));
    const run = bootstrap(["sim"], { PATH: project });
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining("nodejs.org")]);
  });
});

describe("bin/silas", () => {
  const silas = (path: string, environment: NodeJS.ProcessEnv = {}, words: readonly string[] = ["tasks", "--json"]) =>
    spawnSync(path, words, {
      encoding: "utf8",
      cwd: tmpdir(),
      // The project of this test has no Node of its own, so the first line of the file has to find this one.
      env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`, ...environment },
    });

  test("runs from any directory, through a link, with hostile NODE_OPTIONS, and keeps the exit code", () => {
    put(
      "src/main.ts",
      "console.log(process.argv.slice(2).join(), process.cwd() === process.env.HERE, process.env.NODE_OPTIONS); process.exit(4);",
    );
    const link = join(project, "link");
    symlinkSync(join(project, "bin/silas"), link);
    const run = silas(link, { NODE_OPTIONS: "--require=/does/not/exist.js", HERE: tmpdir() });
    expect([run.stderr, run.stdout.trim(), run.status]).toEqual(["", "tasks,--json true undefined", 4]);
  });

  test("gives the server a small space for new objects, and every other command none of its flags", () => {
    put("src/main.ts", "console.log(process.execArgv.join(' '));");
    const flags = (...words: string[]) => silas(join(project, "bin/silas"), {}, words).stdout.trim();
    expect(flags("start", "--no-open")).toBe("--max-semi-space-size=2");
    expect(flags("--debug", "start")).toBe("--max-semi-space-size=2");
    for (const words of [["tasks", "list"], ["tasks", "start"], ["start-again"], []]) expect(flags(...words)).toBe("");
    put("scripts/build-web.ts", "");
    const started = bootstrap(["start"]);
    expect(started.stdout.trim().split("\n").at(-1)).toBe("--max-semi-space-size=2");
  });

  test("says in one sentence what to run when nothing is installed", () => {
    rmSync(join(project, "node_modules"), { recursive: true });
    const run = silas(join(project, "bin/silas"));
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^[^\n]*npm ci --ignore-scripts[^\n]*\n$/);
  });
});
