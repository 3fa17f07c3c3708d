import { LIMITS } from "#base";
import * as z from "zod/mini";
import {
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
import { longLine } from "./work-keys.ts";
import { prose, shownLine } from "./work-kinds.ts";

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
} as const satisfies { readonly [tool: string]: ConfigGroup };

export type ToolName = keyof typeof TOOL_ARGUMENTS;
/** A tool and its arguments, checked against each other. */
export type ToolCall = {
  readonly [T in ToolName]: { readonly tool: T; readonly args: ConfigOf<(typeof TOOL_ARGUMENTS)[T]> };
}[ToolName];

/* @__NO_SIDE_EFFECTS__ */
function place() {
  return required(longLine("pathChars"), "A path in the workspace, or one that `files` grants.");
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
