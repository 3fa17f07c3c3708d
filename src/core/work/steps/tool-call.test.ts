import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Step } from "#model";
import type { SandboxCall } from "#tools";
import { readStep, sandboxCallOf } from "./tool-call.ts";

type Written = Pick<Step, "run" | "tool" | "args">;
const call = (written: Partial<Written>): SandboxCall => {
  const read = readStep({ run: null, tool: null, args: {}, ...written });
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return sandboxCallOf(read.value);
};

describe("a tool becomes a command", () => {
  test("a command line and an argument list are the same call, word for word", () => {
    const argv = ["printf", "%s", "a; b && $(c) | 'd' \"e\"\n"];
    expect(call({ tool: "shell_exec", args: { argv } })).toEqual({ argv, stdin: null });
    expect(call({ run: "printf %s 'a b'" })).toEqual({ argv: ["printf", "%s", "a b"], stdin: null });
  });

  test("a script is given on standard input and its arguments follow, none of them read as an option", () => {
    expect(call({ tool: "python_exec", args: { script: "print(1)", args: ["-c", "x"] } })).toEqual({
      argv: ["python3", "-", "-c", "x"],
      stdin: "print(1)",
    });
    const { argv, stdin } = call({ tool: "node_exec", args: { script: "console.log(1)" } });
    expect([argv[0], argv.at(-1), stdin]).toEqual(["/opt/silas/bin/node", "-", "console.log(1)"]);
  });

  test("[WORK-21] what does not fit the tool is no call, whoever asks", () => {
    for (const wrong of [
      { tool: "file_read", args: { path: 7 } },
      { tool: "file_read", args: {} },
      { tool: "file_reader", args: { path: "a" } },
      { tool: "shell_exec", args: { argv: ["ls"], shell: true } },
      { tool: "__proto__", args: {} },
      { run: "ls | wc" },
      { run: "ls", tool: "file_list", args: { path: "." } },
      {},
    ] as readonly Partial<Written>[]) {
      expect(readStep({ run: null, tool: null, args: {}, ...wrong }).ok, JSON.stringify(wrong)).toBe(false);
    }
  });
});

describe("the file tools", () => {
  let folder = "";
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "silas-tools-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (tool: string, args: Step["args"]) => {
    const { argv, stdin } = call({ tool, args });
    const [, ...rest] = argv;
    const { status, stdout, stderr } = spawnSync(process.execPath, rest, {
      cwd: folder,
      input: stdin ?? "",
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");

  test("write makes the folders it needs, and read gives the same bytes back", () => {
    const content = "Grüße `$HOME` \\ \"'\n";
    expect(run("file_write", { path: "a/b/c.txt", content })).toMatchObject({ status: 0, stderr: "" });
    expect(text("a/b/c.txt")).toBe(content);
    expect(run("file_read", { path: "a/b/c.txt" })).toEqual({ status: 0, stdout: content, stderr: "" });
  });

  test("patch replaces a text that is there once, and otherwise changes nothing and says why", () => {
    put("a.txt", "one two $& one");
    expect(run("file_patch", { path: "a.txt", find: "two", replace: "$1 $&" }).status).toBe(0);
    expect(text("a.txt")).toBe("one $1 $& $& one");
    for (const [find, times] of [
      ["one", 2],
      ["three", 0],
    ] as const) {
      const { status, stderr } = run("file_patch", { path: "a.txt", find, replace: "" });
      expect([status, stderr]).toEqual([1, `file_patch: the text to replace is there ${times} times, not once\n`]);
    }
    expect(text("a.txt")).toBe("one $1 $& $& one");
  });

  test("list names what is there in one order, search finds lines and follows no link", () => {
    mkdirSync(join(folder, "b"));
    put("b/x.txt", "needle 1\nhay\nneedle 2");
    put("a.bin", "needle\0");
    symlinkSync("..", join(folder, "c"));
    expect(run("file_list", { path: "." }).stdout).toBe("a.bin\nb/\nc@\n");
    expect(run("file_search", { path: ".", text: "needle" }).stdout).toBe("b/x.txt:1: needle 1\nb/x.txt:3: needle 2\n");
    expect(run("file_search", { path: ".", text: "pin" })).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("what is not there ends with code 1 and one line", () => {
    const { status, stdout, stderr } = run("file_read", { path: "none" });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^file_read: ENOENT.*\n$/);
  });
});
