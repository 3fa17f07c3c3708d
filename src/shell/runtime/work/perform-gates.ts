import { canonicalJson } from "#base";
import type { GateContext, GateFiring, GateOutcome, GateResult, ToolArgs } from "#model";
import { printedValues } from "#policy";
import type { GateRunner } from "#ports";
import type { GateMoment, GatesHeld, GatesPassed, RunPlan } from "#work";

type Asking = {
  readonly gates: GateRunner;
  readonly plan: Pick<RunPlan, "gates">;
  readonly runId: string;
  /** Nobody waits for an answer any more once this is settled. */
  readonly stopping: Promise<void>;
};

/** Held, and before a step perhaps for the owner to decide: what would run, and every gate that asks about it. */
export type Held = Pick<GatesHeld, "pass" | "error"> & { readonly asks?: Asks };
export type Asks = { readonly toolArgs: ToolArgs; readonly by: readonly GateResult[] };

const STOPPED: Held = { pass: false, error: "Stopped before the gates had answered" };

/**
 * Asks the gates of one moment. What was approved may only become less; whatever is not a plain "go on" holds the run.
 * Advice is put on record by the runner and waited for by nobody. [WORK-23] [WORK-25]
 */
export async function performGates(asking: Asking, moment: GateMoment): Promise<GatesPassed | Held> {
  const { gates, plan, runId, stopping } = asking;
  const context = contextOf(moment);
  const firing: GateFiring = {
    trigger: moment.trigger,
    context,
    itemGates: plan.gates,
    toolArgsAre: "approved",
    actor: { kind: "system" },
    scopeId: runId,
    ...(moment.trigger === "after_step" ? { stepIndex: moment.stepIndex } : {}),
  };
  const outcome = await Promise.race([gates.run(firing), stopping]);
  if (outcome === undefined) return STOPPED;
  if (outcome.verdict !== "continue") return { pass: false, error: heldWords(outcome), ...asksIn(outcome, moment) };
  const { toolArgs, response } = outcome.context;
  return {
    pass: true,
    toolArgs: toolArgs === undefined || isSame(toolArgs, context.toolArgs) ? null : toolArgs,
    output: response === undefined || response === context.response ? null : response,
  };
}

/** Before a step its tool and arguments; after it what it printed, whole and as the values it names. */
function contextOf(moment: GateMoment): GateContext {
  if (moment.trigger === "on_tool_call") return { tool: moment.tool, toolArgs: moment.toolArgs };
  const { output } = moment;
  return { response: output, values: { ...printedValues(output), output } };
}

/** After a step there is nothing left to let through; what a gate asks about then ends the run. */
function asksIn({ verdict, policy, context }: GateOutcome, moment: GateMoment): Pick<Held, "asks"> {
  if (verdict !== "require_approval" || moment.trigger !== "on_tool_call") return {};
  const by = policy.filter(({ action }) => action === "require_approval");
  return by.length === 0 ? {} : { asks: { toolArgs: context.toolArgs ?? moment.toolArgs, by } };
}

function heldWords({ verdict, firstBlock, policy }: GateOutcome): string {
  const held = firstBlock ?? policy.find(({ action }) => action === verdict);
  if (held === undefined) return "A gate holds it";
  const asks = verdict === "require_approval" ? " asks for a decision, and nobody can be asked after a step" : "";
  return `Gate ${held.gateName}${asks}: ${held.reason}`;
}

function isSame(one: unknown, other: unknown): boolean {
  const texts = [canonicalJson(one), canonicalJson(other)] as const;
  return texts[0].ok && texts[1].ok && texts[0].value === texts[1].value;
}
