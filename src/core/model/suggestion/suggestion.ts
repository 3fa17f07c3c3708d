import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { CARD_INTENT_CHARS, RISK_LEVELS, type CtaRole } from "../cards.ts";
import { id, instantSchema, longId } from "../values.ts";

/**
 * What Silas suggests by itself. A suggestion authorises nothing: taken up, it asks for a decision as any proposal does,
 * or opens the place where something is to be done. [SUGG-10]
 */

const SUGGESTION_SOURCES = ["idle_heartbeat", "post_execution", "goal_monitor"] as const;
/** What taking it up does: each asks about something again, or opens the page where the owner goes on. */
export const SUGGESTION_OFFERS = ["ask_again", "run_again", "renew_goal", "add_passkey", "next_step"] as const;
export type SuggestionOffer = (typeof SUGGESTION_OFFERS)[number];

/** What a person may say to one. Nothing else closes it but that it expires, which is no answer. */
const SUGGESTION_ANSWERS = ["do_it", "not_now", "not_again"] as const;
export type SuggestionAnswer = (typeof SUGGESTION_ANSWERS)[number];

/** What is recorded of each answer; it decides when the same may be suggested again. [SUGG-08] */
export const OUTCOME_OF_ANSWER = {
  do_it: "accepted",
  not_now: "deferred",
  not_again: "dismissed",
} as const satisfies { readonly [A in SuggestionAnswer]: string };
export type SuggestionOutcome = (typeof OUTCOME_OF_ANSWER)[SuggestionAnswer];

const SUGGESTION_STATES = ["pending", "accepted", "deferred", "dismissed", "expired"] as const;
export type SuggestionState = (typeof SUGGESTION_STATES)[number];

const proposalShape = {
  suggestion_id: id,
  scope_id: id,
  source: z.enum(SUGGESTION_SOURCES),
  intent: line(CARD_INTENT_CHARS),
  rationale: line(LIMITS.titleChars),
  /** That of what would be asked, by the table; nobody who suggests says it. [RISK-03] */
  risk_level: z.enum(RISK_LEVELS),
  proposed_work_item_id: z.nullable(id),
  /** The same for the same thing, so that it is not said twice in a short while. */
  cooldown_key: z.string().check(z.regex(/^[a-z_]{1,20}:[A-Za-z0-9][A-Za-z0-9._:@-]{0,159}$/)),
  created_at: instantSchema,
} as const;

/** [SUGG-05] */
export const suggestionProposalSchema = recordOf(z.strictObject(proposalShape));
export type SuggestionProposal = z.infer<typeof suggestionProposalSchema>;

export const suggestionSchema = recordOf(
  z.strictObject({
    ...proposalShape,
    offer: z.enum(SUGGESTION_OFFERS),
    /** What the offer is about: a request, a run, a goal; nothing for a page. */
    subject: z.nullable(longId),
    state: z.enum(SUGGESTION_STATES),
    handled_at: z.nullable(instantSchema),
    handled_by: z.nullable(z.enum(["owner", "terminal", "system"])),
    /** What is asked because it was taken up. */
    request_id: z.nullable(id),
  }),
);
/** A suggestion as it is kept. */
export type Suggestion = z.infer<typeof suggestionSchema>;
export type SuggestionBody = z.input<typeof suggestionSchema>;
export const suggestionToWire = writerOf(suggestionSchema);

/** `POST /api/suggestions/:id/answer`. */
export const answerSuggestionSchema = z.strictObject({ answer: z.enum(SUGGESTION_ANSWERS) });

type SuggestionCta = {
  readonly action: SuggestionAnswer;
  readonly role: CtaRole;
  readonly label: string;
  /** What this choice does. [CARD-02] */
  readonly consequenceLabel: string;
};

/** The choices in the order in which they are shown. [CARD-03] [SUGG-04] */
export const suggestionCtas = (offer: SuggestionOffer): readonly SuggestionCta[] => [
  { action: "do_it", role: "recommended", label: "Do it", consequenceLabel: CONSEQUENCES[offer] },
  { action: "not_now", role: "safe", label: "Not now", consequenceLabel: "Leaves it for some hours" },
  { action: "not_again", role: "decline", label: "Not again", consequenceLabel: "Never says this again" },
];

const CONSEQUENCES: { readonly [O in SuggestionOffer]: string } = {
  ask_again: "Asks you again; nothing runs before you approve",
  run_again: "Asks about the same plan; nothing runs before you approve",
  renew_goal: "Asks about the goal anew; nothing changes before you approve",
  add_passkey: "Opens Settings, where a passkey is added",
  next_step: "Opens Talk with these words; nothing is sent before you send it",
};

/** Where a person goes on after taking it up. */
export const placeOfSuggestion = ({ request_id: requestId, offer }: Accepted): string => {
  if (offer === "next_step") return "/talk";
  return requestId === null ? "/settings#passkeys" : `/review/${encodeURIComponent(requestId)}`;
};
type Accepted = Pick<SuggestionBody, "request_id" | "offer">;

export const SOURCE_WORDS: { readonly [S in Suggestion["source"]]: string } = {
  idle_heartbeat: "From a look at what is open",
  post_execution: "After a run",
  goal_monitor: "From your goals",
};
