import { LIMITS } from "#base";
import * as z from "zod/mini";
import {
  flag,
  group,
  key,
  many,
  nullable,
  oneOf,
  required,
  whole,
  type ConfigGroup,
  type ConfigOf,
  type ValueKind,
} from "../config-nodes.ts";
import { isAnswerable } from "../ask/question-shapes.ts";
import { CONNECTION_ID, PERMISSION } from "../connection/connection-record.ts";
import { longLine, skillName } from "./work-keys.ts";
import { parameters, prose, shownLine } from "./work-kinds.ts";

/** The arguments of every tool a step may name, written in the words of the other records. */
export const TOOL_ARGUMENTS = {
  shell_exec: group({ argv: required(argv(), "Program and arguments; no shell reads them.") }),
  python_exec: group({
    script: required(source(), "The program itself."),
    args: key(words(), { is: [], doc: "What it is given." }),
  }),
  node_exec: group({
    script: required(source(), "The program itself, a module."),
    args: key(words(), { is: [], doc: "What it is given." }),
  }),
  file_read: group({ path: place() }),
  file_write: group({ path: place(), content: required(source(), "What the file holds afterwards.") }),
  file_patch: group({
    path: place(),
    find: required(something(), "What stands there now, exactly once."),
    replace: required(source(), "What stands there afterwards."),
  }),
  file_list: group({ path: place() }),
  file_search: group({ path: place(), text: required(something(), "What lines are looked for.") }),
  file_move: group({
    from: place(),
    to: place(),
    sha256: required(digest(), "Only a file with these bytes is moved."),
    otherwise: key(oneOf(["fail", "leave"]), { is: "fail", doc: "Whether a file that differs fails the step." }),
  }),
  web_search: group({
    query: required(query(), "What is searched for, word for word."),
    max_results: key(nullable(whole(1, 50)), { is: null, doc: "How many results; never more than is configured." }),
    domains: key(domains(), { is: [], doc: "Only results from here." }),
    file: key(nullable(longLine("pathChars")), { is: null, doc: "Where the results are written too, as JSON." }),
  }),
  folder_remove: group({
    paths: required(many(longLine("pathChars"), LIMITS.batchFolders), "Folders; one that is not empty stays."),
  }),
  folder_note: group({ path: place(), into: place() }),
  ask_owner: group({
    question: required(shownLine({ charsMax: LIMITS.titleChars }), "What you are asked, in one line."),
    options: key(options(), { is: [], doc: "Answers to choose from, each a label and a value." }),
    freetext: key(flag(), { is: false, doc: "Whether words of your own are an answer too." }),
    file: required(shownLine({ charsMax: LIMITS.titleChars }), "Where the answer is laid in the workspace."),
  }),
  review_draft: group({
    path: required(shownLine({ charsMax: LIMITS.titleChars }), "A text in the workspace; it becomes what you approve."),
    about: required(shownLine({ charsMax: LIMITS.titleChars }), "What it is for, in one line."),
  }),
} as const satisfies { readonly [tool: string]: ConfigGroup };

/** What `node_exec` and `python_exec` take in place of a program of the plan's own: a script of a skill it lists. */
export const SKILL_ARGUMENTS = group({
  skill: required(skillName(), "A skill of the plan."),
  file: required(longLine("pathChars"), "The script, as a path inside of the skill."),
  connection: key(nullable(connectionName()), { is: null, doc: "A connection of that skill, which the script uses." }),
  permissions: key(permissions(), { is: [], doc: "What it uses of it: exactly what the skill says of the script." }),
  input: key(parameters(), { is: {}, doc: "Its arguments by name; it reads them as JSON on its standard input." }),
});

export type ToolName = keyof typeof TOOL_ARGUMENTS;
/** A tool and its arguments, checked against each other. */
export type ToolCall =
  | {
      readonly [T in ToolName]: { readonly tool: T; readonly args: ConfigOf<(typeof TOOL_ARGUMENTS)[T]> };
    }[ToolName]
  | SkillToolCall;
export type SkillToolCall = {
  readonly tool: "node_exec" | "python_exec";
  readonly args: ConfigOf<typeof SKILL_ARGUMENTS>;
};

/**
 * What a model may be given to choose calls of. What asks the owner is the plan's own, and nothing that a model may call
 * leaves the machine.
 */
export const MODEL_TOOLS = [
  "file_read",
  "file_list",
  "file_search",
  "file_write",
  "file_patch",
  "file_move",
  "shell_exec",
  "python_exec",
  "node_exec",
] as const satisfies readonly ToolName[];
export type ModelTool = (typeof MODEL_TOOLS)[number];
export const isModelTool = (tool: string): tool is ModelTool => MODEL_TOOLS.some((one) => one === tool);

/** A call that asks the owner and runs no program. */
export type AskingCall = Extract<ToolCall, { readonly tool: "ask_owner" | "review_draft" }>;
export const isAskingCall = (call: ToolCall): call is AskingCall =>
  call.tool === "ask_owner" || call.tool === "review_draft";

/** Whether there is a way to answer what it asks, and each answer means one thing. */
export const canBeAnswered = (call: AskingCall): boolean =>
  call.tool === "review_draft" || isAnswerable({ options: call.args.options, allow_freetext: call.args.freetext });

export const isSkillCall = (call: ToolCall): call is SkillToolCall => "skill" in call.args;

/* @__NO_SIDE_EFFECTS__ */
function place() {
  return required(longLine("pathChars"), "A path in the workspace, or one that `files` grants.");
}
/* @__NO_SIDE_EFFECTS__ */
function connectionName() {
  return shownLine({
    charsMax: 21,
    pattern: CONNECTION_ID,
    expected: "the id of a connection, such as conn-0123456789abcdef",
  });
}
/* @__NO_SIDE_EFFECTS__ */
function permissions() {
  return many(
    shownLine({ charsMax: 128, pattern: PERMISSION, expected: "a permission of the skill" }),
    LIMITS.planParts,
  );
}
/* @__NO_SIDE_EFFECTS__ */
function options(): ValueKind<readonly { readonly label: string; readonly value: string }[]> {
  const line = shownLine().schema;
  return {
    schema: z.array(z.strictObject({ label: line, value: line })).check(z.maxLength(LIMITS.askOptions)),
    expected: `at most ${LIMITS.askOptions} maps of label and value, each one line`,
    reading: "document",
    role: "plain",
  };
}
/* @__NO_SIDE_EFFECTS__ */
function digest() {
  return shownLine({ charsMax: 64, pattern: /^[0-9a-f]{64}$/, expected: "a SHA-256 digest in lower-case hex" });
}
/* @__NO_SIDE_EFFECTS__ */
function words() {
  return many(prose(LIMITS.commandChars), LIMITS.commandWords);
}
/* @__NO_SIDE_EFFECTS__ */
function query() {
  return shownLine({ charsMax: LIMITS.planTextChars });
}
/* @__NO_SIDE_EFFECTS__ */
function domains() {
  const expected = "a domain in lower case";
  return many(shownLine({ charsMax: 253, pattern: /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, expected }), LIMITS.planParts);
}
/* @__NO_SIDE_EFFECTS__ */
function source() {
  return prose(LIMITS.planFrontMatterChars);
}

/* @__NO_SIDE_EFFECTS__ */
function something(): ValueKind<string> {
  const kind = prose(LIMITS.planTextChars);
  return {
    ...kind,
    schema: z.string().check(z.minLength(1), z.refine(accepts(kind))),
    expected: `some ${kind.expected}`,
  };
}

/* @__NO_SIDE_EFFECTS__ */
function argv(): ValueKind<readonly string[]> {
  const kind = words();
  const hasProgram = z.refine<readonly string[]>(([program]) => program !== undefined && program !== "");
  return {
    ...kind,
    schema: z.pipe(kind.schema, z.array(z.string()).check(hasProgram)),
    expected: `a program and its arguments`,
  };
}

/* @__NO_SIDE_EFFECTS__ */
function accepts(kind: ValueKind<string>) {
  return (text: string): boolean => kind.schema.safeParse(text).success;
}
