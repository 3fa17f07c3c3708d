import { HIGH_RISK_CALL, type GateResult, type KeptRequest } from "#model";
import type { Clock, GateRunner, Randomness } from "#ports";
import type { GateMoment, GatesHeld, GatesPassed, RunState } from "#work";
import type { LoadedPlan } from "../load-plan.ts";
import type { ConnectionUses } from "../../connections/uses.ts";
import { performGates, type Held } from "../perform-gates.ts";
import { prepareEscalation } from "./prepare-escalation.ts";
import { prepareQuestion } from "./prepare-question.ts";

type Deps = {
  readonly gates: GateRunner;
  readonly connections: Pick<ConnectionUses, "judge" | "isLent">;
  readonly clock: Clock;
  readonly randomness: Randomness;
};
type Asking = {
  readonly loaded: LoadedPlan;
  readonly state: RunState;
  readonly stopping: Promise<void>;
  readonly moment: GateMoment;
};
type Answered = {
  readonly outcome: GatesPassed | GatesHeld;
  /** The request to be kept if the run waits for the owner now. */
  readonly request: KeptRequest | null;
};

/**
 * Asks the gates of a run; where one of them wants a decision before a step, the question to the owner is made ready. A
 * step that uses more of a connection than it was granted asks for that, and for the others on the same card. [PERM-02]
 */
export async function askGates(deps: Deps, { loaded, state, stopping, moment }: Asking): Promise<Answered> {
  const { item: plan, grant } = loaded;
  const asked = await performGates({ gates: deps.gates, plan, runId: grant.runId, stopping }, moment);
  const outcome = withRisk(asked, moment);
  const escalation = await prepareEscalation(deps, { loaded, state, moment, outcome });
  if (escalation !== null) return escalation;
  if (outcome.pass) return { outcome, request: null };
  const { pass, error, asks } = outcome;
  const prepared =
    asks === undefined || moment.trigger !== "on_tool_call"
      ? null
      : prepareQuestion(deps, { loaded, state, moment, asks });
  if (prepared === null) return { outcome: { pass, error }, request: null };
  return { outcome: { pass, error, ask: prepared.ask }, request: prepared.request };
}

/** What the call of a model may do outside is asked about beside whatever gates ask, and no gate lets it pass. [APPR-23] */
function withRisk(outcome: GatesPassed | Held, moment: GateMoment): GatesPassed | Held {
  if (moment.trigger !== "on_tool_call" || moment.risk === undefined) return outcome;
  const asker: GateResult = {
    gateName: HIGH_RISK_CALL,
    lane: "policy",
    action: "require_approval",
    code: "always_asks",
    reason: moment.risk,
    value: moment.tool,
    score: null,
    flags: [],
    modifiedContext: null,
  };
  if (outcome.pass) {
    const toolArgs = outcome.toolArgs ?? moment.toolArgs;
    return { pass: false, error: "it needs an approval of its own", asks: { toolArgs, by: [asker] } };
  }
  return outcome.asks === undefined
    ? outcome
    : { ...outcome, asks: { ...outcome.asks, by: [asker, ...outcome.asks.by] } };
}
