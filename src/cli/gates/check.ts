import { LIMITS, oneLine } from "#base";
import { composeSandboxes } from "#compose";
import { parseYaml } from "#config";
import {
  activitySentence,
  GATE_TRIGGERS,
  gateResultToWire,
  type AuditEntry,
  type Gate,
  type GateContext,
  type GateFiring,
  type GateOutcome,
  type GateResult,
  type GateTrigger,
} from "#model";
import { createAuditRules } from "#policy";
import { createSystemGates, readPlan, systemClock, systemSha256, systemTimers } from "#runtime";
import { openRuntimeInMemory } from "#stores";
import { createInputReader } from "../canonical/input.ts";
import { loadSetup } from "../client/setup.ts";
import { readPlanFile } from "../plan/plan-file.ts";
import { safeJson } from "../plan/safe-json.ts";
import { describePlanProblems } from "../plan/words.ts";
import type { Call, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, usage } from "../terminal/failure.ts";
import { printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Options = {
  readonly on: string;
  readonly plan?: string;
  readonly step?: string;
  readonly value: readonly string[];
  readonly approved?: true;
  readonly json?: boolean;
};

/** A rehearsal: the real runner with the real gates, and a chain in memory in place of the owner's. */
export const checkText: Handler<Options> = async (call) => {
  const { config, paths } = loadSetup(call.environment);
  const firing = await readFiring(call);
  const { audit, close } = openRuntimeInMemory({ auditRules: createAuditRules(systemSha256), clock: systemClock });
  const searchPath = call.environment.env["PATH"] ?? "";
  const sandboxes = composeSandboxes({ config, stateDir: paths.stateDir, searchPath });
  const runner = createSystemGates({ config, audit, clock: systemClock, timers: systemTimers, sandboxes });
  const outcome = await runner.run(firing);
  const quality = await outcome.quality;
  await sandboxes.close();
  const recorded = await audit.entries({ beforeSeq: null, from: null, to: null, limit: LIMITS.pageRows });
  const entries = recorded.ok ? recorded.value.toReversed() : [];
  close();
  if (call.options.json) call.terminal.line(safeJson(wireOf(outcome, { quality, entries })));
  else describe(call.terminal, { outcome, firing, entries });
  return { continue: EXIT.ok, require_approval: EXIT.needsDecision, block: EXIT.failed }[outcome.verdict];
};

async function readFiring(call: Call<Options>): Promise<GateFiring> {
  const { options } = call;
  const trigger = GATE_TRIGGERS.find((name) => name === options.on);
  if (trigger === undefined) throw usage(`--on is ${GATE_TRIGGERS.join(", ")}, not "${options.on}".`);
  if ((trigger === "after_step") !== (options.step !== undefined)) throw usage("--step goes with --on after_step.");
  if (options.step !== undefined && !/^\d{1,5}$/.test(options.step)) throw usage("--step is a whole number.");
  return {
    trigger,
    context: contextOf(trigger, { text: await readText(call), values: readValues(options.value) }),
    itemGates: options.plan === undefined ? [] : await readPlanGates(call, options.plan),
    ...(options.step === undefined ? {} : { stepIndex: Number(options.step) }),
    toolArgsAre: options.approved ? "approved" : "proposed",
    actor: { kind: "terminal" },
    scopeId: "terminal",
  };
}

async function readText({ args: [text], outside }: Call<Options>): Promise<string | null> {
  if (text !== "-") return text ?? null;
  const bytes = await createInputReader(outside.stdin)("-", { bytesMax: LIMITS.bodyBytes });
  if (!bytes.ok) throw new CommandFailure({ what: "Standard input could not be read, or is longer than 1 MiB." });
  return new TextDecoder().decode(bytes.value);
}

type Values = { readonly [name: string]: string | number };

function readValues(pairs: readonly string[]): Values {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw usage(`--value is name=value, not "${pair}".`);
      const value = pair.slice(at + 1);
      return [pair.slice(0, at), /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(value) ? Number(value) : value];
    }),
  );
}

type Given = { readonly text: string | null; readonly values: Values };

function contextOf(trigger: GateTrigger, { text, values }: Given): GateContext {
  switch (trigger) {
    case "every_user_message":
      return { ...(text === null ? {} : { message: text }), values };
    case "every_agent_response":
      return { ...(text === null ? {} : { response: text }), values };
    case "on_tool_call":
      return { ...(text === null ? {} : { tool: text }), toolArgs: values };
    case "after_step":
      return { values };
  }
}

async function readPlanGates({ outside, here }: Call<Options>, file: string): Promise<readonly Gate[]> {
  const markdown = await readPlanFile(file, createInputReader(outside.stdin));
  const parsed = markdown.ok ? readPlan({ markdown: markdown.value, readYaml: parseYaml, at: here.now }) : markdown;
  if (parsed.ok) return parsed.value.item.gates;
  throw new CommandFailure({ what: describePlanProblems(parsed.error, file).join("\n"), kept: "Nothing was asked." });
}

type Seen = { readonly quality: readonly GateResult[]; readonly entries: readonly AuditEntry[] };

function wireOf(outcome: GateOutcome, { quality, entries }: Seen): object {
  const { verdict, firstBlock, escalation, policy, context, evaluations } = outcome;
  const { toolArgs, ...rest } = context;
  return {
    verdict,
    first_block: firstBlock === null ? null : firstBlock.gateName,
    escalation,
    policy: policy.map(gateResultToWire),
    quality: quality.map(gateResultToWire),
    context: { ...rest, ...(toolArgs === undefined ? {} : { tool_args: toolArgs }) },
    evaluations,
    would_record: entries.map(({ event, data }) => ({ event, data })),
  };
}

type Shown = {
  readonly outcome: GateOutcome;
  readonly firing: GateFiring;
  readonly entries: readonly AuditEntry[];
};

function describe(terminal: Terminal, { outcome, firing, entries }: Shown): void {
  const { policy, context, verdict, firstBlock, escalation } = outcome;
  if (policy.length > 0) {
    printTable(terminal, {
      columns: [{ header: "VERDICT" }, { header: "GATE" }, { header: "REASON", flexible: true }],
      rows: policy.map(({ action, gateName, reason }) => [action, gateName, reason]),
    });
  }
  for (const [name, value] of changedParts(firing.context, context)) terminal.line(`${name}: ${oneLine(value)}`);
  terminal.line(SENTENCES[verdict](firstBlock?.gateName ?? "", escalation ?? ""));
  for (const entry of entries) terminal.note(`would record: ${activitySentence(entry)}`);
}

const SENTENCES = {
  continue: () => "It goes on.",
  require_approval: () => "It waits for your decision.",
  block: (gate: string, escalation: string) => oneLine(`Blocked by ${gate}; ${escalation} follows.`),
} as const;

/** What goes on is not what came in. */
function changedParts(before: GateContext, after: GateContext): readonly (readonly [string, string])[] {
  const parts = [
    ["message", before.message, after.message],
    ["response", before.response, after.response],
    ["tool_args", JSON.stringify(before.toolArgs), JSON.stringify(after.toolArgs)],
  ] as const;
  return parts.flatMap(([name, from, to]) => (from === to || to === undefined ? [] : [[name, to] as const]));
}
