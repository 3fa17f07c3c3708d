import { dollars, neutralise, oneLine, type JsonValue } from "#base";
import { predicatesOf, type ShownPlan } from "#model";

export const quantity = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** An argument list as one line: a word that could be misread stands in quotes, with its line breaks written out. */
export function shownCommand(argv: readonly string[]): string {
  return argv.map((word) => (PLAIN_WORD.test(word) ? word : neutralise(JSON.stringify(word)))).join(" ");
}
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

const EXPECTATIONS: { readonly [predicate: string]: (value: string) => string } = {
  exit_code: (value) => `ends with code ${value}`,
  equals: (value) => `prints exactly ${value}`,
  contains: (value) => `prints ${value}`,
  regex: (value) => `prints what matches ${value}`,
  output_lt: (value) => `prints a number below ${value}`,
  output_gt: (value) => `prints a number above ${value}`,
  file_exists: (value) => `leaves the file ${value}`,
  not_empty: () => "prints something",
};

/** What a check waits for; an expectation nobody has words for is shown as it is written. */
export function expectationWords(expect: Readonly<Record<string, JsonValue>>): string {
  const set = predicatesOf(expect);
  const words = set.map((name) => EXPECTATIONS[name]?.(oneLine(JSON.stringify(expect[name]))));
  return words.length > 0 && words.every((word) => word !== undefined)
    ? words.join(", ")
    : oneLine(JSON.stringify(expect));
}

/** Two sentences made of counts and limits only, so that no text of the proposer argues for itself. [CARD-01] */
export function planRationale({ type, budget, verify: own, capabilities, children }: ShownPlan): string {
  const tasks = children.filter((child) => child !== null);
  const uses = [capabilities, ...tasks.map((task) => task.capabilities)];
  const verify = [...own, ...tasks.flatMap((task) => task.verify)];
  const commands = uses.reduce((sum, one) => sum + one.commands.length, 0);
  const isOnline = uses.some((one) => one.hosts.length > 0 || one.commands.some(({ network }) => network));
  const limits = `at most ${quantity(budget.max_attempts, "attempt")}, ${quantity(budget.max_wall_time_seconds, "second")} and ${dollars(budget.max_cost_usd)}`;
  const places = uses.reduce((sum, one) => sum + one.files_write.length, 0);
  const writes = places === 0 ? "" : `, may change files in ${quantity(places, "place")} outside its workspace`;
  const reach = `${isOnline ? "with network" : "without network"}${writes}`;
  const first = `This ${type} names ${quantity(commands, "command")}, ${reach}, and may use ${limits}.`;
  return `${first} ${doneWords(verify.length)}`;
}

function doneWords(checks: number): string {
  if (checks === 0) return "No check outside the model decides whether it is done, so its result would be unverified.";
  return checks === 1
    ? "One check outside the model decides whether it is done."
    : `${checks} checks outside the model decide whether it is done.`;
}
