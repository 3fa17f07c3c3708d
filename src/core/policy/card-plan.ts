import { neutralise, ok, oneLine, sha256Hex, type Result, type Sha256Hex } from "#base";
import {
  CARD_INTENT_CHARS,
  CTA_ROLES,
  projectionRows,
  readProjection,
  type Card,
  type CardCapabilities,
  type CardCheck,
  type Cta,
  type ProjectionRefusal,
  type RiskLevel,
  type ShownPlan,
} from "#model";
import { expectationWords, planRationale, quantity, shownCommand } from "./card-words.ts";
import { frictionFor, type StrongAuth } from "./friction.ts";
import { riskOf, type Reversibility, type RiskAction } from "./risk.ts";

export type PlanToShow = {
  /** The canonical text of the plan's projection. */
  readonly projection: string;
  /** How often the approval may be used. */
  readonly usesMax: number;
  readonly strongAuth: StrongAuth;
};

/**
 * The card that asks for a plan's approval. It is made of the projection alone: what is hashed is what is shown, and
 * the risk follows from what the plan would do. [CARD-01] [RISK-03]
 */
export function cardForPlan({ projection, usesMax, strongAuth }: PlanToShow): Result<Card, ProjectionRefusal> {
  const read = readProjection(projection);
  if (!read.ok) return read;
  const { plan, whole } = read.value;
  const riskLevel = riskOfPlan(plan);
  return ok({
    cardType: "plan_approval",
    intent: intentOf(plan),
    riskLevel,
    rationale: planRationale(plan),
    friction: [...frictionFor(riskLevel, strongAuth)],
    checks: plan.verify.map(checkOf),
    budget: budgetOf(plan),
    capabilities: capabilitiesOf(plan),
    affectedItems: affectedBy(plan),
    details: { state: detailsState(riskLevel), rows: [...projectionRows(whole)], notes: [] },
    planHash: sha256Hex(projection),
    ctas: orderCtas([
      { action: "decline", role: "decline", consequenceLabel: "Decline: nothing runs" },
      { action: "approve", role: "recommended", consequenceLabel: `Approve for ${quantity(usesMax, "run")}` },
    ]),
  });
}

/** What a plan would do, in the words of the risk table; nothing it says about itself counts. */
export function riskOfPlan({ type, capabilities, skill_digests: skills }: ShownPlan): RiskLevel {
  const actions: RiskAction[] = ["run_work"];
  if (type === "goal") actions.push("run_unattended");
  if (capabilities.secret_refs.length > 0) actions.push("use_secret");
  if (skills.some(({ sha256 }) => sha256 === null)) actions.push("use_unfixed_skill");
  return riskOf({ scope: "full_plan", actions, reversibility: reversibilityOf(capabilities) });
}

/** Recommended first, then what is safe, then declining. [CARD-03] */
export function orderCtas(ctas: readonly Cta[]): Cta[] {
  return ctas.toSorted((a, b) => CTA_ROLES.indexOf(a.role) - CTA_ROLES.indexOf(b.role));
}

/** [CARD-05] */
export function detailsState(risk: RiskLevel): "open" | "closed" {
  return risk === "low" || risk === "medium" ? "closed" : "open";
}

/** What stays inside the sandbox can be thrown away; what leaves the machine stays said. */
function reversibilityOf({ commands, hosts }: ShownPlan["capabilities"]): Reversibility {
  return hosts.length > 0 || commands.some(({ network }) => network) ? "lasting" : "reversible";
}

const INTENTS = { task: "Run", project: "Run the project", goal: "Keep to the goal" } as const;

function intentOf({ type, title }: ShownPlan): string {
  const whole = oneLine(`${INTENTS[type]}: ${title}`);
  if (whole.length <= CARD_INTENT_CHARS) return whole;
  let kept = "";
  for (const character of whole) {
    if (kept.length + character.length >= CARD_INTENT_CHARS) break;
    kept += character;
  }
  return `${kept}…`;
}

function checkOf({ name, run, expect, network, timeout }: ShownPlan["verify"][number]): CardCheck {
  return {
    name: oneLine(name),
    command: neutralise(run),
    expects: expectationWords(expect),
    network,
    timeoutSeconds: timeout,
  };
}

function budgetOf({ budget }: ShownPlan): Card["budget"] {
  return {
    maxTokens: budget.max_tokens,
    maxCostUsd: budget.max_cost_usd,
    maxWallTimeSeconds: budget.max_wall_time_seconds,
    maxAttempts: budget.max_attempts,
    maxPlannerCalls: budget.max_planner_calls,
  };
}

function capabilitiesOf({ capabilities, skill_digests: skills }: ShownPlan): CardCapabilities {
  const { commands, files, hosts, secret_refs: secretRefs } = capabilities;
  return {
    commands: commands.map(({ by, argv, network }) => ({ by: oneLine(by), command: shownCommand(argv), network })),
    files: files.map(oneLine),
    hosts: hosts.map(oneLine),
    secretRefs: secretRefs.map(oneLine),
    skills: skills.map(({ name, sha256 }) => ({ name: oneLine(name), sha256: sha256 as Sha256Hex | null })),
  };
}

function affectedBy({ capabilities, tasks }: ShownPlan): Card["affectedItems"] {
  const parts = [
    [tasks.length, "task"],
    [capabilities.files.length, "file"],
    [capabilities.hosts.length, "host"],
    [capabilities.secret_refs.length, "secret"],
  ] as const;
  const affected = parts.filter(([count]) => count > 0);
  if (affected.length === 0) return null;
  return {
    count: affected.reduce((sum, [count]) => sum + count, 0),
    summary: affected.map(([count, noun]) => quantity(count, noun)).join(", "),
  };
}
