import * as z from "zod/mini";
import { plainMoment } from "#base";
import { id, instantSchema } from "../values.ts";
import type { NameOf } from "../work/work-names.ts";

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const count = z.int().check(z.gte(0));
const about = { suggestion_id: id, offer: code, work_item_id: z.nullable(id) };

/** What the audit chain says about suggestions: which and what became of them, never their words. [AUD-08] */
export const suggestionAuditSchemas = {
  suggestion_made: z.strictObject({ ...about, source: code, risk: code }),
  /** With what was asked because of it, where something was. [SUGG-08] */
  suggestion_answered: z.strictObject({ ...about, outcome: code, request_id: z.nullable(id) }),
  /** It does not hold any more, and nobody answered: that is no outcome. */
  suggestion_expired: z.strictObject(about),
  /** Looks that were due while nobody could look, and are not made up for. */
  suggestion_looks_skipped: z.strictObject({ count, since: instantSchema, until: instantSchema }),
} as const;

type SuggestionEvent = keyof typeof suggestionAuditSchemas;
type Sentences = {
  readonly [E in SuggestionEvent]: (data: z.infer<(typeof suggestionAuditSchemas)[E]>, nameOf: NameOf) => string;
};
type About = { readonly offer: string; readonly work_item_id: string | null };

export const suggestionSentences: Sentences = {
  suggestion_made: (data, nameOf) => `Suggested ${whatOf(data, nameOf)}`,
  suggestion_answered: ({ outcome, ...data }, nameOf) =>
    `${ANSWERED[outcome] ?? "Answered"} the suggestion ${whatOf(data, nameOf)}`,
  suggestion_expired: (data, nameOf) => `The suggestion ${whatOf(data, nameOf)} holds no longer; nobody answered it`,
  suggestion_looks_skipped: ({ count: many, since, until }) =>
    `Left out ${many === 1 ? "a look" : `${many} looks`} for suggestions, due from ${plainMoment(since)} to ${plainMoment(until)}: Silas could not look then`,
};

const ANSWERED: Readonly<Record<string, string>> = {
  accepted: "Took up",
  deferred: "Put off",
  dismissed: "Wants to hear no more of",
};
const OFFERED: Readonly<Record<string, string>> = {
  ask_again: "to ask again about",
  run_again: "to ask for another run of",
  renew_goal: "to renew the approval of",
};

function whatOf({ offer, work_item_id: workItemId }: About, nameOf: NameOf): string {
  if (offer === "next_step") return "to go on with a next step that a run named";
  const words = OFFERED[offer];
  return words === undefined || workItemId === null ? "to add a passkey" : `${words} ${nameOf(workItemId)}`;
}
