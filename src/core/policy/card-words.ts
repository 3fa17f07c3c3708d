import { oneLine, plainName, type JsonValue } from "#base";
import { emptyChecksOf, predicatesOf, type ShownPlan, type ShownTask } from "#model";
import { namesOffered } from "#tools";

/** Ends with a whole character: half of one could neither be shown nor signed. */
export const cutLine = (text: string, charsMax: number): string =>
  text.length <= charsMax
    ? text
    : `${text
        .slice(0, charsMax - 1)
        .replace(/[\uD800-\uDBFF]$/, "")
        .trimEnd()}…`;

export const quantity = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * An argument list as one line: a word that could be misread stands in quotes, with its line breaks and its letters of
 * another alphabet among Latin ones written out.
 */
export function shownCommand(argv: readonly string[]): string {
  return argv.map((word) => (PLAIN_WORD.test(word) ? word : plainName(JSON.stringify(word)))).join(" ");
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

/** Two sentences made of counts only, so that no text of the proposer argues for itself; its limits stand beside. [CARD-01] */
export function planRationale(plan: ShownPlan): string {
  const { type, verify: own, capabilities, children } = plan;
  const tasks = children.filter((child) => child !== null);
  const uses = [capabilities, ...tasks.map((task) => task.capabilities)];
  const verify = [...own, ...tasks.flatMap((task) => task.verify)];
  const commands = uses.reduce((sum, one) => sum + one.commands.length, 0);
  const isOnline = uses.some((one) => one.hosts.length > 0 || one.commands.some(({ network }) => network));
  const places = uses.reduce((sum, one) => sum + one.files_write.length, 0);
  const writes = places === 0 ? "" : `, and may change files in ${quantity(places, "place")} outside its workspace`;
  const chosen = [plan, ...tasks].filter((one) => one["executor_kind"] === "model" && one.type === "task");
  const network = isOnline ? "with network" : "without network";
  if (chosen.length > 0) {
    const model = `A model chooses what ${type === "project" ? quantity(chosen.length, "task") : `this ${type}`} does, call by call, with ${toolsOf(chosen)}, ${network}${writes}${places === 0 ? "" : ", each time only after asking you"}.`;
    return `${model} ${doneWords({ checks: verify.length, empty: emptyIn([plan, ...tasks]) })}`;
  }
  const first = `This ${type} names ${quantity(commands, "command")}, ${network}${writes}.`;
  const empty = emptyIn([plan, ...tasks]);
  const heard = conversationWords(plan);
  // Nothing of it runs, so that there is no result to speak of.
  if (heard !== null && verify.length === 0) return `${first} ${heard}`;
  return [first, ...(heard === null ? [] : [heard]), doneWords({ checks: verify.length, empty })].join(" ");
}

const emptyIn = (all: readonly ShownTask[]): number => all.reduce((sum, one) => sum + emptyChecksOf(one).length, 0);

/** Names of Silas's own, so that they too argue for nothing. */
function toolsOf(chosen: readonly ShownTask[]): string {
  const listed = new Set(chosen.flatMap((one) => listOf(one["tools"])));
  const tools = namesOffered("plan", "executor").filter((tool) => listed.has(tool));
  return tools.length === 0 ? "no tool" : tools.join(", ");
}

const listOf = (tools: unknown): readonly unknown[] => (Array.isArray(tools) ? tools : []);

/** What a goal of the conversation changes for messages; null for every other plan. [WORK-06] */
function conversationWords(plan: ShownPlan): string | null {
  const { agent, gates, access_levels: levels } = plan as { readonly [field: string]: unknown };
  const heard = Array.isArray(gates) ? gates.filter((gate: unknown) => isHeard(gate)).length : 0;
  const named = typeof levels === "object" && levels !== null ? Object.keys(levels).length : 0;
  if (agent !== "stream" || heard + named === 0) return null;
  const parts = [...(heard === 0 ? [] : [quantity(heard, "gate")]), ...(named === 0 ? [] : [quantity(named, "level")])];
  return `Once approved it is in force for every message and reply (${parts.join(", ")}), in place of any goal before it.`;
}

const isHeard = (gate: unknown): boolean =>
  typeof gate === "object" &&
  gate !== null &&
  "on" in gate &&
  (gate.on === "every_user_message" || gate.on === "every_agent_response");

type Checks = { readonly checks: number; readonly empty: number };

function doneWords({ checks, empty }: Checks): string {
  if (checks === 0) return "No check outside the model decides whether it is done, so its result would be unverified.";
  if (checks === empty) return "Its checks come out the same whatever is done, so its result would be unverified.";
  const same = empty === 0 ? "" : ` ${empty} of them would come out the same whatever is done.`;
  return `${decideWords(checks)}${same}`;
}

function decideWords(checks: number): string {
  return checks === 1
    ? "One check outside the model decides whether it is done."
    : `${checks} checks outside the model decide whether it is done.`;
}
