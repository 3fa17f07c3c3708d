import type { ConfigOf } from "#model";
import { fileList } from "./files/file-list.ts";
import { fileMove } from "./files/file-move.ts";
import { filePatch } from "./files/file-patch.ts";
import { fileRead } from "./files/file-read.ts";
import { fileSearch } from "./files/file-search.ts";
import { fileWrite } from "./files/file-write.ts";
import { folderNote } from "./files/folder-note.ts";
import { folderRemove } from "./files/folder-remove.ts";
import { askOwner } from "./owner/ask-owner.ts";
import { finish } from "./owner/finish.ts";
import { proposePlan } from "./owner/propose-plan.ts";
import { reviewDraft } from "./owner/review-draft.ts";
import { nodeExec } from "./programs/node-exec.ts";
import { pythonExec } from "./programs/python-exec.ts";
import { shellExec } from "./programs/shell-exec.ts";
import type { ArgumentsOf, Caller, SkillArguments, Tool } from "./tool.ts";
import { webSearch } from "./web/web-search.ts";

/** Every tool there is, in the order in which a person is shown them. A name that is not here is refused everywhere. */
export const TOOLS = {
  file_read: fileRead,
  file_list: fileList,
  file_search: fileSearch,
  file_write: fileWrite,
  file_patch: filePatch,
  file_move: fileMove,
  shell_exec: shellExec,
  python_exec: pythonExec,
  node_exec: nodeExec,
  folder_remove: folderRemove,
  folder_note: folderNote,
  web_search: webSearch,
  ask_owner: askOwner,
  review_draft: reviewDraft,
  propose_plan: proposePlan,
  finish,
} as const;

type Entries = typeof TOOLS;
type CallableBy<C extends Caller> = {
  [N in keyof Entries]: C extends Entries[N]["offeredTo"][number] ? N : never;
}[keyof Entries];

/** A tool that a step may name. */
type ToolName = CallableBy<"plan">;
/** A tool and its arguments, checked against each other. */
export type ToolCall =
  | { readonly [T in ToolName]: { readonly tool: T; readonly args: ArgumentsOf<Entries[T]["input"]> } }[ToolName]
  | SkillToolCall;
export type SkillToolCall = { readonly tool: "node_exec" | "python_exec"; readonly args: SkillArguments };

export const ALL_TOOLS: readonly Tool[] = Object.values(TOOLS);

/** Names of the tools that each of these may call. */
export const namesOffered = (...callers: readonly [Caller, ...Caller[]]): readonly string[] =>
  ALL_TOOLS.filter(({ offeredTo }) => callers.every((caller) => offeredTo.includes(caller))).map(({ name }) => name);

export const isStepTool = (name: string): name is ToolName => namesOffered("plan").includes(name);

/** The entry of a call. One that names a skill is of the same tool, with a script of that skill for its program. */
export function toolOf({ tool, args }: { readonly tool: ToolName; readonly args: object }): Tool {
  const entry: Tool = TOOLS[tool];
  return entry.ofSkill !== undefined && Object.hasOwn(args, "skill") ? entry.ofSkill : entry;
}

export const isSkillCall = (call: ToolCall): call is SkillToolCall => toolOf(call).origin === "skill";

/** How a model that carries out work says that it has finished. */
export type ExecutorOutput = ConfigOf<Entries["finish"]["input"]>;

/** A call that asks the owner and runs no program. */
export type AskingCall = {
  [T in ToolName]: Entries[T]["effect"] extends "ask" ? Extract<ToolCall, { readonly tool: T }> : never;
}[ToolName];
export const isAskingCall = (call: ToolCall): call is AskingCall => toolOf(call).effect === "ask";
