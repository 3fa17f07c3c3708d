import { type WorkItem, readProjection } from "#model";
import type { Sha256Hex } from "#base";
import type { ParsedPlan } from "./parse-plan.ts";
import type { SkillFact } from "./plan-hash.ts";

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

/**
 * The versions of skills that a request was asked, shown and signed with. Whoever reads the plan again projects it with
 * these; whether they are still what is installed is asked beside it, and can then be said by name. [PLAN-10]
 */
export function approvedSkills(projection: string): readonly SkillFact[] {
  const read = readProjection(projection);
  if (!read.ok) return [];
  const { plan } = read.value;
  const all = [plan, ...plan.children.flatMap((child) => child ?? [])].flatMap((one) => one.skill_digests);
  const byName = new Map<string, SkillFact>();
  for (const { name, sha256 } of all) {
    if (sha256 === null || byName.has(name)) continue;
    byName.set(name, skillFact(name, sha256));
  }
  return [...byName.values()];
}

/** A skill reaches nothing by itself: its scripts have what the step has that runs them. */
export const skillFact = (name: string, treeDigest: string): SkillFact => ({
  name,
  treeDigest: treeDigest as Sha256Hex,
  hosts: [],
  secretRefs: [],
});
