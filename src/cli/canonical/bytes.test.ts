import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { createInputReader } from "./input.ts";
import { runCanonical, type CanonicalCall } from "./bytes.ts";

type Ran = { readonly code: number; readonly out: string; readonly err: string };

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "silas-canonical-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(
  operands: readonly string[],
  rest: Partial<CanonicalCall> & { input?: string | Uint8Array } = {},
): Promise<Ran> {
  const written = { out: "", err: "" };
  const code = await runCanonical({
    operands,
    format: "bytes",
    stdin: "piped",
    stdout: "piped",
    readInput: createInputReader(Readable.from([Buffer.from(rest.input ?? "")])),
    writeOut: (text) => void (written.out += text),
    writeErr: (text) => void (written.err += text),
    ...rest,
  });
  return { code, ...written };
}

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe("silas canonical", () => {
  test("prints exactly the canonical bytes, and their digest beside them", async () => {
    const ran = await run([file("a.json", '\ufeff{ "b": 1.0,\r\n "a": "é" }\n')]);
    const bytes = '{"a":"é","b":1}';
    const digest = createHash("sha256").update(bytes).digest("hex");
    expect(ran).toEqual({ code: 0, out: bytes, err: `sha256 ${digest}\n` });
  });

  test("reads stdin when asked with a dash or without an operand", async () => {
    expect((await run(["-"], { input: "[ 1 ]" })).out).toBe("[1]");
    expect((await run([], { input: "[ 2 ]" })).out).toBe("[2]");
  });

  test("--json prints one object on stdout and nothing else", async () => {
    const ran = await run(["-"], { input: '{"b":"x","a":"\u202e"}', format: "json", stdout: "terminal" });
    const canonical = '{"a":"\u202e","b":"x"}';
    const sha256 = createHash("sha256").update(canonical).digest("hex");
    expect(JSON.parse(ran.out)).toEqual({ canonical, sha256 });
    expect(ran.err).toBe("");
  });

  test("a terminal is shown symbols instead of characters that act on it", async () => {
    const ran = await run(["-"], { input: '"a\u202e\u009b"', stdout: "terminal" });
    expect(ran.out).toBe('"a\ufffd\ufffd"\n');
    expect(ran.err).toContain("redirect to get the exact bytes");
  });

  test.each([
    ['{"a":1,\n  "a":2}', "2:3: this key appears twice in the same object"],
    ["[1,\n 9007199254740993]", "2:2: an integer beyond 2^53-1 is not exact everywhere; write it as a string"],
    ["[NaN]", "1:2: this character cannot stand here in JSON"],
    ['["\\ud800"]', "1:3: half of a surrogate pair has no UTF-8 form"],
    ["", "1:1: the document ends here, before it is complete"],
    ["[".repeat(65), "1:65: nested deeper than 64 levels"],
  ])("bad input %j ends with exit 1, the place and the reason", async (input, reason) => {
    const path = file("bad.json", input);
    expect(await run([path])).toEqual({ code: 1, out: "", err: `${path}:${reason}\n` });
    expect((await run(["-"], { input })).err).toBe(`<stdin>:${reason}\n`);
  });

  test("bytes that are not UTF-8 are named with their place", async () => {
    const input = Uint8Array.from([0x5b, 0x0a, 0x22, 0xc3, 0xa9, 0xff, 0x22, 0x5d]);
    expect(await run(["-"], { input })).toEqual({ code: 1, out: "", err: "<stdin>:2:3: this is not UTF-8\n" });
  });

  test("a missing file, a folder and a file that is too large each have their own sentence", async () => {
    expect((await run([join(folder, "none.json")])).err).toContain("there is no such file");
    expect((await run([folder])).err).toContain("this is not a file");
    const long = createInputReader(Readable.from([new Uint8Array(8), new Uint8Array(8)]));
    expect(await long("-", { bytesMax: 15 })).toEqual({ ok: false, error: { code: "too_large" } });
    const ran = await run(["-"], { readInput: async () => ({ ok: false, error: { code: "too_large" } }) });
    expect(ran).toEqual({
      code: 1,
      out: "",
      err: `<stdin>: larger than ${LIMITS.canonicalInputBytes / 1_048_576} MiB\n`,
    });
  });

  test("wrong use ends with exit 2", async () => {
    expect((await run(["a", "b"])).code).toBe(2);
    const waiting = await run([], { stdin: "terminal" });
    expect(waiting.code).toBe(2);
    expect(waiting.err).toContain("Nothing to read");
  });

  test("a file name cannot act on the terminal through an error", async () => {
    expect((await run([`${folder}/\u001b[31m`])).err).not.toContain("\u001b");
  });
});
