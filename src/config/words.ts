import { oneLine } from "#base";
import { formatOrigin, type ConfigProblem, type ConfigProblemCode, type Origin } from "./problems.ts";
import type { UnreadVariable } from "./unread-variables.ts";

/** More lines than this are not read; the count of the rest is. */
const LINES_MAX = 50;

/** Problems as lines for people, in the order of the places they are at. No line holds a configured value. */
export function describeProblems(problems: readonly ConfigProblem[]): readonly string[] {
  const lines = problems.slice(0, LINES_MAX).map(describeProblem);
  const rest = problems.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
}

/** `config/silas.yaml:3:5 channels.web.port: expected a whole number from 0 to 65535` */
export function describeProblem(problem: ConfigProblem): string {
  const key = problem.key === null ? "" : `${shorten(problem.key)}: `;
  return oneLine(`${place(problem.origin)} ${key}${SENTENCES[problem.code](problem)}`);
}

/** `SILAS_PORT is not read; did you mean SILAS_CHANNELS__WEB__PORT?` The value is in no line. */
export function describeUnread({ name, nearest }: UnreadVariable): string {
  const meant = nearest === null ? "" : `; did you mean ${nearest}?`;
  return oneLine(`the variable ${shorten(name)} is not read${meant}`);
}

function place(origin: Origin): string {
  return origin.kind === "file" ? `${origin.file}:${origin.line}:${origin.column}` : formatOrigin(origin);
}

/** A key out of a broken file may be anything, also very long. */
function shorten(key: string): string {
  return key.length > 120 ? `${key.slice(0, 120)}…` : key;
}

const other = (problem: ConfigProblem): string => problem.others[0] ?? "";

const SENTENCES: Readonly<Record<ConfigProblemCode, (problem: ConfigProblem) => string>> = {
  alias_refused: () => "aliases (*name) are not allowed; write the value again",
  ambiguous_scalar: () => "YAML versions read this differently; write true or false, a plain decimal number, or quotes",
  anchor_refused: () => "anchors (&name) are not allowed; write the value where it is used",
  auto_approve_refused: () => "must be empty: nothing may approve itself",
  batch_over_max: (problem) => `must be at least ${other(problem)}`,
  bounds_inverted: (problem) => `must be below ${other(problem)}`,
  description_lint_not_deterministic: () => "needs fixed lint rules; a model alone may not decide it",
  directive_refused: () => "directives (%) are not allowed",
  document_too_complex: () => "the document has too many parts",
  document_too_deep: () => "the document is nested too deeply",
  document_too_large: () => "the file is larger than 1 MiB",
  duplicate_key: () => "this key is already written above in the same map",
  file_missing: () => "there is no such file",
  file_not_text: () => "the file is not UTF-8 text",
  file_unreadable: () => "the file cannot be read",
  foreign_directory: () => "holds files that are not Silas's; choose an empty or a new folder",
  gate_name_repeated: () => "two gates have the same name",
  home_unknown: () => "is empty or no absolute path; set it to your home directory",
  hysteresis_inverted: (problem) => `must be smaller than ${other(problem)}`,
  hysteresis_too_narrow: (problem) => `must differ from ${other(problem)} by at least autonomy.hysteresis_delta`,
  import_without_report: (problem) => `must be true while ${other(problem)} is true`,
  invalid_reference: () => "a reference is written ${NAME}; write $${ for the characters themselves",
  key_not_text: () => "a key must be text; put it in quotes",
  merge_key_refused: () => "merge keys (<<) are not allowed; write the values out",
  missing_key: () => "is missing and has no default here",
  nonce_ttl_too_short: (problem) => `must be at least ${other(problem)}`,
  not_a_map: () => 'the file must be a map that begins with "silas:"',
  not_a_directory: () => "is a file, or lies below one; choose a folder",
  not_inside_data_dir: (problem) => `must be a directory inside ${other(problem)}`,
  number_refused: () => "this number cannot be kept exactly",
  pinned_text_over_cap: (problem) => `is too small for the pinned system text, of which ${other(problem)} is part`,
  profile_over_budget: () => "the shares together may be at most 0.80",
  profile_unknown: () => "there is no context profile of that name",
  remote_without_tls: (problem) =>
    `${other(problem)} is not loopback, so set this and channels.web.tls.key, or channels.web.trusted_proxies`,
  remote_without_token: (problem) =>
    `${other(problem)} is not loopback, so a token is needed; set SILAS_CHANNELS__WEB__AUTH_TOKEN`,
  same_directory: (problem) => `must be another directory than ${other(problem)}`,
  secret_in_file: ({ variable }) =>
    `a secret may not stand in a file; set ${variable} in the environment, and write nothing or \${${variable}} here`,
  secret_in_flag: ({ variable }) => `a secret may not stand in a command; set ${variable} in the environment`,
  several_documents: () => "the file holds more than one document",
  suggestions_without_scheduler: (problem) => `needs ${other(problem)} to be true`,
  sync_execution_refused: () => "must be false: an approval does not wait for its run; `silas run FILE` does",
  system_directory: () => "belongs to the system or holds folders of others; choose a folder of its own",
  tag_refused: () => "tags (!name) are not allowed",
  timezone_unknown: () => "there is no time zone of that name",
  tls_incomplete: (problem) => `needs ${other(problem)} beside it`,
  unknown_key: ({ nearest }) => `there is no such key${nearest === null ? "" : `; did you mean ${nearest}?`}`,
  unresolved_reference: ({ variable }) => `the environment has no ${variable}`,
  world_writable: () => "everyone may write there; take that permission away (chmod o-w)",
  wrong_value: ({ expected }) => `expected ${expected}`,
  yaml_syntax: () => "this is not valid YAML",
};
