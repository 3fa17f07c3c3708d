import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { err, LIMITS, ok } from "#base";
import type { Expectation, Gate, GateContext, SandboxConfig, SandboxRefusal, SandboxRun } from "#model";
import type { ProviderAnswer } from "#policy";
import type { SandboxCommand, Sandboxes } from "#ports";
import { judgeOutput, splitCommand } from "#work";
import { gateOf } from "../../../../test/gate-texts.ts";
import { findPattern } from "./linear-patterns.ts";
import { createScriptProvider } from "./script-provider.ts";

type Printing = { readonly stdout?: string; readonly end?: SandboxRun["end"]; readonly isTruncated?: boolean };
type Seen = { readonly config: SandboxConfig; readonly command: SandboxCommand };

/** A sandbox in which a program prints what it is told to; what it was asked to run is kept. */
function playing({ stdout = "", end = { kind: "exit", code: 0 }, isTruncated = false }: Printing = {}) {
  const seen: Seen[] = [];
  let open = 0;
  const output = (text: string) => ({ bytes: new TextEncoder().encode(text), isTruncated });
  const sandboxes: Pick<Sandboxes, "open"> = {
    open: async (config) => {
      open += 1;
      return ok({
        id: "space",
        workspace: "/nowhere",
        close: async () => void (open -= 1),
        run: async (command: SandboxCommand) => {
          seen.push({ config, command });
          return ok({ end, stdout: output(stdout), stderr: output(""), durationMs: 1 });
        },
      });
    },
  };
  return { seen, sandboxes, left: () => open };
}

const PLACE = { workDir: "/srv/gates", memoryMb: 64, cpuSeconds: 5 };
const script = (fields: Partial<Gate> = {}): Gate =>
  gateOf({
    name: "script",
    provider: "script",
    type: "custom_check",
    checkCommand: "node check.mjs --strict",
    ...fields,
  });
const NOTHING: Expectation = {
  exitCode: null,
  equals: null,
  contains: null,
  regex: null,
  outputLt: null,
  outputGt: null,
  fileExists: null,
  notEmpty: null,
};
type Asking = { readonly gate?: Partial<Gate>; readonly context?: GateContext };

async function ask(printing: Printing, { gate = {}, context = {} }: Asking = {}) {
  const { sandboxes, seen, left } = playing(printing);
  const answer = (await createScriptProvider({ ...PLACE, sandboxes }).check(script(gate), context)) as ProviderAnswer;
  expect(left()).toBe(0);
  return { answer, seen };
}
const answerTo = async (...given: Parameters<typeof ask>): Promise<ProviderAnswer> => (await ask(...given)).answer;

const hostile = fc.oneof(
  fc.constantFrom("'; rm -rf / #'", "$(touch x)", "`id`", 'a" b', "a\nb", "; ls", "--strict", "%s", "${HOME}", "\\"),
  fc.string({ unit: "binary", maxLength: 40 }).filter((text) => !text.includes("\0") && text.isWellFormed()),
);
const context: fc.Arbitrary<GateContext> = fc.record(
  {
    message: hostile,
    response: hostile,
    tool: hostile,
    toolArgs: fc.dictionary(hostile, hostile),
    values: fc.dictionary(hostile, fc.oneof(hostile, fc.integer())),
  },
  { requiredKeys: [] },
);

/**
 * The text and not what JSON.parse makes of it: the V8 of Node 24 reads the key "\\u0001" as a backslash once it has read
 * an object with that key in the same place.
 */
const sortedJson = (record: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  record === undefined
    ? undefined
    : `{${Object.keys(record)
        .toSorted()
        .map((key) => `${JSON.stringify(key)}:${JSON.stringify(record[key])}`)
        .join(",")}}`;

describe("what a script is given", () => {
  test("[SCRIPT-01] [SCRIPT-02] no value ever changes the command: it is in the environment, under its own name and nowhere else", async () => {
    const plain = await ask({}, { context: {} });
    const argv = plain.seen[0]?.command.argv;
    expect(argv).toEqual(["node", "check.mjs", "--strict"]);
    await fc.assert(
      fc.asyncProperty(context, async (given) => {
        const { seen } = await ask({}, { context: given });
        const [ran] = seen;
        expect(ran?.command.argv).toEqual(argv);
        expect(ran?.command.stdin).toBeUndefined();
        expect(ran?.config).toEqual(plain.seen[0]?.config);
        const { message, response, tool, toolArgs, values } = given;
        const env = ran?.command.env ?? {};
        expect(env["SILAS_MESSAGE"]).toBe(message);
        expect(env["SILAS_RESPONSE"]).toBe(response);
        expect(env["SILAS_TOOL"]).toBe(tool);
        expect(env["SILAS_TOOL_ARGS"]).toBe(sortedJson(toolArgs));
        expect(env["SILAS_VALUES"]).toBe(sortedJson(values));
        const known = ["SILAS_GATE", "SILAS_TRIGGER", "SILAS_MESSAGE", "SILAS_RESPONSE", "SILAS_TOOL"];
        expect([...known, "SILAS_TOOL_ARGS", "SILAS_VALUES"]).toEqual(expect.arrayContaining(Object.keys(env)));
      }),
      { numRuns: 200 },
    );
  });

  test("[SCRIPT-03] it runs in a copy of the gates' folder, without network or grants, for thirty seconds at most", async () => {
    const { seen } = await ask({});
    expect(seen[0]?.config).toMatchObject({
      workDir: "/srv/gates",
      network: "none",
      readPaths: [],
      writePaths: [],
      env: {},
    });
    expect(seen[0]?.config.limits.timeoutMs).toBe(30_000);
    expect(seen[0]?.command.timeoutMs).toBe(LIMITS.scriptGateMs);
  });
});

describe("what a script says", () => {
  test("[SCRIPT-03] [SCRIPT-08] time that is over, a signal, a limit or a code other than 0 blocks, whatever else is set", async () => {
    const ends: readonly SandboxRun["end"][] = [
      { kind: "timeout" },
      { kind: "signal", signal: "SIGKILL" },
      { kind: "limit", which: "memory" },
      { kind: "exit", code: 1 },
    ];
    for (const end of ends) {
      for (const gate of [
        {},
        { checkExpect: { ...NOTHING, contains: "ok" } },
        { extract: "a", type: "string_match" as const, allowedValues: ["ok"] },
      ]) {
        expect(await answerTo({ end, stdout: "a: ok" }, { gate })).toMatchObject({
          action: "block",
          code: "script_failed",
        });
      }
    }
  });

  test("[SCRIPT-08] with neither expectation nor extract it goes on, and carries what was printed", async () => {
    expect(await answerTo({ stdout: "all well" })).toMatchObject({ action: "continue", value: "all well" });
  });

  test("[SCRIPT-04] [SCRIPT-07] the value it names is judged as the predicate provider judges; a missing one blocks", async () => {
    const gate = { type: "numeric_range", extract: "amount", autoApprove: { min: 0, max: 9 } } as const;
    const verdicts = [
      ["amount: 7", "continue"],
      ["noise\namount: 1:2\n amount : 7 \nmore", "continue"],
      ["amount: 10", "block"],
      ["amount: 1:2", "block"],
      ["amount 7", "block"],
      ["modified_context: 7", "block"],
    ] as const;
    for (const [stdout, action] of verdicts)
      expect(await answerTo({ stdout }, { gate }), stdout).toMatchObject({ action });
    // An argument of the call with the same name is not what the script said.
    const own = await answerTo({ stdout: "" }, { gate, context: { toolArgs: { amount: 7 }, values: { amount: 7 } } });
    expect(own).toMatchObject({ action: "block", code: "value_missing" });
    expect(await answerTo({ stdout: "amount: 7", isTruncated: true }, { gate })).toMatchObject({ action: "block" });
  });

  test("[SCRIPT-06] [SCRIPT-09] its expectation is judged by the code that judges checks, for every kind of it", async () => {
    const kinds: readonly Partial<Expectation>[] = [
      { equals: "7" },
      { contains: "7" },
      { regex: "^7$" },
      { outputLt: 8 },
      { outputGt: 6 },
      { notEmpty: true },
      { exitCode: 0 },
      { exitCode: 3 },
      { fileExists: "no" },
    ];
    for (const kind of kinds) {
      for (const stdout of ["7", "8", "", "seven"]) {
        for (const code of [0, 3]) {
          const wanted = { ...NOTHING, ...kind };
          const end = { kind: "exit", code } as const;
          const check = { name: "g", run: "x", expect: wanted, timeout: 1, network: false };
          const { passed } = judgeOutput({
            check,
            run: { end, stdout, isTruncated: false, fileExists: false },
            findPattern,
          });
          const isRefused = code !== 0 && kind.exitCode === undefined;
          const answer = await answerTo({ stdout, end }, { gate: { checkExpect: wanted } });
          expect(answer.action, JSON.stringify([kind, stdout, code])).toBe(passed && !isRefused ? "continue" : "block");
        }
      }
    }
  });

  test("[SCRIPT-07] with an expectation and an extract both must pass", async () => {
    const gate = {
      type: "string_match",
      extract: "who",
      allowedValues: ["me"],
      checkExpect: { ...NOTHING, contains: "done" },
    } as const;
    expect(await answerTo({ stdout: "who: me\ndone" }, { gate })).toMatchObject({ action: "continue" });
    expect(await answerTo({ stdout: "who: me" }, { gate })).toMatchObject({ action: "block" });
    expect(await answerTo({ stdout: "who: you\ndone" }, { gate })).toMatchObject({ action: "block" });
  });

  test("[SCRIPT-05] the line modified_context is its rewrite, for the runner to judge; what is no JSON stays a text", async () => {
    const rewrite = { message: "less", other: 1 };
    const stdout = `fine\nmodified_context: ${JSON.stringify(rewrite)}\n`;
    expect((await answerTo({ stdout })).modified_context).toEqual(rewrite);
    expect((await answerTo({ stdout: "modified_context: {broken" })).modified_context).toBe(" {broken");
    expect(await answerTo({ stdout: "fine" })).not.toHaveProperty("modified_context");
  });
});

test("where no program can be isolated the gate blocks, with the reason", async () => {
  const refusal: SandboxRefusal = {
    code: "sandbox_unsupported",
    backend: "subprocess",
    reason: "bwrap_missing",
    detail: null,
  };
  const provider = createScriptProvider({ ...PLACE, sandboxes: { open: async () => err(refusal) } });
  expect(await provider.check(script(), {})).toEqual({
    action: "block",
    code: "script_not_run",
    reason: "bubblewrap is not installed",
  });
});

test("a gate without a command, or with one that needs a shell, blocks and runs nothing", async () => {
  for (const checkCommand of [null, "a | b", "a > b", ""]) {
    const { answer, seen } = await ask({}, { gate: { checkCommand } });
    expect(answer).toMatchObject({ action: "block", code: "settings_malformed" });
    expect(seen).toEqual([]);
    expect(checkCommand === null || !splitCommand(checkCommand).ok).toBe(true);
  }
});
