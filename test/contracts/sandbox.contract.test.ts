import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { array, assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxCommand } from "#ports";
import { SANDBOX_NODE } from "#sandbox";
import {
  CONFIG,
  MIB,
  run,
  SANDBOX_BACKENDS,
  shell,
  tempFolder,
  textOf,
  timesFor,
  workbench,
} from "./sandbox-fixture.ts";

describe.each(SANDBOX_BACKENDS)("the %s backend", (backend) => {
  const { open, spaceOf } = workbench(backend);

  test("says that it is ready, and runs Silas's own Node", async () => {
    expect(await open(tempFolder()).support()).toMatchObject({ state: "ready", backend });
    const ran = await run(await spaceOf(), { argv: [SANDBOX_NODE, "-p", "process.version"] });
    expect(ran).toMatchObject({ end: { kind: "exit", code: 0 }, stdout: { isTruncated: false } });
    expect(textOf(ran.stdout)).toBe(`${process.version}\n`);
  });

  describe("how a program ended", () => {
    test("exit codes, signals and programs that are not there are told apart", async () => {
      const space = await spaceOf();
      expect((await shell(space, "exit 7")).end).toEqual({ kind: "exit", code: 7 });
      expect((await shell(space, "kill -SEGV $$")).end).toEqual({ kind: "signal", signal: "SIGSEGV" });
      expect((await run(space, { argv: ["no-such-program"] })).end).toEqual({ kind: "exit", code: 127 });
      // These differ by a number that both backends read in one place.
      for (const code of [0, 255].slice(0, timesFor(backend, 2))) {
        expect((await shell(space, `exit ${code}`)).end).toEqual({ kind: "exit", code });
      }
    });

    test("standard input is empty, or exactly what is given", async () => {
      const space = await spaceOf();
      expect(textOf((await run(space, { argv: ["/usr/bin/wc", "-c"] })).stdout)).toBe("0\n");
      const stdin = randomBytes(300_000);
      const { stdout } = await run(await spaceOf({ limits: { ...CONFIG.limits, outputBytes: MIB } }), {
        argv: ["/bin/cat"],
        stdin,
      });
      expect(Buffer.from(stdout.bytes).equals(stdin)).toBe(true);
      expect((await run(space, { argv: ["/bin/true"], stdin })).end).toEqual({ kind: "exit", code: 0 });
    });

    test("lines are told while the program runs, by stream", async () => {
      const space = await spaceOf();
      const lines: string[] = [];
      const ran = await run(space, {
        // Waits for a file that appears only when the first line has arrived.
        argv: ["/bin/sh", "-c", "echo one; echo two >&2; while [ ! -e go ]; do sleep 0.05; done; printf three"],
        onLine: ({ stream, text }) => {
          lines.push(`${stream} ${text}`);
          writeFileSync(join(space.workspace, "go"), "");
        },
      });
      expect(ran.end).toEqual({ kind: "exit", code: 0 });
      expect(lines.toSorted()).toEqual(["stderr two", "stdout one", "stdout three"]);
    });
  });

  test("[SBX-04] any argument reaches the program byte for byte, and no shell is in between", async () => {
    const space = await spaceOf({ limits: { ...CONFIG.limits, outputBytes: MIB } });
    const nasty = constantFrom(
      "",
      " ",
      "; rm -rf /",
      "&& id",
      "$(id)",
      "`id`",
      "|",
      "'",
      '"',
      "\\",
      "\n",
      "\r\n",
      "*",
      "~",
      "$HOME",
      "--",
      "-x",
      "--args",
      "3",
      "é",
      "日本",
      "😀",
      "\u202e",
      "\u0007",
      "%s",
      "#",
      "=",
      "A=b",
    );
    const text = string({ unit: "binary", maxLength: 30 }).filter(
      (word) => !word.includes("\0") && word.isWellFormed(),
    );
    await assert(
      asyncProperty(array(oneof(nasty, text), { maxLength: 12 }), async (words) => {
        const ran = await run(space, { argv: ["/usr/bin/printf", "%s\\0", ...words] });
        const expected = words.length === 0 ? "\0" : words.map((word) => `${word}\0`).join("");
        expect(Buffer.from(ran.stdout.bytes).toString()).toBe(expected);
      }),
      { numRuns: timesFor(backend, 60) },
    );
  });

  test("what cannot be an argument, a variable, a limit or a place is refused before anything starts", async () => {
    const space = await spaceOf();
    const codeOf = async (command: SandboxCommand) => {
      const ran = await space.run(command);
      return ran.ok ? "ran" : ran.error;
    };
    const touch = ["/bin/touch", "/workspace/ran"];
    expect(await codeOf({ argv: [] })).toMatchObject({ code: "sandbox_command_refused", reason: "empty" });
    expect(await codeOf({ argv: [""] })).toMatchObject({ reason: "empty" });
    expect(await codeOf({ argv: [...touch, "a\0b"] })).toMatchObject({ reason: "not_text" });
    expect(await codeOf({ argv: [...touch, "\ud800"] })).toMatchObject({ reason: "not_text" });
    expect(await codeOf({ argv: [...touch, "x".repeat(128 * 1024)] })).toMatchObject({ reason: "too_long" });
    expect(await codeOf({ argv: [...touch, ...Array<string>(20).fill("x".repeat(100_000))] })).toMatchObject({
      reason: "too_long",
    });
    for (const [name, value] of [
      ["PATH", "/x"],
      ["HOME", "/x"],
      ["PWD", "/x"],
      ["IFS", "x"],
      ["OPTIND", "x"],
      ["a-b", ""],
      ["", ""],
      ["A", "\0"],
    ] as const) {
      expect(await codeOf({ argv: touch, env: { [name]: value } })).toEqual({ code: "sandbox_env_refused", name });
    }
    for (const cwd of ["/", "..", "/usr", "/etc", "/workspacex", "a/../../x"]) {
      expect(await codeOf({ argv: touch, cwd })).toMatchObject({ code: "sandbox_cwd_refused" });
    }
    expect(await codeOf({ argv: touch, cwd: "none" })).toMatchObject({ code: "sandbox_not_started" });
    for (const timeoutMs of [0, -1, 1.5, Number.NaN]) {
      expect(await codeOf({ argv: touch, timeoutMs })).toEqual({ code: "sandbox_limit_refused", limit: "timeoutMs" });
    }
    expect(readdirSync(space.workspace)).toEqual([]);
    for (const limit of Object.keys(CONFIG.limits) as (keyof typeof CONFIG.limits)[]) {
      const opened = spaceOf({ limits: { ...CONFIG.limits, [limit]: 0 } });
      await expect(opened).rejects.toThrow(JSON.stringify({ code: "sandbox_limit_refused", limit }));
    }
  });

  test("[SBX-05] the environment is what was given, PATH, HOME and PWD, and nothing of the host's", async () => {
    process.env["SILAS_CANARY"] = "canary";
    onTestFinished(() => void delete process.env["SILAS_CANARY"]);
    const space = await spaceOf({ env: { GIVEN: "by the space\n$(id)", BOTH: "space" } });
    const ran = await run(space, {
      argv: ["/usr/bin/env", "-0"],
      env: { BOTH: "run", LD_PRELOAD: "/workspace/none.so" },
    });
    const variables = textOf(ran.stdout).split("\0").filter(Boolean).toSorted();
    expect(variables).toEqual([
      "BOTH=run",
      "GIVEN=by the space\n$(id)",
      "HOME=/workspace",
      "LD_PRELOAD=/workspace/none.so",
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "PWD=/workspace",
    ]);
    // Nor can others on the machine read it off the command line.
    let listed = "";
    const started = await run(space, {
      argv: ["/bin/sh", "-c", "echo up; while [ ! -e seen ]; do sleep 0.05; done"],
      env: { SECRET: "from-nobody" },
      onLine: () => {
        listed = execFileSync("/bin/ps", ["axww", "-o", "args"]).toString();
        writeFileSync(join(space.workspace, "seen"), "");
      },
    });
    expect(started.end).toEqual({ kind: "exit", code: 0 });
    expect(listed).toContain("while [ ! -e seen ]");
    expect(listed).not.toContain("from-nobody");
  });

  test("[SBX-06] every space begins empty, or with a copy of what was named, and sees no other", async () => {
    const folder = tempFolder();
    const sandboxes = open(folder);
    const seed = join(folder, "seed");
    mkdirSync(join(seed, "sub"), { recursive: true });
    writeFileSync(join(seed, "sub/file"), "seeded");
    symlinkSync("/etc/shadow", join(seed, "link"));
    const first = await spaceOf({ workDir: seed }, sandboxes);
    const second = await spaceOf({}, sandboxes);
    const seeded = "cat sub/file; echo changed > sub/file; echo x > left; touch /tmp/gone; readlink link; cat link";
    const began = await shell(first, seeded);
    expect(textOf(began.stdout)).toBe("seeded/etc/shadow\n");
    expect(began.end).toEqual({ kind: "exit", code: 1 });
    expect(readFileSync(join(seed, "sub/file"), "utf8")).toBe("seeded");
    const other = await shell(second, `ls -A . /tmp; exec ls ${first.workspace}`);
    expect(textOf(other.stdout)).toBe(".:\n\n/tmp:\n");
    expect(other.end).toEqual({ kind: "exit", code: 2 });
    // A second run in the same space finds the workspace and a /tmp of its own.
    expect(textOf((await shell(first, "ls -A /tmp; cat left")).stdout)).toBe("x\n");
    for (const own of ["data", "state"]) {
      mkdirSync(join(folder, own), { recursive: true });
      const opened = await sandboxes.open({ ...CONFIG, readPaths: [{ path: join(folder, own), as: "/own" }] });
      expect(opened).toMatchObject({ ok: false, error: { code: "sandbox_path_refused", reason: "holds_silas" } });
    }
  });

  test("[SBX-08] what is granted for reading can be read, for writing also written, and nothing else either", async () => {
    const folder = tempFolder();
    for (const name of ["in", "out", "other"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "file"), name);
    }
    const space = await spaceOf({
      readPaths: [
        { path: join(folder, "in"), as: "/in" },
        { path: join(folder, "other/file"), as: "/one/file" },
      ],
      writePaths: [{ path: join(folder, "out"), as: "/srv/out" }],
    });
    const ran = await shell(
      space,
      `cat /in/file /one/file /srv/out/file; echo written > /srv/out/file; ls -A /one /srv/out`,
    );
    expect(textOf(ran.stdout)).toBe("inotherout/one:\nfile\n\n/srv/out:\nfile\n");
    expect(readFileSync(join(folder, "out/file"), "utf8")).toBe("written\n");
    const changes = [
      "echo x > /in/file",
      "rm /in/file",
      "touch /in/new",
      "chmod 777 /in",
      "echo x > /one/file",
      "touch /srv/out/../new",
      "touch /new /usr/new /etc/new",
    ];
    const each = changes.map((change, at) => `(${change}) && echo did ${at}; `);
    const tried = await shell(space, `${each.join("")} echo all`);
    expect(textOf(tried.stdout)).toBe("all\n");
    expect(readdirSync(join(folder, "in"))).toEqual(["file"]);
    expect(readFileSync(join(folder, "other/file"), "utf8")).toBe("other");
    expect((await run(space, { argv: ["/bin/ls"], cwd: "/in" })).stdout.bytes).toEqual(Buffer.from("file\n"));
  });

  test("what is granted is the folder that was there when the space was opened, whatever its name means later", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "grant"));
    mkdirSync(join(folder, "secret"));
    writeFileSync(join(folder, "secret/key"), "secret");
    const space = await spaceOf({ writePaths: [{ path: join(folder, "grant"), as: "/grant" }] });
    execFileSync("/bin/mv", [join(folder, "grant"), join(folder, "moved")]);
    symlinkSync(join(folder, "secret"), join(folder, "grant"));
    const ran = await shell(space, "cat /grant/key; echo here > /grant/new");
    expect(textOf(ran.stdout)).toBe("");
    expect(readFileSync(join(folder, "moved/new"), "utf8")).toBe("here\n");
    expect(readdirSync(join(folder, "secret"))).toEqual(["key"]);
  });

  test("[SBX-09] no server of this machine is reached", async () => {
    let reached = 0;
    const server = createServer((socket) => void (socket.end(), (reached += 1))).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const script = `require("net").connect(${port}, "127.0.0.1").on("error", (e) => console.log(e.code)).on("connect", () => console.log("in"))`;
    const ran = await run(await spaceOf(), { argv: [SANDBOX_NODE, "-e", script] });
    expect(textOf(ran.stdout)).toMatch(/^E\w+\n$/);
    expect(reached).toBe(0);
  });
});
