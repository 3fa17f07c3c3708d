import type { Step, WorkItem } from "#model";
import { toolOf, type ToolCall } from "#tools";
import { readStep } from "../steps/tool-call.ts";

type Company = {
  readonly files: WorkItem["files"];
  /** The calls of this attempt before it. */
  readonly before: readonly Pick<Step, "run" | "tool" | "args">[];
};

/** Why a call that a model chose needs an approval of its own; null for what ends with the workspace. [APPR-23] */
export const riskOfCall = (call: ToolCall, { files, before }: Company): string | null =>
  toolOf(call).risk(call.args, { writable: files.write, hasRunProgram: before.some(ranProgram) });

function ranProgram(step: Company["before"][number]): boolean {
  const call = readStep(step);
  return !call.ok || toolOf(call.value).effect === "run";
}
