import { isSkillScript, type Card, type ShownPayload } from "#model";
import { quantity } from "./card-words.ts";

type Install = Extract<ShownPayload, { readonly kind: "skill_install" }>;
type SkillWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
};

/** What installing a skill means. What the skill says of itself is shown beside it, and argues for nothing here. */
export function skillWords({ name, files, env }: Install): SkillWords {
  const scripts = files.filter(({ path }) => isSkillScript(path)).length;
  const reads = env.length === 0 ? "no variables" : quantity(env.length, "variable");
  const count = quantity(files.length, "file");
  return {
    intent: `Install ${name.length > 56 ? "a skill" : `the skill ${name}`}`,
    rationale: `It has ${count}, ${quantity(scripts, "script")} among them, and reads ${reads}. Scripts are tried once, then run only in steps of plans you approve that list it, with no more than the step has. One changed byte makes it inactive.`,
    affectedItems: { count: files.length, summary: count },
    approve: `Approve: install ${count}`,
    decline: "Decline: it is not installed",
  };
}
