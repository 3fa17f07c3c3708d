import type { Step, ToolCall, WorkItem } from "#model";
import { placesOf, readStep } from "../steps/tool-call.ts";

type RiskFacts = {
  readonly files: WorkItem["files"];
  /** The calls of this attempt before it. */
  readonly before: readonly Pick<Step, "run" | "tool" | "args">[];
};

/**
 * Why a call that a model chose needs an approval of its own: what it may do outlives the workspace. Null for what stays
 * inside. It is a table of tools and places; nothing that the model says about its call counts. [APPR-23] [INV-10]
 */
export function highRisk(call: ToolCall, { files, before }: RiskFacts): string | null {
  // Without a place to change, everything that any tool does ends with the workspace.
  if (files.write.length === 0) return null;
  if (runsProgram(call)) return `it runs a program that can change ${files.write.join(", ")}`;
  const writes = placesOf(call).filter(({ access }) => access === "write");
  const outside = writes.find(({ path }) => path.startsWith("/"));
  if (outside !== undefined) return `it changes ${outside.path}, outside of its workspace`;
  // A program may have left a name in the workspace that leads to such a place.
  return writes.length > 0 && before.some(ranProgram) ? "it changes a file after a program has run" : null;
}

const PROGRAMS: ReadonlySet<string> = new Set(["shell_exec", "python_exec", "node_exec"]);
const runsProgram = ({ tool }: Pick<ToolCall, "tool">): boolean => PROGRAMS.has(tool);

function ranProgram(step: RiskFacts["before"][number]): boolean {
  const call = readStep(step);
  return !call.ok || runsProgram(call.value);
}
