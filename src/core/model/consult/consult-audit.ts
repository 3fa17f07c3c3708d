import * as z from "zod/mini";
import type { NameOf } from "../work/work-names.ts";
import { consultFailureWords } from "./consult-words.ts";
import { CONSULT_FAILURES } from "./consultation.ts";
import { id } from "../values.ts";

const count = z.int().check(z.gte(0));
const run = { run_id: id, work_item_id: id };

/** What the audit chain says about asking the planner; never what it said. */
export const consultAuditSchemas = {
  /** A run is out of ways of its own: the planner is asked for another, and nobody else. */
  replan_requested: z.strictObject({ ...run, number: count, number_max: count }),
  /** It waits for its own approval like any plan. */
  replan_proposed: z.strictObject({ ...run, request_id: id }),
  replan_failed: z.strictObject({ ...run, reason: z.enum(CONSULT_FAILURES) }),
  /** A run that a model carries out is stuck: it waits for the planner's advice, and not for ever. */
  advice_requested: z.strictObject({ ...run, number: count, number_max: count }),
  advice_given: z.strictObject({ ...run, number: count, number_max: count }),
  /** The run goes on without. */
  advice_failed: z.strictObject({ ...run, reason: z.enum(CONSULT_FAILURES) }),
} as const;

type ConsultEvent = keyof typeof consultAuditSchemas;
type Sentences = {
  readonly [E in ConsultEvent]: (data: z.infer<(typeof consultAuditSchemas)[E]>, nameOf: NameOf) => string;
};

export const consultSentences: Sentences = {
  replan_requested: ({ work_item_id: name, number, number_max }, nameOf) =>
    `Asked the planner for another way to do ${nameOf(name)} (${number} of ${number_max})`,
  replan_proposed: ({ work_item_id: name, request_id }, nameOf) =>
    `Proposed another way to do ${nameOf(name)} (${request_id})`,
  replan_failed: ({ work_item_id: name, reason }, nameOf) =>
    `Found no other way to do ${nameOf(name)}: ${consultFailureWords(reason)}`,
  advice_requested: ({ work_item_id: name, number, number_max }, nameOf) =>
    `Asked the planner for advice about ${nameOf(name)} (${number} of ${number_max})`,
  advice_given: ({ work_item_id: name, number, number_max }, nameOf) =>
    `The planner gave advice about ${nameOf(name)} (${number} of ${number_max})`,
  advice_failed: ({ work_item_id: name, reason }, nameOf) =>
    `There is no advice about ${nameOf(name)}: ${consultFailureWords(reason)}`,
};
