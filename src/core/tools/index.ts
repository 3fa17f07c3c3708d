/**
 * tools: every tool there is, one file each, and the one table of them.
 *
 * An entry says what a tool is called, what a model is told about it, which arguments it takes, what it does to the world,
 * which places and hosts a call touches, when a call needs an approval of its own, whether it may be repeated, who may
 * call it, and the program that a sandbox runs for it. A tool without a program is performed by `engine/tools`.
 * Plan parser, projection, run machine, cards, prompts and `docs/tools.md` read the table; none of them knows a tool by
 * itself. May import `#model` and `#base` only.
 * Invariants: a name that is not in the table is refused; a call is made by the parser of `#work` alone, which reads the
 * arguments by the entry of the tool it names; no shell reads the words of a program.
 */
export { offeredTool } from "./offered.ts";
export { NODE } from "./programs/node.ts";
export { scriptCommand, scriptPlace, SKILLS_PLACE, wrongScript } from "./programs/skill-script.ts";
export {
  ALL_TOOLS,
  isAskingCall,
  isSkillCall,
  isStepTool,
  namesOffered,
  toolOf,
  TOOLS,
  type AskingCall,
  type ExecutorOutput,
  type SkillToolCall,
  type ToolCall,
} from "./registry.ts";
export type { ArgumentsOf, SandboxCall } from "./tool.ts";
