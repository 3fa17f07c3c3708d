import { assert, err, nearest, ok, type Result } from "#base";
import { type Step, readRecord, type KeyPath } from "#model";
import {
  isSkillCall,
  isStepTool,
  namesOffered,
  toolOf,
  wrongScript,
  type SandboxCall,
  type SkillToolCall,
  type ToolCall,
} from "#tools";
import { splitCommand } from "../command-line.ts";
import type { Reason, Report } from "../problems.ts";

/** The call of a step, or everything that is wrong with it. `run` is `shell_exec` with its words still together. */
export function readStep(step: WrittenStep): Result<ToolCall, readonly StepProblem[]> {
  const problems: StepProblem[] = [];
  const report: Report = (path, reason) => problems.push({ ...reason, path });
  const call = step.run === null ? readTool(step, report) : readRun({ ...step, run: step.run }, report);
  return call === null || problems.length > 0 ? err(problems) : ok(call);
}
type WrittenStep = Pick<Step, "run" | "tool" | "args">;
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
  if (!isStepTool(tool)) {
    report(["tool"], { code: "unknown_tool", nearest: nearest(tool, namesOffered("plan")) });
    return null;
  }
  const { input } = toolOf({ tool, args });
  const read = readRecord(input, { value: args, path: ["args"], report, refusedKeys: new Set() });
  // What did not fit was reported, and then nothing of this is used.
  const call = { tool, args: read } as ToolCall;
  if (isSkillCall(call)) checkScript(call, report);
  return call;
}

function checkScript({ tool, args: { file } }: SkillToolCall, report: Report): void {
  if (typeof file !== "string") return;
  const expected = wrongScript({ tool, file });
  if (expected !== null) report(["args", "file"], { code: "skill_script_refused", expected });
}

/** What a sandbox runs for a call. */
export function sandboxCallOf(call: ToolCall): SandboxCall {
  const program = toolOf(call).program(call.args);
  // INVARIANT: the run machine asks the owner in place of running a tool that has no program.
  assert(program !== null, "EXEC-01 an envelope holds a call with a program");
  return program;
}

/**
 * Whether a step may be done twice: what it did once it finds done, and adds nothing. A run that was interrupted in the
 * middle of such a step is not in doubt.
 */
export function mayRepeat(step: WrittenStep): boolean {
  const call = readStep(step);
  if (!call.ok) return false;
  const { repeatable, touches } = toolOf(call.value);
  if (repeatable !== "in_workspace") return repeatable === "always";
  return touches(call.value.args).places.every(({ access, path }) => access === "read" || !path.startsWith("/"));
}

/** The call of a step of an accepted plan. */
export function callOf(step: Step): ToolCall {
  const call = readStep(step);
  // INVARIANT: the parser refused every step that is no call, so an item that holds one was not made by it.
  assert(call.ok, "PLAN-03 a step of a work item is a call");
  return call.value;
}
