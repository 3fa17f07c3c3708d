import {
  decimal,
  flag,
  group,
  key,
  many,
  nameMap,
  nullable,
  oneOf,
  required,
  whole,
  type ConfigGroup,
  type ConfigOf,
} from "../config-nodes.ts";
import { CREDENTIAL } from "./credential-records.ts";
import {
  together,
  skillName,
  artifactKey,
  text,
  idOrNull,
  ids,
  names,
  command,
  longText,
  longLine,
  several,
  partsOf,
  stepsOf,
} from "./work-keys.ts";
import {
  briefing,
  instant,
  nullableGroup,
  outside,
  parameters,
  range,
  shownLine,
  workId,
  workName,
} from "./work-kinds.ts";

/**
 * The records of work, written in the words of the configuration schema: one statement per field gives its wire name,
 * parser, default and meaning, and the one codec turns wire names into names inside TypeScript and back.
 */

const WORK_TYPES = ["task", "project", "goal"] as const;
const WORK_STATUSES = ["pending", "running", "healthy", "done", "failed", "stuck", "blocked", "paused"] as const;
const AGENT_LANES = ["ephemeral", "stream"] as const;
const INTERACTION_MODES = ["default_and_offer", "act_and_report", "confirm_only_when_required"] as const;
export const ESCALATION_ACTIONS = [
  "report",
  "escalate_human",
  "transfer_to_queue",
  "suppress_and_rephrase",
  "suppress_and_escalate",
  "respond",
  "spawn_task",
  "retry",
] as const;

const DAY_SECONDS = 86_400;
// A limit counts as reached when use equals it, so a limit of zero would forbid the first action.
const BUDGET = group({
  max_tokens: key(whole(1, 1_000_000_000), { is: 200_000, doc: "Tokens all model calls together may use." }),
  max_cost_usd: key(decimal(0.01, 10_000), { is: 2, doc: "Dollars all model calls together may cost." }),
  max_wall_time_seconds: key(whole(1, 30 * DAY_SECONDS), { is: 1800, doc: "Time from start to end." }),
  max_attempts: key(whole(1, 100), { is: 5, doc: "Attempts before the work counts as stuck." }),
  max_planner_calls: key(whole(0, 100), { is: 3, doc: "Times the planner may be asked for advice." }),
});

const BUDGET_USED = group({
  tokens: key(whole(0, Number.MAX_SAFE_INTEGER), { is: 0, doc: "Tokens used." }),
  cost_usd: key(decimal(0, 1e12), { is: 0, doc: "Dollars used." }),
  wall_time_seconds: key(decimal(0, 1e12), { is: 0, doc: "Seconds used." }),
  attempts: key(whole(0, Number.MAX_SAFE_INTEGER), { is: 0, doc: "Attempts made." }),
  planner_calls: key(whole(0, Number.MAX_SAFE_INTEGER), { is: 0, doc: "Planner calls made." }),
  executor_runs: key(whole(0, Number.MAX_SAFE_INTEGER), { is: 0, doc: "Runs of the executor." }),
});

/** Exactly one of these is set; `predicatesOf` says which. */
const EXPECTATION = group({
  exit_code: key(nullable(whole(0, 255)), { is: null, doc: "The command ends with this code." }),
  equals: text("The output is this text; one line break at its end does not count."),
  contains: text("The output contains this text."),
  regex: key(nullable(longLine("patternChars")), { is: null, doc: "The output matches." }),
  output_lt: key(nullable(decimal(-1e15, 1e15)), { is: null, doc: "The output is a number below this." }),
  output_gt: key(nullable(decimal(-1e15, 1e15)), { is: null, doc: "The output is a number above this." }),
  file_exists: key(nullable(longLine("pathChars")), { is: null, doc: "This file exists." }),
  not_empty: key(nullable(flag()), { is: null, doc: "There is output." }),
});

const VERIFICATION_CHECK = group({
  name: required(shownLine(), "Name of the check."),
  run: required(command(), "The command, split into words without a shell."),
  expect: EXPECTATION,
  timeout: key(whole(1, DAY_SECONDS), { is: 60, doc: "Seconds after which it is ended and has failed." }),
  network: key(flag(), { is: false, doc: "Whether it may use the network." }),
});

/** One step: a command line in `run`, or a `tool` with its `args`. Which tools there are is decided elsewhere. */
export const STEP = group({
  name: required(shownLine(), "Name of the step."),
  run: key(nullable(command()), { is: null, doc: "The command, split into words without a shell." }),
  tool: key(nullable(workName()), { is: null, doc: "The tool, in place of a command." }),
  args: key(parameters(), { is: {}, doc: "What the tool is told." }),
  artifacts: nameMap(required(longLine("pathChars"), "A file in the workspace."), {
    fallback: {},
    doc: "Files it leaves, by name.",
  }),
  timeout: key(whole(1, DAY_SECONDS), { is: 300, doc: "Seconds after which it is ended and has failed." }),
  network: key(flag(), { is: false, doc: "Whether it may use the network." }),
  credentials: nameMap(CREDENTIAL, { fallback: {}, doc: "Secrets it uses, by a name of its own." }),
});

/** Places of the machine that work may reach besides its own workspace. */
const FILES = group({
  read: key(several(longLine("pathChars")), { is: [], doc: "Files and folders it may read." }),
  write: key(several(longLine("pathChars")), { is: [], doc: "Files and folders it may read and change." }),
});

/** A repository of this machine, and the commit whose files the workspace begins with. */
const REPOSITORY = group({
  path: required(longLine("pathChars"), "The folder of the repository."),
  ref: key(
    shownLine({
      pattern: /^(?!.*(?:\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9._/-]*$/,
      expected: "a branch, a tag or the id of a commit",
    }),
    { is: "HEAD", doc: "A branch, a tag or a commit." },
  ),
});

/** What a goal looks for and asks about many at a time; it does nothing to any of it by itself. */
const REVIEWED_BATCHES = group({
  action: key(oneOf(["move_files"]), { is: "move_files", doc: "What would be done, once you approve it." }),
  folder: required(longLine("pathChars"), "The folder whose files are looked at."),
});

export const GATE = group({
  name: required(shownLine(), "Name of the gate."),
  on: required(oneOf(["every_user_message", "every_agent_response", "after_step", "on_tool_call"]), "When it runs."),
  after_step: key(nullable(whole(0, 10_000)), { is: null, doc: "The step it runs after." }),
  provider: key(oneOf(["guardrails_ai", "predicate", "llm", "script", "custom"]), {
    is: "predicate",
    doc: "Who checks.",
  }),
  type: key(oneOf(["numeric_range", "string_match", "regex", "file_valid", "approval_always", "custom_check"]), {
    is: "string_match",
    doc: "What is checked.",
  }),
  check: key(nullable(shownLine()), { is: null, doc: "Name of the provider's check." }),
  config: key(parameters(), { is: {}, doc: "Parameters of the provider." }),
  extract: key(nullable(workName()), { is: null, doc: "Variable whose value is checked." }),
  auto_approve: key(nullable(range()), { is: null, doc: "Numbers that pass." }),
  require_approval: key(nullable(range()), { is: null, doc: "Numbers that need a decision." }),
  block: key(nullable(outside()), { is: null, doc: "Numbers outside these two are blocked." }),
  allowed_values: key(nullable(several(longText())), {
    is: null,
    doc: "Texts that pass.",
  }),
  approval_values: key(nullable(several(longText())), {
    is: null,
    doc: "Texts that need a decision.",
  }),
  on_block: key(workName(), { is: "report", doc: "Escalation when it blocks." }),
  check_command: key(nullable(command()), { is: null, doc: "Command of a custom_check." }),
  check_expect: nullableGroup(EXPECTATION),
  promote_to_policy: key(flag(), { is: false, doc: "Let an llm gate block." }),
});

const ESCALATION_ACTION = group({
  action: required(oneOf(ESCALATION_ACTIONS), "What happens."),
  queue: key(nullable(workName()), { is: null, doc: "Where a transfer goes." }),
  message: text("What the owner is told."),
  instruction: text("What a rephrasing is asked for."),
  max_retries: key(whole(0, 100), { is: 2, doc: "Retries before the fallback." }),
  fallback: key(nullable(workName()), { is: null, doc: "The escalation after that." }),
});

const ACCESS_LEVEL = group({
  description: required(longLine("titleChars"), "What the level is for."),
  tools: names("Tools of this level."),
  requires: key(several(shownLine()), { is: [], doc: "Gates that must pass to reach it." }),
  expires_after: key(nullable(whole(1, 366 * DAY_SECONDS)), { is: null, doc: "Seconds until it ends." }),
});

const planKeys = {
  id: required(workId(), "Identity of the work item."),
  type: required(
    oneOf(WORK_TYPES),
    "`task` runs once, `project` runs tasks in order, `goal` is checked on a schedule.",
  ),
  title: required(longLine("titleChars"), "What a person reads first."),
  parent: idOrNull("The project or goal it belongs to."),
  spawned_by: idOrNull("The item that made it."),
  follow_up_of: idOrNull("The finished item it deepens or corrects."),
  domain: key(
    nullable(
      shownLine({
        pattern: /^[a-z][a-z0-9_-]*(?::[a-z0-9*_-]+)*$/,
        expected: "a domain such as personal or business:shop",
      }),
    ),
    {
      is: null,
      doc: "The area of life whose rules apply.",
    },
  ),
  agent: key(oneOf(AGENT_LANES), { is: "ephemeral", doc: "Who works: a fresh sandbox, or the conversation itself." }),
  budget: BUDGET,
  needs_approval: key(flag(), { is: true, doc: "Kept for other tools; approval is always needed." }),
  interaction_mode: key(oneOf(INTERACTION_MODES), {
    is: "confirm_only_when_required",
    doc: "How much is asked while it runs.",
  }),
  input_artifacts_from: key(several(artifactKey()), {
    is: [],
    doc: "Results taken over from `follow_up_of`; `*` is all of them.",
  }),
  steps: stepsOf(STEP, "What is run, in this order, without a model."),
  executor: key(nullable(oneOf(["model"])), {
    is: null,
    doc: "`model`: a model chooses what is done, call by call, within the limits of the plan.",
  }),
  tools: names("Tools the model may call; without one it may call none."),
  files: FILES,
  repository: nullableGroup(REPOSITORY),
  reviewed_batches: nullableGroup(REVIEWED_BATCHES),
  hosts: key(several(longLine("titleChars")), { is: [], doc: "Hosts of the open internet it may reach." }),
  verify: partsOf(VERIFICATION_CHECK, "Checks outside the model that decide whether it is done."),
  gates: partsOf(GATE, "Checks while it runs."),
  skills: key(several(skillName()), {
    is: [],
    doc: "Skills it may use; left out, those of the parent.",
  }),
  access_levels: nameMap(ACCESS_LEVEL, { fallback: {}, doc: "Tools by level of access." }),
  escalation: nameMap(ESCALATION_ACTION, { fallback: {}, doc: "What happens when something blocks or fails." }),
  schedule: key(nullable(shownLine()), { is: null, doc: "When a goal is checked: five cron fields, or always_on." }),
  on_failure: key(workName(), { is: "report", doc: "Escalation when it fails." }),
  on_stuck: key(workName(), { is: "consult_planner", doc: "What happens when attempts are used up." }),
  failure_context: text("Template of a task that repairs; `$failed_checks` stands for what failed."),
  tasks: ids("Children of a project."),
  depends_on: ids("Items that must be done before."),
};

const runtimeKeys = {
  approval_token: key(nullable(parameters()), { is: null, doc: "The approval, once there is one." }),
  status: key(oneOf(WORK_STATUSES), { is: "pending", doc: "Where it stands." }),
  attempts: key(whole(0, 1_000_000), { is: 0, doc: "Attempts made." }),
  budget_used: BUDGET_USED,
  verification_results: key(many(parameters(), 1_000), { is: [], doc: "Results of every run of the checks." }),
  created_at: required(instant(), "When it was made."),
};

/** What a plan file may say in its front matter. */
export const FRONT_MATTER = group(planKeys);
/** What only the runtime writes. A plan that names one of these is refused. */
export const RUNTIME_STATE = group(runtimeKeys);

export const WORK_ITEM = group(
  together(together(planKeys, { body: required(briefing(), "The briefing, exactly as written.") }), runtimeKeys),
);

export type Expectation = ConfigOf<typeof EXPECTATION>;
export type Step = ConfigOf<typeof STEP>;
export type VerificationCheck = ConfigOf<typeof VERIFICATION_CHECK>;
export type Gate = Omit<ConfigOf<typeof GATE>, "checkExpect"> & { readonly checkExpect: Expectation | null };
export type EscalationAction = ConfigOf<typeof ESCALATION_ACTION>;
export type Repository = ConfigOf<typeof REPOSITORY>;
type ReviewedBatches = ConfigOf<typeof REVIEWED_BATCHES>;
export type WorkItem = Omit<ConfigOf<typeof WORK_ITEM>, "gates" | "repository" | "reviewedBatches"> & {
  readonly gates: readonly Gate[];
  readonly repository: Repository | null;
  readonly reviewedBatches: ReviewedBatches | null;
};

/** Wire names of the predicates an expectation sets. Zero and empty text are set; `not_empty: false` is not. */
export function predicatesOf(wire: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(EXPECTATION.children).filter((name) => {
    const value = Object.hasOwn(wire, name) ? wire[name] : null;
    return value !== null && value !== undefined && !(name === "not_empty" && value === false);
  });
}

/** True for a group whose absence is said with null. */
export function mayBeNull(node: ConfigGroup): boolean {
  return "nullable" in node;
}
