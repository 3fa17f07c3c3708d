import * as z from "zod/mini";
import { assert, canonicalJson, err, LIMITS, ok, parseStrictJson, type Result } from "#base";
import { standingTermsSchema, type StandingTerms } from "./standing.ts";
import { maxLength, minLength } from "../values.ts";

/** What is proposed with a plan: the files of a project's tasks, and the terms on which a goal may repair by itself. */
export type PlanProposal = {
  readonly plan: string;
  readonly tasks: readonly string[];
  readonly standing: StandingTerms | null;
  /** The plan is a goal, and what is proposed is the one task it makes of this failure; left out otherwise. */
  readonly repair?: ProposedRepair | undefined;
  /** The work whose results it goes on with; left out when the plan alone says. */
  readonly continues?: string | undefined;
  /** The run whose plan it is another way for; left out for every other plan. It counts how often that was, and no more. */
  readonly replaces?: string | undefined;
};
/** What a goal's task is made of besides the goal. */
export type ProposedRepair = {
  readonly task_id: string;
  readonly failed: readonly { readonly name: string; readonly output: string }[];
};

/** Why the parts of a proposal do not fit each other; nothing was asked. */
export type ProposalRefused = {
  readonly code: "proposal_refused";
  readonly reason: ProposalReason;
  readonly itemId: string | null;
};
export type ProposalReason =
  | "unreadable"
  | "too_large"
  | "task_missing"
  | "task_extra"
  | "task_repeated"
  | "task_is_no_task"
  | "task_of_another"
  | "tasks_without_project"
  | "dependency_unknown"
  | "dependency_circle"
  | "depends_alone"
  | "reaches_silas"
  | "standing_without_goal"
  | "standing_without_repair"
  | "standing_uses"
  | "standing_over"
  | "repair_without_goal"
  | "continues_another";

const file = z.string().check(maxLength(LIMITS.planBytes));
const itemId = z.string().check(maxLength(LIMITS.idChars), z.regex(/^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/));
const proposalSchema = z.strictObject({
  plan: file,
  tasks: z.array(file).check(maxLength(LIMITS.planNames)),
  standing: z.nullable(standingTermsSchema),
  repair: z.optional(
    z.strictObject({
      task_id: itemId,
      failed: z
        .array(z.strictObject({ name: z.string(), output: z.string().check(maxLength(LIMITS.planTextChars)) }))
        .check(minLength(1), maxLength(LIMITS.planParts)),
    }),
  ),
  continues: z.optional(itemId),
  replaces: z.optional(z.string().check(maxLength(LIMITS.idChars))),
});

/** One text for all of it: the file itself when there is nothing else, so that a plan alone stays what it was. */
export function planProposalText(proposal: PlanProposal): string {
  const { plan, tasks, standing, repair, continues, replaces } = proposal;
  const isAlone = repair === undefined && continues === undefined && replaces === undefined;
  if (tasks.length === 0 && standing === null && isAlone) return plan;
  const text = canonicalJson(proposal);
  assert(text.ok, "a proposal has canonical bytes");
  return text.value;
}

/** A plan begins with its front matter; whatever begins as an object is a proposal of several parts. */
export function readPlanProposal(text: string): Result<PlanProposal, ProposalRefused> {
  // The parts of a project share the room of one plan file: all of them are read on one card.
  if (text.length > LIMITS.planBytes) return err({ code: "proposal_refused", reason: "too_large", itemId: null });
  if (!text.startsWith("{")) return ok({ plan: text, tasks: [], standing: null });
  const parsed = parseStrictJson(text);
  const read = proposalSchema.safeParse(parsed.ok ? parsed.value : null);
  return read.success ? ok(read.data) : err({ code: "proposal_refused", reason: "unreadable", itemId: null });
}
