import { nearest } from "#base";
import { namesOffered } from "#tools";
import type { Report } from "../problems.ts";
import type { WireRecord } from "../read-fields.ts";

/** A model that chooses what is done, and what it may choose of. What it would not heed is refused. */
export function checkModel({ executor, tools, steps, type }: WireRecord, report: Report): void {
  const listed = Array.isArray(tools) ? tools.filter((tool) => typeof tool === "string") : [];
  const known = namesOffered("plan", "executor");
  listed.forEach((tool, index) => {
    if (!known.includes(tool)) report(["tools", index], { code: "unknown_tool", nearest: nearest(tool, known) });
  });
  if (executor !== "model") {
    if (listed.length > 0) report(["executor"], { code: "missing_key", expected: "model, which tools are for" });
    return;
  }
  if (type !== null && type !== "task") report(["executor"], { code: "not_for_type", expected: "task" });
  const hasSteps = Array.isArray(steps) && steps.length > 0;
  if (hasSteps) report(["executor"], { code: "not_with_steps", expected: "either they say what is done, or a model" });
}
