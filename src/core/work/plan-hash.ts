import { assert, canonicalJson, sha256Hex, type JsonValue, type Sha256Hex } from "#base";
import { hostWords, parseHostRule, toSnake, WORK_ITEM, type StandingTerms, type Step, type WorkItem } from "#model";
import { toolOf } from "#tools";
import { splitCommand } from "./command-line.ts";
import { connectionUse } from "./steps/connection-use.ts";
import { callOf } from "./steps/tool-call.ts";

/** What the runtime knows about a plan besides its text, and what changes its effect just as much. */
export type PlanFacts = {
  /** Which kind of executor will run a plan without steps; null while none is chosen. */
  readonly executorKind: string | null;
  readonly skills: readonly SkillFact[];
  /** The projections of a project's tasks, as far as they are known. */
  readonly children: readonly PlanProjection[];
  /** How often and how long a goal may have a repairing task begun without asking again; null for never. */
  readonly standing: StandingTerms | null;
};
/** What a file on its own is known to have: no executor, no skills, no children, nothing that stands. */
export const FILE_ALONE: PlanFacts = { executorKind: null, skills: [], children: [], standing: null };
export type SkillFact = {
  readonly name: string;
  /** Digest of every byte of the skill's directory. */
  readonly treeDigest: Sha256Hex;
  readonly hosts: readonly string[];
  readonly secretRefs: readonly string[];
};

/** Everything that changes the effect of a plan, in wire form; what a person is shown and signs. */
export type PlanProjection = { readonly [K in (typeof PROJECTED)[number] | keyof Declared]: JsonValue };

type Declared = {
  readonly executor_kind: unknown;
  readonly skill_digests: unknown;
  readonly capabilities: unknown;
  readonly children: unknown;
  readonly standing: unknown;
};

const PROJECTED = [
  "id",
  "type",
  "title",
  "parent",
  "spawned_by",
  "follow_up_of",
  "domain",
  "agent",
  "budget",
  "body",
  "interaction_mode",
  "input_artifacts_from",
  "steps",
  "files",
  "repository",
  "reviewed_batches",
  "hosts",
  "verify",
  "gates",
  "skills",
  "access_levels",
  "escalation",
  "schedule",
  "on_failure",
  "on_stuck",
  "failure_context",
  "tasks",
  "depends_on",
] as const;

/** Projects an item: the plan's fields without the runtime's, and what they declare. All fields present. [PLAN-08] */
export function projectPlan(item: WorkItem, facts: PlanFacts): PlanProjection {
  const wire = toSnake(WORK_ITEM, item) as Readonly<Record<string, JsonValue | undefined>>;
  const fields = PROJECTED.map((name) => [name, wire[name] ?? null]);
  const factsBySkill = new Map(facts.skills.map((fact) => [fact.name, fact]));
  return {
    ...Object.fromEntries(fields),
    // The steps of a goal are those of its repairs; each of these is a task of its own, and says so.
    executor_kind: item.steps.length > 0 && item.type !== "goal" ? "steps" : (item.executor ?? facts.executorKind),
    skill_digests: item.skills.map((name) => ({ name, sha256: factsBySkill.get(name)?.treeDigest ?? null })),
    capabilities: capabilitiesOf(
      item,
      item.skills.flatMap((name) => factsBySkill.get(name) ?? []),
    ),
    // Each child whole, in the order of the project: what the project's hash covers is what its children would do.
    children: item.tasks.map((id) => facts.children.find((child) => child["id"] === id) ?? null),
    standing: facts.standing,
    // Without a model both are left out: such plans keep the hash they always had.
    ...(item.executor === null ? {} : { executor: item.executor }),
    ...(item.executor === null && item.tools.length === 0 ? {} : { tools: item.tools }),
  } as PlanProjection;
}

function capabilitiesOf(item: WorkItem, skills: readonly SkillFact[]): JsonValue {
  const called = item.steps.map((step) => ({ step, ...reachOf(step) }));
  const steps = called.map(({ step, argv, hosts }) => ({
    by: `step:${step.name}`,
    argv,
    network: step.network || hosts.length > 0,
  }));
  const checks = item.verify.map(({ name, run, network }) => ({ by: `verify:${name}`, argv: argvOf(run), network }));
  const gates = item.gates.flatMap(({ name, checkCommand }) =>
    checkCommand === null ? [] : [{ by: `gate:${name}`, argv: argvOf(checkCommand), network: false }],
  );
  const expectations = [
    ...item.verify.map(({ expect }) => expect),
    ...item.gates.map(({ checkExpect }) => checkExpect),
  ];
  return {
    commands: [...steps, ...checks, ...gates],
    files: sorted(expectations.flatMap((expect) => expect?.fileExists ?? [])),
    // A tree of a repository is a copy of what is read there.
    files_read: sorted([...item.files.read, ...(item.repository === null ? [] : [item.repository.path])]),
    files_write: sorted(item.files.write),
    hosts: sorted([
      ...item.hosts.map(shownHost),
      ...called.flatMap(({ hosts }) => hosts),
      ...skills.flatMap(({ hosts }) => hosts),
    ]),
    ...usesOf(item),
    secret_refs: sorted([...item.steps.flatMap(refsOf), ...skills.flatMap(({ secretRefs }) => secretRefs)]),
  };
}

/** With its port, also where the plan leaves it out. */
function shownHost(host: string): string {
  const rule = parseHostRule(host);
  return rule === null ? host : hostWords(rule);
}

/** What each step uses of a connection. Without any the key is left out: such plans keep the hash they always had. */
function usesOf({ steps }: WorkItem): { readonly connections?: JsonValue } {
  const uses = steps.flatMap((step) => {
    const use = connectionUse(callOf(step));
    if (use === null) return [];
    const { skill, connectionId: connection_id, permissions } = use;
    return [{ by: `step:${step.name}`, skill, connection_id, permissions: sorted(permissions) }];
  });
  return uses.length === 0 ? {} : { connections: uses };
}

const refsOf = ({ credentials }: Step): readonly string[] => Object.values(credentials).map(({ ref }) => ref);

/** The words of a step as a person is shown them, and hosts that its tool asks, whatever hosts the plan names. */
function reachOf(step: Step): { readonly argv: readonly string[]; readonly hosts: readonly string[] } {
  const { args, tool } = callOf(step);
  const entry = toolOf({ tool, args });
  return { argv: entry.shown(args), hosts: entry.touches(args).hosts };
}

function argvOf(command: string): readonly string[] {
  const words = splitCommand(command);
  // INVARIANT: the parser refused every command that does not split, so an item that holds one was not made by it.
  assert(words.ok, "PLAN-03 a command of a work item splits into words");
  return words.value;
}

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted();

/** The canonical text of a projection: RFC 8785 over the wire form. */
export function planBytes(projection: PlanProjection): string {
  const text = canonicalJson(projection);
  assert(text.ok, "PLAN-09 a projection has canonical bytes");
  return text.value;
}

/** What an approval is bound to. */
export function planHash(projection: PlanProjection): Sha256Hex {
  return sha256Hex(planBytes(projection));
}
