import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import { splitCommand } from "../command-line.ts";
import { readStep, sandboxCallOf } from "../steps/tool-call.ts";
import { checkCommand } from "./check-program.ts";

let root = "";
let folder = "";
let results = "";
const MOVES = JSON.stringify({
  moves: [{ from: "a.pdf", to: "Documents/a.pdf", sha256: sha256Hex("a") }],
  folders: ["Documents"],
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "silas-checks-"));
  folder = join(root, 'it\'s "my" $HOME; folder');
  results = join(root, "results");
  mkdirSync(join(folder, "inside"), { recursive: true });
  mkdirSync(results);
  for (const [name, text] of [
    ["a.pdf", "a"],
    ["stays.txt", "stays"],
    ["inside/deep.txt", "deep"],
  ] as const) {
    writeFileSync(join(folder, name), text);
  }
  // What the first steps of a batch do.
  const read = readStep({ run: null, tool: "folder_note", args: { path: folder, into: "before.json" } });
  if (!read.ok) throw new Error("a step");
  const { argv, stdin } = sandboxCallOf(read.value);
  const noted = spawnSync(process.execPath, argv.slice(1), { cwd: results, input: stdin ?? "", encoding: "utf8" });
  expect(noted).toMatchObject({ status: 0, stdout: "4 noted\n" });
  writeFileSync(join(results, "moves.json"), MOVES);
  mkdirSync(join(folder, "Documents"));
  renameSync(join(folder, "a.pdf"), join(folder, "Documents/a.pdf"));
});
afterEach(() => rmSync(root, { recursive: true }));

function ask(what: "placed" | "kept", digest: string = sha256Hex(MOVES)): readonly [number | null, string] {
  const words = splitCommand(checkCommand(what, { folder, digest }));
  if (!words.ok) throw new Error(JSON.stringify(words.error));
  const { status, stdout } = spawnSync(process.execPath, words.value.slice(1), { cwd: results, encoding: "utf8" });
  return [status, stdout.trim()];
}
const FINE = [0, "all is as it should be"] as const;

test("both pass when every file is where it belongs and the rest is as it was; what is new does not count", () => {
  writeFileSync(join(folder, "new.txt"), "new");
  expect(ask("placed")).toEqual(FINE);
  expect(ask("kept")).toEqual(FINE);
});

test("a file that is not there, has other bytes or is a link is named", () => {
  writeFileSync(join(folder, "Documents/a.pdf"), "b");
  expect(ask("placed")).toEqual([1, "Documents/a.pdf: other bytes"]);
  unlinkSync(join(folder, "Documents/a.pdf"));
  expect(ask("placed")).toEqual([1, "Documents/a.pdf: not there"]);
  writeFileSync(join(root, "elsewhere"), "a");
  symlinkSync(join(root, "elsewhere"), join(folder, "Documents/a.pdf"));
  expect(ask("placed")).toEqual([1, "Documents/a.pdf: not there"]);
});

test("whatever else was lost or changed is named, however deep", () => {
  writeFileSync(join(folder, "stays.txt"), "edited");
  unlinkSync(join(folder, "inside/deep.txt"));
  expect(ask("kept")).toEqual([1, "inside/deep.txt: lost\nstays.txt: changed"]);
});

test("other ways than those that were approved are not believed", () => {
  const others = JSON.stringify({ moves: [], folders: [] });
  writeFileSync(join(results, "moves.json"), others);
  expect(ask("placed")).toEqual([1, "these are not the approved ways"]);
  expect(ask("placed", sha256Hex(others))).toEqual(FINE);
});

test("the longest folder still makes a command that is run", () => {
  const longest = { folder: `/${"f".repeat(LIMITS.pathChars - 1)}`, digest: sha256Hex("") };
  expect(splitCommand(checkCommand("placed", longest)).ok).toBe(true);
});
