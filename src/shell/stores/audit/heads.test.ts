import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { KeptHead } from "#model";
import { AT, must, mustFail, tempDir } from "../store.fixture.ts";
import { createHeadsFile, type HeadsFile } from "./heads.ts";

const hashOf = (seq: number): string => seq.toString(16).padStart(64, "0");
const headOf = (seq: number): KeptHead => ({
  seq,
  hash: hashOf(seq),
  at: AT,
  checkpointId: `checkpoint-${seq}`,
  keyId: null,
  signature: null,
});
const lineOf = (seq: number): string =>
  seq % 3 === 0
    ? JSON.stringify({
        at: AT,
        checkpoint_id: `checkpoint-${seq}`,
        hash: hashOf(seq),
        key_id: null,
        seq,
        signature: null,
      })
    : JSON.stringify({ hash: hashOf(seq), seq });

/** Every third line is a head, the others are notes: four times the part that is read at first, and more. */
const LINES = 3_000;

function makeFile(): { readonly heads: HeadsFile; readonly path: string } {
  const dir = tempDir();
  const path = join(dir, "audit-heads.jsonl");
  writeFileSync(path, Array.from({ length: LINES }, (_, index) => `${lineOf(index + 1)}\n`).join(""));
  expect(statSync(path).size).toBeGreaterThan(4 * 64 * 1024);
  return { heads: createHeadsFile(dir), path };
}

const seqsFrom = (heads: HeadsFile, fromSeq: number) => must(heads.loadLines(fromSeq)).map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);

describe("the lines beside the chain", () => {
  test("are those of the asked entry and of every later one, however far back it is", () => {
    const { heads } = makeFile();
    for (const from of [0, 1, 2, 500, 1_500, 2_200, 2_600, 2_900, LINES - 1, LINES, LINES + 1]) {
      expect(seqsFrom(heads, from)).toEqual(range(Math.max(1, from), LINES));
      const kept = must(heads.load(from)).map(({ seq }) => seq);
      expect(kept).toEqual(range(Math.max(1, from), LINES).filter((seq) => seq % 3 === 0));
    }
  });

  test("of the last part are read without those before it, and all of them where the first is asked for", () => {
    const { heads, path } = makeFile();
    writeFileSync(path, readFileSync(path, "utf8").replace(lineOf(2), lineOf(2).replace("hash", "hush")));
    expect(seqsFrom(heads, LINES - 5)).toEqual(range(LINES - 5, LINES));
    for (const from of [0, 1, 3]) expect(mustFail(heads.loadLines(from))).toMatchObject({ line: 2 });
  });

  test("of a part that cannot be read are named by their number in the whole file", () => {
    const { heads, path } = makeFile();
    const bad = LINES - 3;
    writeFileSync(path, readFileSync(path, "utf8").replace(lineOf(bad), "nonsense"));
    expect(mustFail(heads.loadLines(LINES - 1))).toEqual({ code: "heads_unreadable", line: bad });
  });

  test("grow behind the last one alone: an earlier entry and the same again are not added", () => {
    const { heads, path } = makeFile();
    const before = readFileSync(path, "utf8");
    heads.note({ seq: LINES, hash: hashOf(LINES) });
    heads.note({ seq: 1, hash: hashOf(1) });
    heads.append(headOf(LINES));
    expect(readFileSync(path, "utf8")).toBe(before);
    heads.note({ seq: LINES + 1, hash: hashOf(LINES + 1) });
    expect(readFileSync(path, "utf8")).toBe(`${before}{"hash":"${hashOf(LINES + 1)}","seq":${LINES + 1}}\n`);
  });

  const LONG = `{"at":"${"2".repeat(2_000)}`;
  test.each(['{"at":"2026', '{"hash":"0', "{", LONG])("go on over what a crash left of one: %.20s", (torn) => {
    const { heads, path } = makeFile();
    const before = readFileSync(path, "utf8");
    appendFileSync(path, torn);
    heads.note({ seq: LINES, hash: hashOf(LINES) });
    expect(readFileSync(path, "utf8")).toBe(`${before}${torn}`);
    expect(seqsFrom(heads, LINES)).toEqual([LINES]);
    heads.append(headOf(LINES + 3));
    expect(readFileSync(path, "utf8")).toBe(`${before}${lineOf(LINES + 3)}\n`);
  });

  test("can be read at any moment while another process adds to them", async () => {
    const dir = tempDir();
    const heads = createHeadsFile(dir);
    heads.note({ seq: 1, hash: hashOf(1) });
    const script = `for (let seq = 2; seq <= ${LINES}; seq += 1)
      require("node:fs").appendFileSync("audit-heads.jsonl", JSON.stringify({ hash: "${hashOf(1)}", seq }) + "\\n");`;
    const writer = spawn(process.execPath, ["--eval", script], { cwd: dir, stdio: "inherit" });
    const ended = once(writer, "exit");
    while (writer.exitCode === null) {
      const seqs = seqsFrom(heads, 1);
      expect(seqs).toEqual(range(1, seqs.length));
      await turn();
    }
    expect(await ended).toEqual([0, null]);
    expect(seqsFrom(heads, 1).length).toBe(LINES);
  });

  test("are read although the last has lost its end of line, and refused for what never was a line", () => {
    const { heads, path } = makeFile();
    appendFileSync(path, lineOf(LINES + 3));
    expect(seqsFrom(heads, LINES)).toEqual([LINES, LINES + 3]);
    appendFileSync(path, "x");
    expect(mustFail(heads.loadLines(LINES))).toEqual({ code: "heads_unreadable", line: LINES + 1 });
  });

  test("are none before the first, and are replaced at once with those before kept under another name", () => {
    const dir = tempDir();
    const heads = createHeadsFile(dir);
    expect(must(heads.loadLines(1))).toEqual([]);
    heads.replace([headOf(3)], AT);
    expect(readdirSync(dir)).toEqual(["audit-heads.jsonl"]);
    heads.replace([headOf(6)], AT);
    heads.replace([headOf(9)], AT);
    const kept = readdirSync(dir).filter((name) => name !== "audit-heads.jsonl");
    expect(kept).toEqual([`audit-heads.jsonl.replaced-${AT.replaceAll(/[:.-]/g, "")}`]);
    expect(readFileSync(join(dir, kept[0] ?? ""), "utf8")).toBe(`${lineOf(6)}\n`);
    expect(seqsFrom(heads, 1)).toEqual([9]);
  });
});
