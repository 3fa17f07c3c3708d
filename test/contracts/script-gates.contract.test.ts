import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Gate, GateContext, GateTrigger } from "#model";
import { createSystemGates, systemClock, systemTimers } from "#runtime";
import { firingOf, gateOf } from "../gate-texts.ts";
import { openInMemory } from "../stores-in-memory.ts";
import { tempFolder, workbench } from "./sandbox-fixture.ts";

const { open } = workbench("subprocess");

/** Script gates in real sandboxes, with a folder of scripts. */
function world(files: Readonly<Record<string, string>>) {
  const folder = tempFolder();
  const workDir = join(folder, "data", "verify");
  mkdirSync(workDir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workDir, name), text);
  const { audit } = openInMemory();
  const run = (gate: Gate, context: GateContext, trigger: GateTrigger = "on_tool_call") =>
    createSystemGates({
      config: {
        gates: { system: [gate], llmDefaults: { timeoutSeconds: 1 } },
        limits: { maxGateEvalsPerTurn: 10 },
        sandbox: { verifyDir: workDir, defaultMemoryMb: 256, defaultCpuSeconds: 10 },
      },
      audit,
      clock: systemClock,
      timers: systemTimers,
      sandboxes: open(folder),
    }).run(firingOf({ trigger, context }));
  return { run, workDir };
}
const script = (checkCommand: string, fields: Partial<Gate> = {}): Gate =>
  gateOf({ name: "script", provider: "script", type: "custom_check", checkCommand, ...fields });

const HOSTILE = `'; rm -rf / #' "$(touch /workspace/hacked)" \`touch hacked\` \n; touch hacked`;

test("[SCRIPT-01] [SCRIPT-02] a hostile value arrives as it is, as data, and nothing else happens", async () => {
  const echo = 'printf "said: %s\\n" "$(printf %s "$SILAS_TOOL" | base64 -w0)"; ls';
  const { run, workDir } = world({ "check.sh": echo });
  const outcome = await run(script("sh check.sh", { extract: "said", type: "regex", config: { pattern: ".*" } }), {
    tool: HOSTILE,
    toolArgs: { [HOSTILE]: HOSTILE },
  });
  expect(outcome.verdict).toBe("continue");
  expect(Buffer.from(String(outcome.policy[0]?.value), "base64").toString()).toBe(HOSTILE);
  expect(readFileSync(join(workDir, "check.sh"), "utf8")).toBe(echo);
});

test("[SCRIPT-03] a script sees a copy of its folder and cannot change the folder, and finds no network", async () => {
  const { run, workDir } = world({ data: "kept", "check.sh": "echo changed > data; cat /proc/net/dev | grep -c eth" });
  const outcome = await run(script("sh check.sh", { checkExpect: expecting({ exitCode: 1 }) }), { tool: "x" });
  expect(outcome.verdict).toBe("continue");
  expect(readFileSync(join(workDir, "data"), "utf8")).toBe("kept");
});

test("[SCRIPT-05] a rewrite that a script prints is subject to the allowlist", async () => {
  const { run } = world({ "check.sh": `echo 'modified_context: {"message":"less","tool":"other"}'` });
  const outcome = await run(
    script("sh check.sh", { on: "every_user_message" }),
    { message: "more" },
    "every_user_message",
  );
  expect([outcome.verdict, outcome.context]).toEqual(["continue", { message: "less" }]);
  const broken = world({ "check.sh": "echo 'modified_context: {\"message\":7}'" });
  const refused = await broken.run(
    script("sh check.sh", { on: "every_user_message" }),
    { message: "more" },
    "every_user_message",
  );
  expect(refused).toMatchObject({ verdict: "block", firstBlock: { code: "mutation_malformed" } });
});

test("[SCRIPT-08] a script that fails, or is not there, blocks", async () => {
  const { run } = world({});
  for (const command of ["false", "sh missing.sh", "no-such-program"]) {
    expect((await run(script(command), { tool: "x" })).verdict, command).toBe("block");
  }
});

function expecting(fields: Partial<NonNullable<Gate["checkExpect"]>>): NonNullable<Gate["checkExpect"]> {
  const nothing = { exitCode: null, equals: null, contains: null, regex: null, outputLt: null, outputGt: null };
  return { ...nothing, fileExists: null, notEmpty: null, ...fields };
}
