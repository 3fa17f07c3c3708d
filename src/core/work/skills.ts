import type { WorkItem } from "#model";
import type { ParsedPlan } from "./parse-plan.ts";

/**
 * The item with the skills it may really use, decided before anything is hashed: those it names, and when it names
 * none at all, those of its parent. An empty list that was written is a choice. [PLAN-06]
 */
export function withEffectiveSkills(
  { item, writtenKeys }: Pick<ParsedPlan, "item" | "writtenKeys">,
  parentSkills: readonly string[] | null,
): WorkItem {
  return writtenKeys.has("skills") ? item : { ...item, skills: parentSkills ?? [] };
}
