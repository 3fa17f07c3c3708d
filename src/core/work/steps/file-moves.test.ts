import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { Step } from "#model";
import { mayRepeat, readStep, sandboxCallOf } from "./tool-call.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "silas-moves-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: readonly string[]): string => join(folder, ...names);
const put = (name: string, text = name): string => {
  writeFileSync(at(name), text);
  return sha256Hex(text);
};

function run(tool: string, args: Step["args"]): { readonly status: number | null; readonly said: string } {
  const read = readStep({ run: null, tool, args });
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const { argv, stdin } = sandboxCallOf(read.value);
  const ran = spawnSync(process.execPath, argv.slice(1), { cwd: folder, input: stdin ?? "", encoding: "utf8" });
  return { status: ran.status, said: `${ran.stdout}${ran.stderr}`.trim() };
}
const move = (from: string, to: string, sha256: string, otherwise = "leave") =>
  run("file_move", { from: at(from), to: at(to), sha256, otherwise }).said;

describe("moving a file", () => {
  test("moves exactly these bytes, makes the folder, keeps time and mode, and asked again does nothing more", () => {
    const sha256 = put("a.pdf");
    const before = statSync(at("a.pdf"));
    expect(move("a.pdf", "Documents/a.pdf", sha256)).toBe("done");
    const after = statSync(at("Documents/a.pdf"));
    expect([after.mtimeMs, after.mode, after.ino]).toEqual([before.mtimeMs, before.mode, before.ino]);
    expect(existsSync(at("a.pdf"))).toBe(false);
    expect(move("a.pdf", "Documents/a.pdf", sha256)).toBe("there_already");
    expect(move("Documents/a.pdf", "a.pdf", sha256)).toBe("done");
    expect(readFileSync(at("a.pdf"), "utf8")).toBe("a.pdf");
  });

  test("cut between its two names it is finished by the next time", () => {
    const sha256 = put("a.pdf");
    mkdirSync(at("Documents"));
    linkSync(at("a.pdf"), at("Documents/a.pdf"));
    expect(move("a.pdf", "Documents/a.pdf", sha256)).toBe("done");
    expect(readdirSync(folder)).toEqual(["Documents"]);
  });

  test("never replaces what has the name, and leaves alone what changed, is gone or is no plain file", () => {
    const sha256 = put("a.pdf");
    mkdirSync(at("Documents"));
    put("Documents/a.pdf", "another");
    expect(move("a.pdf", "Documents/a.pdf", sha256)).toBe("taken");
    expect(readFileSync(at("Documents/a.pdf"), "utf8")).toBe("another");
    writeFileSync(at("a.pdf"), "changed");
    expect(move("a.pdf", "b.pdf", sha256)).toBe("changed");
    expect(move("nobody", "b.pdf", sha256)).toBe("gone");
    expect(move("Documents", "b.pdf", sha256)).toBe("not_a_file");
    expect(readdirSync(folder).toSorted()).toEqual(["Documents", "a.pdf"]);
  });

  test("follows no link: not the file, not a folder on the way, and not out of the place", () => {
    const outside = mkdtempSync(join(tmpdir(), "silas-outside-"));
    try {
      writeFileSync(join(outside, "secret"), "secret");
      symlinkSync(join(outside, "secret"), at("link"));
      expect(move("link", "taken", sha256Hex("secret"))).toBe("not_a_file");
      symlinkSync(outside, at("Documents"));
      const sha256 = put("a.pdf");
      expect(move("a.pdf", "Documents/a.pdf", sha256)).toBe("taken");
      expect(readdirSync(outside)).toEqual(["secret"]);
      expect(existsSync(at("a.pdf"))).toBe(true);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test("a plan's own step fails where a batch leaves alone", () => {
    const sha256 = put("a.pdf", "other");
    const args = { from: at("a.pdf"), to: at("b.pdf"), sha256: sha256Hex("approved") };
    expect(run("file_move", args)).toEqual({ status: 1, said: "file_move: changed" });
    expect(run("file_move", { ...args, sha256 })).toEqual({ status: 0, said: "done" });
    expect(readStep({ run: null, tool: "file_move", args: { ...args, sha256: "ABC" } }).ok).toBe(false);
  });
});

test("a folder is removed only if it is empty, and through no link", () => {
  mkdirSync(at("full"));
  put("full/a");
  mkdirSync(at("empty"));
  symlinkSync(at("empty"), at("link"));
  const names = ["full", "link", "empty", "empty"];
  expect(run("folder_remove", { paths: names.map((name) => at(name)) }).said.replaceAll(`${folder}/`, "")).toBe(
    "full: not empty, it stays\nlink: not empty, it stays\nempty: removed\nempty: not there",
  );
});

test("only steps that find done what they did may be repeated", () => {
  const step = (tool: string | null, args: Step["args"], line: string | null = null) => ({ run: line, tool, args });
  const sha256 = "0".repeat(64);
  expect(mayRepeat(step("file_move", { from: "/a/b", to: "/a/c", sha256 }))).toBe(true);
  expect(mayRepeat(step("folder_remove", { paths: ["/a/b"] }))).toBe(true);
  expect(mayRepeat(step("folder_note", { path: "/a", into: "note" }))).toBe(true);
  expect(mayRepeat(step("file_write", { path: "inside", content: "" }))).toBe(true);
  expect(mayRepeat(step("file_write", { path: "/a/outside", content: "" }))).toBe(false);
  expect(mayRepeat(step(null, {}, "mv a b"))).toBe(false);
  expect(mayRepeat(step("file_mover", {}))).toBe(false);
});
