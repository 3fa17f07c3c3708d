import { assert, err, nearest, ok, type Result } from "#base";
import {
  isAskingCall,
  isSkillCall,
  isSkillPath,
  isSkillScript,
  SKILL_ARGUMENTS,
  toCamel,
  TOOL_ARGUMENTS,
  type SearchGrant,
  type SkillToolCall,
  type Step,
  type ToolCall,
  type ToolName,
} from "#model";
import { splitCommand } from "../command-line.ts";
import type { KeyPath, Reason, Report } from "../problems.ts";
import { readRecord } from "../read-fields.ts";
import { scriptPlace } from "../skill/resolve-script.ts";
import { FILE_PROGRAM } from "./file-program.ts";
import { SEARCH_PROGRAM } from "./search-program.ts";

/** What a sandbox is asked to run: program and arguments, and the text on its standard input. */
export type SandboxCall = {
  readonly argv: readonly string[];
  readonly stdin: string | null;
  /** The one search its program may ask for. */
  readonly search?: SearchGrant;
  /** The script of a skill that is run; what it reads on its standard input is made of this where the skill is known. */
  readonly script?: SkillToolCall["args"];
};

/** Where every sandbox shows the Node that Silas itself runs on. */
const NODE = "/opt/silas/bin/node";

/** The call of a step, or everything that is wrong with it. `run` is `shell_exec` with its words still together. */
export function readStep(step: Pick<Step, "run" | "tool" | "args">): Result<ToolCall, readonly StepProblem[]> {
  const problems: StepProblem[] = [];
  const report: Report = (path, reason) => problems.push({ ...reason, path });
  const call = step.run === null ? readTool(step, report) : readRun({ ...step, run: step.run }, report);
  return call === null || problems.length > 0 ? err(problems) : ok(call);
}
type StepProblem = Reason & { readonly path: KeyPath };

type Written = Pick<Step, "tool" | "args">;

function readRun({ run, tool, args }: Written & { readonly run: string }, report: Report): ToolCall | null {
  if (tool !== null) report(["tool"], { code: "step_has_both" });
  else if (Object.keys(args).length > 0) report(["args"], { code: "step_args_alone" });
  const words = splitCommand(run);
  if (words.ok) return { tool: "shell_exec", args: { argv: words.value } };
  report(["run"], { code: words.error.code, found: [words.error.found] });
  return null;
}

function readTool({ tool, args }: Written, report: Report): ToolCall | null {
  if (tool === null) {
    report([], { code: "step_has_neither" });
    return null;
  }
  if (!isTool(tool)) {
    report(["tool"], { code: "unknown_tool", nearest: nearest(tool, Object.keys(TOOL_ARGUMENTS)) });
    return null;
  }
  const isSkill = (tool === "node_exec" || tool === "python_exec") && Object.hasOwn(args, "skill");
  const record = isSkill ? SKILL_ARGUMENTS : TOOL_ARGUMENTS[tool];
  const read = readRecord(record, { value: args, path: ["args"], report, refusedKeys: new Set() });
  // What did not fit was reported, and then nothing of this is used.
  const call = { tool, args: read } as ToolCall;
  if (isSkillCall(call)) checkScript(call, report);
  return call;
}

const ENDINGS = { node_exec: ".mjs", python_exec: ".py" } as const;

/** A script lies inside of its skill, and is one that the tool runs. [EXEC-11] */
function checkScript({ tool, args: { file } }: SkillToolCall, report: Report): void {
  if (typeof file !== "string") return;
  const isScript = isSkillPath(file) && isSkillScript(file) && file.endsWith(ENDINGS[tool]);
  if (!isScript) report(["args", "file"], { code: "skill_script_refused", expected: `scripts/NAME${ENDINGS[tool]}` });
}

const isTool = (tool: string): tool is ToolName => Object.hasOwn(TOOL_ARGUMENTS, tool);

/** The one place where a tool becomes a command. Nothing in it is ever read by a shell. */
export function sandboxCall(call: ToolCall): SandboxCall {
  if (isSkillCall(call)) return scriptCall(call);
  switch (call.tool) {
    case "shell_exec":
      return { argv: call.args.argv, stdin: null };
    case "python_exec":
      return { argv: ["python3", "-", ...call.args.args], stdin: call.args.script };
    case "web_search": {
      const argv = [NODE, "--input-type=commonjs", "--eval", SEARCH_PROGRAM];
      // Arguments are kept under the names of the wire, by which gates and envelopes know them.
      const search = toCamel(TOOL_ARGUMENTS.web_search, call.args) as SearchGrant;
      return { argv, stdin: JSON.stringify(call), search };
    }
    case "node_exec":
      return { argv: [NODE, "--input-type=module", "-", ...call.args.args], stdin: call.args.script };
    default:
      return { argv: [NODE, "--input-type=commonjs", "--eval", FILE_PROGRAM], stdin: JSON.stringify(call) };
  }
}

/** No other script is ever named: where it lies follows from the skill and the file. */
function scriptCall({ tool, args }: SkillToolCall): SandboxCall {
  const program = tool === "node_exec" ? [NODE] : ["python3", "-B"];
  return { argv: [...program, scriptPlace(args)], stdin: null, script: args };
}

/**
 * The words of a call as a person is shown them. File tools are part of Silas, so that their name stands for the program;
 * scripts and contents are shown whole among the values of the plan.
 */
export function shownWords(call: ToolCall): readonly string[] {
  if (call.tool === "web_search") return [call.tool, call.args.query, ...call.args.domains];
  if (isAskingCall(call)) return [call.tool, call.tool === "ask_owner" ? call.args.question : call.args.path];
  const places = placesOf(call);
  return places.length > 0 ? [call.tool, ...places.map(({ path }) => path)] : sandboxCall(call).argv;
}

type Place = { readonly key: string; readonly path: string; readonly access: "read" | "write" };

/** Every path that a file tool names, and what it does there. */
export function placesOf(call: ToolCall): readonly Place[] {
  if (isSkillCall(call)) return [];
  switch (call.tool) {
    case "file_move":
      return [
        { key: "from", path: call.args.from, access: "write" },
        { key: "to", path: call.args.to, access: "write" },
      ];
    case "folder_note":
      return [
        { key: "path", path: call.args.path, access: "read" },
        { key: "into", path: call.args.into, access: "write" },
      ];
    case "web_search":
      return call.args.file === null ? [] : [{ key: "file", path: call.args.file, access: "write" }];
    case "folder_remove":
      return call.args.paths.map((path) => ({ key: "paths", path, access: "write" }));
    case "ask_owner":
      return [{ key: "file", path: call.args.file, access: "write" }];
    case "review_draft":
    case "file_write":
    case "file_patch":
      return [{ key: "path", path: call.args.path, access: "write" }];
    default:
      return "path" in call.args ? [{ key: "path", path: call.args.path, access: "read" }] : [];
  }
}

/**
 * Whether a step may be done twice: what it did once it finds done, and adds nothing. Whoever was interrupted in the
 * middle of such a step is not in doubt.
 */
export function isRepeatable(step: Pick<Step, "run" | "tool" | "args">): boolean {
  const call = readStep(step);
  if (!call.ok) return false;
  const { tool } = call.value;
  if (tool === "file_move" || tool === "folder_remove" || isAskingCall(call.value)) return true;
  const writes = placesOf(call.value).filter(({ access }) => access === "write");
  return (tool === "folder_note" || tool === "file_write") && writes.every(({ path }) => !path.startsWith("/"));
}

/** The call of a step of an accepted plan. */
export function callOf(step: Step): ToolCall {
  const call = readStep(step);
  // INVARIANT: the parser refused every step that is no call, so an item that holds one was not made by it.
  assert(call.ok, "PLAN-03 a step of a work item is a call");
  return call.value;
}
