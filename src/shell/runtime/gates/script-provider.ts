import { canonicalJson, LIMITS } from "#base";
import { defaultSandboxConfig, sandboxWords, type Gate, type GateContext, type SandboxRun } from "#model";
import { judgePredicate, printedRewrite, printedValues, type ProviderAnswer } from "#policy";
import type { GateProvider, Sandboxes } from "#ports";
import { judgeOutput, splitCommand } from "#work";
import { findPattern, matchPattern } from "./linear-patterns.ts";
import { lookAtFile } from "./work-files.ts";

export type ScriptParts = {
  readonly sandboxes: Pick<Sandboxes, "open">;
  /** The gates' own folder: each check runs in a copy of it, and cannot change it. */
  readonly workDir: string;
  readonly memoryMb: number;
  readonly cpuSeconds: number;
};

/**
 * Checks that are programs: the command of the gate, as it is written, in a sandbox without network. INVARIANT: what is
 * checked reaches it as variables of its environment and in no other way, so that no value can change what is run.
 * [SCRIPT-01] [SCRIPT-02]
 */
export function createScriptProvider(parts: ScriptParts): GateProvider {
  return {
    async check(gate, context) {
      const words = gate.checkCommand === null ? null : splitCommand(gate.checkCommand);
      if (words === null || !words.ok) return block("settings_malformed", "The gate has no command that can be run");
      const ran = await runScript(parts, { argv: words.value, env: scriptEnv(gate, context) });
      return typeof ran === "string" ? block("script_not_run", ran) : judge(parts, { gate, context, ran });
    },
  };
}

/** The variables a script finds, by their fixed names; one that has no value is not there. */
function scriptEnv(gate: Pick<Gate, "name" | "on">, context: GateContext): Readonly<Record<string, string>> {
  const { message, response, tool, toolArgs, values } = context;
  const given: Readonly<Record<string, string | undefined>> = {
    SILAS_GATE: gate.name,
    SILAS_TRIGGER: gate.on,
    SILAS_MESSAGE: message,
    SILAS_RESPONSE: response,
    SILAS_TOOL: tool,
    SILAS_TOOL_ARGS: toolArgs === undefined ? undefined : jsonOf(toolArgs),
    SILAS_VALUES: values === undefined ? undefined : jsonOf(values),
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const jsonOf = (value: unknown): string => {
  const text = canonicalJson(value);
  return text.ok ? text.value : "null";
};

type Command = { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };

/** How it ended, or the words of why nothing ran. */
async function runScript(parts: ScriptParts, { argv, env }: Command): Promise<SandboxRun | string> {
  const { memoryMb, cpuSeconds, workDir } = parts;
  const usual = defaultSandboxConfig({ memoryMb, cpuSeconds });
  const config = { ...usual, workDir, limits: { ...usual.limits, timeoutMs: LIMITS.scriptGateMs } };
  const space = await parts.sandboxes.open(config);
  if (!space.ok) return sandboxWords(space.error).what;
  try {
    const ran = await space.value.run({ argv, env, timeoutMs: LIMITS.scriptGateMs });
    return ran.ok ? ran.value : sandboxWords(ran.error).what;
  } finally {
    await space.value.close();
  }
}

type Ran = { readonly gate: Gate; readonly context: GateContext; readonly ran: SandboxRun };

/** Everything the gate names must pass: its expectation, and the value it extracts. [SCRIPT-06] [SCRIPT-07] [SCRIPT-08] */
async function judge({ workDir }: ScriptParts, { gate, context, ran }: Ran): Promise<ProviderAnswer> {
  const { end, stdout: printed } = ran;
  const stdout = new TextDecoder().decode(printed.bytes);
  if (end.kind !== "exit") return block("script_failed", ENDS[end.kind]);
  const expect = gate.checkExpect;
  const isCodeExpected = expect !== null && expect.exitCode !== null;
  if (end.code !== 0 && !isCodeExpected) return block("script_failed", `The script ended with code ${end.code}`);
  if (expect !== null) {
    const fileExists = expect.fileExists === null ? null : await isThere(workDir, expect.fileExists);
    const check = { name: gate.name, run: gate.checkCommand ?? "", expect, timeout: 0, network: false };
    const run = { end, stdout, isTruncated: printed.isTruncated, fileExists };
    const { passed, reason } = judgeOutput({ check, run, findPattern });
    if (!passed) return block("script_refused", reason);
  }
  const modified = printedRewrite(stdout);
  const rewrite = modified === null ? {} : { modified_context: modified };
  if (gate.extract !== null) {
    if (printed.isTruncated) return block("script_failed", "The script printed too much to be read");
    const values = printedValues(stdout);
    // What the script says is checked, not what it was given.
    const seen: GateContext = { ...context, toolArgs: {}, values };
    return { ...judgePredicate({ gate, context: seen, match: matchPattern }), ...rewrite };
  }
  return { action: "continue", code: "passed", reason: "The script let it pass", value: shown(stdout), ...rewrite };
}

async function isThere(workDir: string, path: string): Promise<boolean> {
  return (await lookAtFile(workDir, path)).state === "file";
}

const ENDS = {
  timeout: `The script did not end within ${LIMITS.scriptGateMs / 1000} seconds`,
  signal: "The script was ended by a signal",
  limit: "The script reached a limit of its sandbox",
} as const;

const SHOWN_CHARS = 1_000;
const shown = (stdout: string): string => stdout.slice(0, SHOWN_CHARS).toWellFormed();

function block(
  code: "settings_malformed" | "script_not_run" | "script_failed" | "script_refused",
  reason: string,
): ProviderAnswer {
  return { action: "block", code, reason };
}
