/** A check as far as it decides anything: the words of its command, and its expectation by the names of the wire. */
type JudgedCheck = {
  readonly argv: readonly string[];
  readonly expect: Readonly<Record<string, unknown>>;
};

/**
 * Whether a check comes out the same whatever was done: its program looks at nothing, or its expectation takes any
 * output. Only what is plain to see is named; that a check is not named says nothing for it. [VER-02] [INV-03]
 */
export function saysNothing({ argv, expect }: JudgedCheck): boolean {
  if (expect["contains"] === "") return true;
  const { regex, file_exists: file } = expect;
  if (typeof regex === "string" && takesAnything(regex)) return true;
  // Whether a file is there is looked at beside the program.
  return typeof file !== "string" && looksAtNothing(argv, NESTED_MOST);
}

/** The commands of checks in a signed plan are named after them. */
type PlanOfChecks = {
  readonly verify: readonly { readonly name: string; readonly expect: JudgedCheck["expect"] }[];
  readonly capabilities: { readonly commands: readonly { readonly by: string; readonly argv: readonly string[] }[] };
};

/** The names of a plan's checks that say nothing. */
export const emptyChecksOf = ({ verify, capabilities: { commands } }: PlanOfChecks): readonly string[] =>
  verify.flatMap(({ name, expect }) => {
    const command = commands.find(({ by }) => by === `verify:${name}`);
    return command !== undefined && saysNothing({ argv: command.argv, expect }) ? [name] : [];
  });

/** Patterns that are found in every text, as people write them. */
const ANYTHING = new Set(["", "^", "$", ".*", ".*?", ".?", "(.*)", "^.*", ".*$", "(?s).*", "(?s)^.*$"]);
const takesAnything = (pattern: string): boolean => ANYTHING.has(pattern.replaceAll("[\\s\\S]", "."));

/** Programs that end and print the same in every folder. */
const CONSTANT = new Set(
  "true false : exit echo printf sleep pwd whoami id uname hostname arch nproc date seq env printenv".split(" "),
);
const SHELLS = new Set(["sh", "bash", "dash", "ash", "zsh"]);
/** Programs that only start the words after them. */
const STARTERS = new Set(["env", "command", "exec", "nice", "nohup", "time"]);
const NESTED_MOST = 4;

function looksAtNothing(argv: readonly string[], nested: number): boolean {
  const [first = "", ...rest] = argv;
  const program = first.split("/").at(-1) ?? "";
  if (nested === 0) return false;
  if (STARTERS.has(program) && rest.length > 0) return looksAtNothing(rest, nested - 1);
  const [option = "", text = ""] = rest;
  if (SHELLS.has(program) && /^-[a-z]*c$/.test(option)) return isConstantScript(text, nested - 1);
  if (/^python3?$/.test(program) && option === "-c") return CONSTANT_PROGRAM.test(text);
  if (program === "node" && /^-(?:e|p|-eval|-print)$/.test(option)) return CONSTANT_PROGRAM.test(text);
  return CONSTANT.has(program);
}

/** Plain commands one after the other; whatever reads, pipes or puts something in is not judged. */
function isConstantScript(text: string, nested: number): boolean {
  if (/[`$<>|()*?[\]{}\\]/.test(text.replaceAll("||", ";"))) return false;
  const commands = text.split(/;|&&|\|\||\n/).map((command) => command.trim());
  return commands.every((command) => command === "" || looksAtNothing(command.split(/\s+/), nested));
}

const CONSTANT_PROGRAM =
  /^\s*(?:(?:print|console\.log|(?:sys\.|process\.)?exit)\((?:"[^"\\]*"|'[^'\\]*'|[\d.]*|True|true)\)|pass|[\d.]+|import sys|\s)*;?\s*$/;
