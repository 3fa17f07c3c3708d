import { frozen, ok, oneLine, plainMoment, plainName, type Result, type Sha256Hex } from "#base";
import {
  type ApprovalScope,
  CARD_INTENT_CHARS,
  CTA_ROLES,
  emptyChecksOf,
  projectionRows,
  readProjection,
  readsOnly,
  type Card,
  type CardCapabilities,
  type CardCheck,
  type Cta,
  type ProjectionRefusal,
  type ReadProjection,
  type RiskLevel,
  type ShownPlan,
  type ShownTask,
} from "#model";
import { expectationWords, planRationale, quantity, shownCommand } from "./card-words.ts";
import { frictionFor, type StrongAuth, highestRisk, riskOf, type Reversibility, type RiskAction } from "./risk.ts";

type PlanToShow = PlanTerms & {
  /** The canonical text of the plan's projection. */
  readonly projection: string;
};
type PlanTerms = {
  /** How often the approval may be used. */
  readonly usesMax: number;
  readonly strongAuth: StrongAuth;
};

/**
 * The card that asks for a plan's approval. It is made of the projection alone: what is hashed is what is shown, and
 * the risk follows from what the plan would do. [CARD-01] [RISK-03]
 */
export function cardForPlan({ projection, ...terms }: PlanToShow): Result<Card, ProjectionRefusal> {
  const read = readProjection(projection);
  return read.ok ? ok(cardOfPlan(read.value, terms)) : read;
}

/** The same of a projection that was read before. Its last card is cached with it. */
export function cardOfPlan(read: ReadProjection, terms: PlanTerms): Card {
  const known = made.get(read);
  if (known?.usesMax === terms.usesMax && known.strongAuth === terms.strongAuth) return known.card;
  const card = frozen(makeCard(read, terms));
  made.set(read, { ...terms, card });
  return card;
}
const made = new WeakMap<ReadProjection, PlanTerms & { readonly card: Card }>();

function makeCard({ plan, whole, planHash }: ReadProjection, { usesMax, strongAuth }: PlanTerms): Card {
  const riskLevel = riskOfPlan(plan);
  const capabilities = capabilitiesOf(plan);
  return {
    cardType: "plan_approval",
    intent: intentOf(plan),
    riskLevel,
    rationale: planRationale(plan),
    friction: [...frictionFor(riskLevel, strongAuth)],
    checks: [...checksOf(plan), ...tasksIn(plan).flatMap(taskChecks)],
    budget: budgetOf(plan),
    capabilities,
    affectedItems: affectedBy(plan, capabilities),
    details: { state: detailsState(riskLevel), rows: [...projectionRows(whole)], notes: [] },
    planHash,
    ctas: orderCtas([
      { action: "decline", role: "decline", consequenceLabel: "Decline: nothing runs" },
      { action: "approve", role: "recommended", consequenceLabel: approveWords(plan, usesMax) },
    ]),
  };
}

/** What a plan would do, in the words of the risk table, its tasks with it; nothing it says about itself counts. */
export function riskOfPlan(plan: ShownPlan): RiskLevel {
  const scope = plan.standing === null ? "full_plan" : "standing";
  return highestRisk([plan, ...tasksIn(plan)].map((one) => riskOfWork(one, scope)));
}

function riskOfWork(
  { type, capabilities, skill_digests: skills, executor_kind: kind }: ShownTask,
  scope: ApprovalScope,
): RiskLevel {
  const actions: RiskAction[] = ["run_work"];
  if (type === "goal") actions.push("run_unattended");
  if (capabilities.files_read.length > 0) actions.push("read_files");
  if (capabilities.files_write.length > 0) actions.push("write_files");
  const sees = capabilities.files_read.length + capabilities.files_write.length;
  // What a model is shown goes to the model, wherever that is.
  const isTold = reversibilityOf(capabilities) === "lasting" || kind === "model";
  if (sees > 0 && isTold) actions.push("read_files_online");
  if (capabilities.secret_refs.length > 0) actions.push("use_secret");
  for (const { permissions } of capabilities.connections)
    actions.push(permissions.every(readsOnly) ? "connect_to_read" : "connect_to_write");
  if (skills.some(({ sha256 }) => sha256 === null)) actions.push("use_unfixed_skill");
  return riskOf({ scope, actions, reversibility: reversibilityOf(capabilities) });
}

/** The tasks of a project that are known. */
const tasksIn = ({ children }: ShownPlan): readonly ShownTask[] => children.filter((child) => child !== null);

/** The choice says what exactly is agreed to: how many runs, and for a goal that stands how many more and until when. */
function approveWords({ children, standing }: ShownPlan, usesMax: number): string {
  if (standing !== null) {
    return `Approve, with up to ${quantity(standing.max_executions, "repair")} until ${plainMoment(standing.expires_at)}`;
  }
  if (children.length > 0) return `Approve with ${quantity(children.length, "task")}, each for 1 run`;
  return `Approve for ${quantity(usesMax, "run")}`;
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

const taskChecks = (task: ShownTask): readonly CardCheck[] =>
  checksOf(task).map((check) => ({ ...check, name: oneLine(`${task.id}: ${check.name}`) }));

/** One that says nothing says that: whoever reads only that there are checks would trust it. */
function checksOf(work: ShownTask): readonly CardCheck[] {
  const empty = new Set(emptyChecksOf(work));
  return work.verify.map((check) => {
    const shown = checkOf(check);
    return empty.has(check.name) ? { ...shown, expects: `${shown.expects} (the same whatever is done)` } : shown;
  });
}

function checkOf({ name, run, expect, network, timeout }: ShownPlan["verify"][number]): CardCheck {
  return {
    name: oneLine(name),
    command: plainName(run),
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

/** Of the plan and of its tasks: a command says whose it is, and what several use is named once. */
function capabilitiesOf(plan: ShownPlan): CardCapabilities {
  const all = [plan, ...tasksIn(plan)];
  const named = (pick: (work: ShownTask["capabilities"]) => readonly string[]) =>
    distinct(all.flatMap(({ capabilities }) => pick(capabilities).map((name) => plainName(oneLine(name)))));
  const skills = all.flatMap(({ skill_digests: digests }) => digests);
  const shownSkills = skills.map(({ name, sha256 }) => ({ name: oneLine(name), sha256: sha256 as Sha256Hex | null }));
  return {
    commands: all.flatMap((work) => commandsOf(work, work === plan ? "" : `${work.id} `)),
    files: named(({ files }) => files),
    filesRead: named(({ files_read: read }) => read),
    filesWrite: named(({ files_write: write }) => write),
    hosts: named(({ hosts }) => hosts),
    secretRefs: named(({ secret_refs: refs }) => refs),
    connections: all.flatMap((work) =>
      work.capabilities.connections.map(({ by, skill, connection_id, permissions }) => ({
        by: oneLine(`${work === plan ? "" : `${work.id} `}${by}`),
        skill: oneLine(skill),
        connection_id,
        permissions: permissions.map(oneLine),
      })),
    ),
    // Two digests under one name are two skills.
    skills: shownSkills.filter((one, at) => shownSkills.findIndex((other) => isSameSkill(one, other)) === at),
  };
}

type ShownSkill = CardCapabilities["skills"][number];
const isSameSkill = (a: ShownSkill, b: ShownSkill): boolean => a.name === b.name && a.sha256 === b.sha256;

const commandsOf = ({ capabilities }: ShownTask, whose: string): CardCapabilities["commands"] =>
  capabilities.commands.map(({ by, argv, network }) => ({
    by: oneLine(`${whose}${by}`),
    command: shownCommand(argv),
    network,
  }));

const distinct = (names: readonly string[]): string[] => [...new Set(names)];

function affectedBy(plan: ShownPlan, capabilities: CardCapabilities): Card["affectedItems"] {
  const { files, filesRead, filesWrite, hosts, secretRefs, connections } = capabilities;
  const parts = [
    [plan.tasks.length, "task"],
    [files.length, "file"],
    [filesRead.length, "readable path"],
    [filesWrite.length, "writable path"],
    [hosts.length, "host"],
    [secretRefs.length, "secret"],
    [distinct(connections.map((use) => use.connection_id)).length, "connection"],
  ] as const;
  const affected = parts.filter(([count]) => count > 0);
  if (affected.length === 0) return null;
  return {
    count: affected.reduce((sum, [count]) => sum + count, 0),
    summary: affected.map(([count, noun]) => quantity(count, noun)).join(", "),
  };
}
