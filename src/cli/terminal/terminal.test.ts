import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { run } from "../program.ts";
import { createTerminal, forTarget } from "./terminal.ts";

/** What a hostile program may have printed: a colour by one C1 character, a reversal, a hidden letter. */
const HOSTILE = "\u009b31m\u202e\u{e0041}\u200b";

test("values as JSON act on no screen, and are the same values", () => {
  const stdout = new PassThrough();
  const outside = { version: "0", argv: [], stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const terminal = createTerminal(outside, { debug: false, input: false, color: false, colour: "never" });
  terminal.json({ output: `${HOSTILE} größer` });
  const written = String(stdout.read());
  expect(written).not.toMatch(/[\u0080-\u009f\p{Cf}]/u);
  expect(written).toContain("größer");
  expect(JSON.parse(written)).toEqual({ output: `${HOSTILE} größer` });
});

test("a document is written as it is to a file, and made visible on a screen", () => {
  const document = JSON.stringify({ title: HOSTILE });
  expect(forTarget(new PassThrough(), document)).toBe(document);
  const onScreen = forTarget(Object.assign(new PassThrough(), { isTTY: true }), document);
  expect(onScreen).not.toMatch(/[\u0080-\u009f\p{Cf}]/u);
  expect(JSON.parse(onScreen)).toEqual({ title: HOSTILE });
});

test("a word of the command line that nobody knows is quoted without acting on the screen", async () => {
  const stderr = new PassThrough();
  const argv = [`x${HOSTILE}\u001b[31m`];
  const code = await run({ version: "0", argv, stdin: new PassThrough(), stdout: new PassThrough(), stderr });
  expect(code).toBe(2);
  expect(String(stderr.read())).not.toMatch(/[\u001b\u0080-\u009f\p{Cf}]/u);
});
