import { LIMITS, oneLine, type YamlRefusalCode } from "#base";
import { describeProblem, type ConfigProblemCode } from "#config";
import { gateProblemWords, type GateProblemCode } from "#model";
import type { PlanFault } from "#ports";
import { ALL_TOOLS } from "#tools";
import type { PlanNotice, PlanProblem, PlanProblemCode } from "#work";
import type { FileProblem, FileProblemCode } from "./plan-file.ts";

type Problem = PlanProblem | FileProblem;

/** More lines than this are not read; the count of the rest is. */
const LINES_MAX = 50;
const KEY_CHARS = 120;

export function describePlanProblems(problems: readonly Problem[], file: string): readonly string[] {
  return linesShown(problems.map((problem) => describePlanProblem(problem, file)));
}

export function linesShown(lines: readonly string[]): readonly string[] {
  const rest = lines.length - LINES_MAX;
  return rest > 0 ? [...lines.slice(0, LINES_MAX), `and ${rest} more`] : lines;
}

/** `plan.md:4:3 budget.max_tokens: expected a whole number from 1 to 1000000000` */
export function describePlanProblem(problem: Problem, file: string): string {
  const { code, line, column } = problem;
  // Files of configuration and plans go through the same reader, and it refuses both in the same words.
  if (isYamlCode(code)) {
    const origin = { kind: "file", file, line, column } as const;
    return describeProblem({ code, key: null, origin, expected: null, nearest: null, variable: null, others: [] });
  }
  const key = problem.key === null ? "" : `${problem.key.slice(0, KEY_CHARS)}: `;
  return oneLine(`${file}:${line}:${column} ${key}${SENTENCES[code](problem)}`);
}

export function describeNotice({ code, line, about }: PlanNotice): string {
  return oneLine(`line ${line}: ${NOTICES[code](about)}`);
}

const YAML_CODES: Readonly<Record<YamlRefusalCode, true>> = {
  alias_refused: true,
  ambiguous_scalar: true,
  anchor_refused: true,
  directive_refused: true,
  document_too_complex: true,
  document_too_deep: true,
  document_too_large: true,
  duplicate_key: true,
  key_not_text: true,
  merge_key_refused: true,
  number_refused: true,
  several_documents: true,
  tag_refused: true,
  yaml_syntax: true,
};

function isYamlCode(code: string): code is YamlRefusalCode & ConfigProblemCode {
  return Object.hasOwn(YAML_CODES, code);
}

/** Whether there are words here for what a running Silas found. */
export function isKnownProblem(problem: PlanFault): problem is PlanFault & PlanProblem {
  return isYamlCode(problem.code) || Object.hasOwn(SENTENCES, problem.code);
}

const found = (problem: Problem): string => problem.found.join(", ");
const PROGRAMS = ALL_TOOLS.filter(({ effect }) => effect === "run").map(({ name }) => name);
const SCRIPT = "put the command into a script file and run that, e.g. `sh check.sh`";

type OwnCode = Exclude<PlanProblemCode, YamlRefusalCode> | FileProblemCode;

const SENTENCES: Readonly<Record<OwnCode, (problem: Problem) => string>> = {
  ...stepSentences(),
  agent_lane_invalid: () => "only a goal may use the lane stream; write ephemeral or leave it out",
  body_empty: () => "the briefing after the front matter is empty",
  body_too_large: () => `the briefing is longer than ${LIMITS.planBodyChars} characters`,
  byte_order_mark: () => "the file begins with a byte order mark; save it as UTF-8 without one",
  command_assignment: (problem) =>
    `${found(problem)} sets a variable, which needs a shell; write env ${found(problem)}… before the program`,
  command_empty: () => "names no program",
  command_expansion: (problem) =>
    `no shell reads this, so ${found(problem)} would not be expanded; put it in single quotes to mean the character, or ${SCRIPT}`,
  command_operator: (problem) => `no shell reads this, so ${found(problem)} is not allowed; ${SCRIPT}`,
  command_too_long: (problem) => `${found(problem)} are too many for one command; ${SCRIPT}`,
  command_unfinished: (problem) => `${found(problem)} has no end`,
  dependency_cycle: () => "the plan would wait for itself",
  escalation_cycle: () => "falls back on itself",
  file_missing: () => "there is no such file",
  file_unreadable: () => "it could not be read",
  front_matter_missing: () => "a plan begins with a line --- and its front matter",
  front_matter_not_map: () => "the front matter must be a map of keys and values",
  front_matter_too_large: () => `the front matter is longer than ${LIMITS.planFrontMatterChars} characters`,
  front_matter_unterminated: () => "the front matter has no closing line ---",
  gate_expectation_alone: () => "needs check_command beside it",
  gate_check_missing: gateWords,
  gate_check_unknown: gateWords,
  gate_config_refused: gateWords,
  gate_name_taken: gateWords,
  gate_pattern_missing: gateWords,
  gate_pattern_refused: gateWords,
  gate_provider_absent: gateWords,
  gate_step_missing: gateWords,
  gate_type_unfit: gateWords,
  host_refused: () =>
    "must be a full name in lower case or a public address, with a port if it is not 443, such as api.example.org or example.org:80",
  hosts_unused: () => "nothing uses them; write network: true where they are needed, or leave them out",
  lone_surrogate: () => "half of a surrogate pair has no UTF-8 form",
  missing_key: ({ expected }) => `is missing; it takes ${expected}`,
  name_repeated: () => "is there twice",
  network_without_hosts: () => "needs hosts beside it: the plan names every host that may be reached",
  not_a_file: () => "this is not a file",
  not_for_type: ({ expected }) => `belongs to a ${expected} only`,
  not_permitted: () => "reading it is not permitted",
  not_utf8: () => "this is not UTF-8",
  nul_character: () => "a NUL character is not text",
  path_refused: () => "must be a relative path inside the working directory, without .. and backslashes",
  pattern_refused: () =>
    "is not a pattern that can be run safely: no back-references, no look-around, no counts above 1000, correct syntax",
  plan_too_large: () => `larger than ${LIMITS.planBytes / 1_048_576} MiB`,
  predicate_missing: () =>
    "needs one predicate: exit_code, equals, contains, regex, output_lt, output_gt, file_exists or not_empty",
  predicate_repeated: (problem) => `takes exactly one predicate, and this has ${found(problem)}`,
  runtime_field: () => "is kept by Silas and cannot be set by a plan",
  schedule_invalid: () => "takes five cron fields such as */30 * * * *, or always_on",
  schedule_never: () => "names a day that no month has, so it would never be due",
  too_many_problems: () => "there are more problems than these",
  unknown_escalation: ({ nearest }) => `there is no such escalation${didYouMean(nearest)}`,
  unknown_key: ({ nearest }) => `there is no such key${didYouMean(nearest)}`,
  unsafe_text: () => "holds a control, invisible or direction-changing character",
  wrong_value: ({ expected }) => `expected ${expected}`,
};

/** What is said about steps, the places they may reach and the secrets they use. */
function stepSentences(): Readonly<Record<StepCode, (problem: Problem) => string>> {
  return {
    connection_offline: () => "reaches nothing: a step that uses a connection says network: true",
    holds_secret: (problem) =>
      `looks like a secret (${found(problem)}); store it with \`silas secrets set NAME\` and write NAME under credentials`,
    secret_scan_failed: () => "this could not be checked for passwords and keys",
    credential_host_not_granted: () => "must be one of the hosts of the plan, with the same port",
    credential_looks_like_secret: () =>
      "looks like a secret itself; replace that secret, keep the new one with `silas secrets set NAME`, and write NAME here",
    credential_not_for_tool: () => `are for run, ${PROGRAMS.slice(0, -1).join(", ")} and ${PROGRAMS.at(-1)} alone`,
    credential_offline: () => "is reached by a step with network: true alone",
    credential_piped: () => "belongs to a header; what is piped goes to the program and to no host",
    grant_missing: ({ expected }) => `must be ${expected}, or lie in one`,
    grant_overlaps: (problem) => `lies in ${found(problem)}, which is granted too; name each place once`,
    grant_refused: () =>
      "must be an absolute path without . and .., and not / or a place of the system such as /usr, /etc, /proc or /tmp",
    model_absent: () => "needs an AI model, and none is set up; `silas models show` says what is missing",
    not_with_steps: ({ expected }) => `does not work together with steps yet: ${expected}`,
    ask_runs_nothing: () => "has no effect beside a tool that asks: nothing runs there",
    ask_unanswerable: () => "needs two options with different values, or freetext: true",
    step_args_alone: () => "belong to a tool; a command line has its arguments in itself",
    skill_not_listed: () => "must be a skill that the plan lists under skills",
    skill_script_refused: ({ expected }) => `must be a script inside of the skill, as ${expected}`,
    step_has_both: () => "a step has either run or tool, not both",
    step_has_neither: () => "a step needs run with a command, or tool with args",
    step_path_refused: ({ expected }) => `must be a relative path without .. and backslashes, or lie in ${expected}`,
    steps_empty: () => "has no step; name at least one, or leave it out",
    steps_missing: () =>
      "are missing: nothing would carry this task out; name steps, or `executor: model` with its tools",
    steps_without_repair: () => "repair nothing: a goal runs them when its on_failure is spawn_task or leads to it",
    unknown_tool: (problem) =>
      problem.found.length === 0
        ? `there is no such tool${didYouMean(problem.nearest)}`
        : `${found(problem)} is not set up here; it needs search.provider and search.api_key in the configuration`,
  };
}
type StepCode = Extract<
  OwnCode,
  | `step_${string}`
  | `grant_${string}`
  | `credential_${string}`
  | `ask_${string}`
  | "connection_offline"
  | "holds_secret"
  | "secret_scan_failed"
  | "model_absent"
  | "not_with_steps"
  | `skill_${string}`
  | `steps_${string}`
  | "unknown_tool"
>;

/** Gates of plans and of the configuration are refused in the same words. */
function gateWords({ code, found: [about = "", gateName = ""], nearest }: Problem): string {
  return gateProblemWords({ code: code as GateProblemCode, found: about, gateName, nearest });
}

const didYouMean = (nearest: string | null): string => (nearest === null ? "" : `; did you mean ${nearest}?`);

const NOTICES: Readonly<Record<PlanNotice["code"], (about: string) => string>> = {
  approval_always_needed: () => "needs_approval: false has no effect; every plan is approved by you or not at all",
  check_says_nothing: (about) => `check "${about}" comes out the same whatever is done, and shows nothing`,
  heading_missing: (about) => `the briefing has no heading "# ${about}"`,
  hidden_characters: () => "this line holds characters that do not show, or change how others do",
  unverified: () => "the plan has no checks, so its result can only be unverified",
};
