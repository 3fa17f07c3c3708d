import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Gate, GateContext } from "#model";
import { SHIPPED_VALIDATORS, type ProviderAnswer, type ValidatorKind } from "#policy";
import { gateOf } from "../../../../test/gate-texts.ts";
import { matchPattern, patternProblem } from "./linear-patterns.ts";
import { createGuardrailProvider, createPredicateProvider } from "./providers.ts";

let root = "";
let workDir = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "silas-gates-"));
  workDir = join(root, "work");
  mkdirSync(join(workDir, "out"), { recursive: true });
  writeFileSync(join(root, "secret.txt"), "secret");
  writeFileSync(join(workDir, "out", "page.html"), "12345");
  symlinkSync(join(root, "secret.txt"), join(workDir, "link.txt"));
  symlinkSync(root, join(workDir, "up"));
});
afterAll(() => rmSync(root, { recursive: true }));

describe("files", () => {
  const look = (path: unknown, config = {}): Promise<ProviderAnswer> => {
    const gate = gateOf({ type: "file_valid", extract: "path", config });
    return createPredicateProvider({ workDir }).check(gate, {
      toolArgs: { path: path as never },
    }) as Promise<ProviderAnswer>;
  };

  test("[PRED-11] a file that is there passes, whatever its size where none is set", async () => {
    expect(await look("out/page.html")).toMatchObject({ action: "continue", value: "out/page.html" });
  });

  test("[PRED-11] a file may have exactly the size that is set, and not a byte more", async () => {
    expect((await look("out/page.html", { max_size_bytes: 5 })).action).toBe("continue");
    expect(await look("out/page.html", { max_size_bytes: 4 })).toMatchObject({
      action: "block",
      code: "file_too_large",
    });
    expect(await look("out/page.html", { max_size_bytes: "5" })).toMatchObject({
      action: "block",
      code: "settings_malformed",
    });
  });

  test("[PRED-10] a permitted path without a file blocks; a directory is no file", async () => {
    for (const path of ["out/none.html", "out", "out/page.html/x"]) {
      expect(await look(path)).toMatchObject({ action: "block", reason: "File not found" });
    }
  });

  test.each([
    "../secret.txt",
    "out/../../secret.txt",
    "/etc/passwd",
    "/",
    "",
    ".",
    "out//page.html",
    "./out/page.html",
    "~/x",
    "C:\\x",
    "out\\page.html",
    "out/page.html\u0000",
    "file:///etc/passwd",
    5,
    null,
    ["out/page.html"],
  ])("[PRED-09] %j leads out, or might, whether or not there is a file", async (path) => {
    expect(await look(path)).toMatchObject({ action: "block", reason: "Path outside permitted directories" });
  });

  test("[PRED-09] no link is followed, neither at the end nor on the way", async () => {
    for (const path of ["link.txt", "up/secret.txt"]) {
      expect(await look(path)).toMatchObject({ action: "block", reason: "Path outside permitted directories" });
    }
  });

  test("[PRED-09] whatever the path, nothing outside is found", async () => {
    const parts = fc.constantFrom("..", ".", "", "out", "secret.txt", "up", "link.txt", "page.html", "\\", "~");
    await fc.assert(
      fc.asyncProperty(
        fc.array(parts, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("", "/"),
        async (names, lead) => {
          const path = `${lead}${names.join("/")}`;
          const { action } = await look(path);
          expect(action === "continue").toBe(path === "out/page.html");
        },
      ),
    );
  });
});

describe("patterns of others", () => {
  const judge = (pattern: string, text: string): unknown =>
    createPredicateProvider({ workDir }).check(gateOf({ type: "regex", config: { pattern } }), { tool: text });

  test("[PRED-08] all of a value matches, or it blocks: no line break lets a second line in", async () => {
    expect(await judge("[a-z]+", "abc")).toMatchObject({ action: "continue" });
    for (const text of ["abc\n", "abc\nrm", " abc", "ab1", ""]) {
      expect(await judge("[a-z]+", text)).toMatchObject({ action: "block" });
    }
    expect(await judge("^[a-z]+$", "abc\n")).toMatchObject({ action: "block" });
  });

  test.each(["(a)\\1", "(?=a)b", "(?<!a)b", "(", "a{1001}", "(a{1000}){1000}", "[^]", "\\p{Script=Greek}", "a**"])(
    "%j is refused with a reason, and blocks if it is asked for nevertheless",
    async (pattern) => {
      expect(patternProblem(pattern)).toMatch(/\S/);
      expect(await judge(pattern, "a")).toMatchObject({ action: "block", code: "pattern_refused" });
    },
  );

  test("what takes other engines for ever takes this one a moment", () => {
    for (const pattern of ["^(a+)+$", "(a|aa)*b", "(a|a)*$", "(.*)(.*)(.*)(.*)[^a]", "([a-z]+)*!"]) {
      expect(patternProblem(pattern)).toBeNull();
      expect(matchPattern(pattern, `${"a".repeat(500_000)}!`).ok).toBe(true);
    }
  });

  test("a pattern as large as it may be is not run over a text as large as it may be", () => {
    const large = "[a-z]{1,1000}!";
    expect(matchPattern(large, "a".repeat(1_000_000))).toEqual({ ok: false, error: { code: "text_too_long" } });
    expect(matchPattern(large, "abc!")).toEqual({ ok: true, value: true });
    expect(patternProblem("a".repeat(1_001))).toMatch(/longer/);
  });
});

describe("validators", () => {
  const guard = (fields: Partial<Gate>, context: GateContext, validators = SHIPPED_VALIDATORS) =>
    createGuardrailProvider(validators).check(
      gateOf({ provider: "guardrails_ai", ...fields }),
      context,
    ) as ProviderAnswer;
  const input = { on: "every_user_message", check: "pii" } as const;
  const output = { on: "every_agent_response", check: "pii" } as const;
  const both = { message: "I am ana@example.org", response: "Call +43 664 1234567" };

  test("[GUARD-04] [GUARD-07] the message is read on its way in and the reply on its way out, and what was read is rewritten", async () => {
    expect(guard(input, both).modified_context).toEqual({ message: "I am [REDACTED email]" });
    expect(guard(output, both).modified_context).toEqual({ response: "Call [REDACTED phone]" });
    const argument = { check: "secrets", extract: "body", on: "on_tool_call" } as const;
    expect(
      await guard(argument, { toolArgs: { body: `x ${["sk", "live", "51HqLyjWDarjtT1zdp7dcGx"].join("_")}` } }),
    ).toMatchObject({
      action: "continue",
      modified_context: { tool_args: { body: "x [REDACTED Stripe key]" } },
    });
  });

  test("[GUARD-05] where nothing is found nothing changes", () => {
    const answer = guard(output, { response: "See you at eight" });
    expect([answer.action, answer.modified_context]).toEqual(["continue", undefined]);
  });

  test("[GUARD-06] in exception mode a finding blocks with the message of the validator", () => {
    const answer = guard({ ...output, config: { on_fail: "exception" } }, both);
    expect(answer).toMatchObject({ action: "block", reason: "Personal data: phone" });
  });

  test("what cannot be put right where it stands blocks, and so does a text that is not there or too long", () => {
    expect(guard({ ...input, on: "after_step", extract: "x" }, { values: { x: "ana@example.org" } }).action).toBe(
      "block",
    );
    const blocked = (code: string) => ({ action: "block", code });
    expect(guard(input, { response: "x" })).toMatchObject(blocked("text_missing"));
    expect(guard(input, { message: "x".repeat(1_048_577) })).toMatchObject(blocked("text_too_long"));
    expect(guard({ ...input, check: "__proto__" }, both)).toMatchObject(blocked("validator_unknown"));
    expect(guard({ ...input, check: null }, both)).toMatchObject(blocked("validator_unknown"));
  });

  test("[GUARD-01] a validator under a new name is asked for by that name, with the gate's own parameters", () => {
    const shout: ValidatorKind = {
      configProblem: () => null,
      build:
        ({ mark }) =>
        (text) => ({ state: "fixed", message: "loud", text: `${text}${String(mark)}` }),
    };
    const answer = guard({ ...input, check: "shout", config: { mark: "!" } }, { message: "hi" }, { shout });
    expect(answer.modified_context).toEqual({ message: "hi!" });
  });

  test("[GUARD-03] it is built on the first question of a gate, and not again", () => {
    const built: string[] = [];
    const counting: ValidatorKind = {
      configProblem: () => null,
      build() {
        built.push("built");
        return () => ({ state: "passed" });
      },
    };
    const provider = createGuardrailProvider({ counting });
    const gate = gateOf({ provider: "guardrails_ai", check: "counting", on: "every_user_message" });
    expect(built).toEqual([]);
    for (let turn = 0; turn < 3; turn += 1) void provider.check(gate, { message: "hi" });
    expect(built).toEqual(["built"]);
  });
});
