import * as z from "zod/mini";
import { LIMITS } from "#base";
import type { ShownPayload } from "../approval/payload.ts";
import type { RequestKind } from "../cards.ts";
import { escalationReplySchema } from "../connection/escalation-payload.ts";
import { plainText } from "./question-shapes.ts";
import { maxLength } from "../values.ts";

/** What may become of a draft. `reject` is a decline: it needs no signature, and its run ends. [CARD-16] */
const DRAFT_VERDICTS = ["approve", "edit", "rephrase", "reject"] as const;

/** What was decided; `approved` is false for a question that was declined. [CARD-16] */
const decisionResultSchema = z.strictObject({
  selected_value: z.nullable(z.string().check(maxLength(LIMITS.nameChars))),
  freetext: z.nullable(plainText(LIMITS.draftChars)),
  approved: z.boolean(),
});

/** The text as it was edited, or what another draft should heed. */
const draftResultSchema = z.strictObject({
  verdict: z.enum(DRAFT_VERDICTS),
  edited_text: z.nullable(plainText(LIMITS.draftChars)),
  note: z.nullable(plainText(LIMITS.titleChars)),
});

export const ownerAnswerSchema = z.union([decisionResultSchema, draftResultSchema, escalationReplySchema]);
/** What the owner says to a question of a step. It is under the signature, beside the hash of the question. */
export type OwnerReply = z.infer<typeof ownerAnswerSchema>;

/** Kinds that are answered with words and not only with yes. */
export const ASKING_KINDS = ["decision", "draft_review"] as const;
type AskingKind = (typeof ASKING_KINDS)[number];
export const isAskingKind = (kind: RequestKind): kind is AskingKind => ASKING_KINDS.some((asking) => asking === kind);

/** Why an answer is none to this question. */
export type AnswerFault =
  | "answer_missing"
  | "answer_unexpected"
  | "answer_unreadable"
  | "option_unknown"
  | "freetext_not_allowed"
  | "answer_declines"
  | "text_missing"
  | "text_unexpected";

type Answered = { readonly payload: ShownPayload | null; readonly answer: unknown };

/**
 * What is wrong with an answer that is to be signed; null when it is one that was offered. The one place that knows: the
 * engine asks before it mints, and again before a step goes on. A question needs one, and nothing else may have one.
 */
export function answerFault({ payload, answer }: Answered): AnswerFault | null {
  if (payload?.kind === "permission_escalation") return onceFault(payload, answer);
  const isAsked = payload?.kind === "decision" || payload?.kind === "draft_review";
  if (!isAsked) return answer === undefined ? null : "answer_unexpected";
  if (answer === undefined) return "answer_missing";
  return payload.kind === "decision" ? decisionFault(payload, answer) : draftFault(answer);
}

type Escalation = Extract<ShownPayload, { readonly kind: "permission_escalation" }>;

/** Yes alone widens it for good; less than that is said, where it is possible at all. [PERM-05] */
function onceFault({ may_be_once: mayBeOnce }: Escalation, answer: unknown): AnswerFault | null {
  if (answer === undefined) return null;
  if (!escalationReplySchema.safeParse(answer).success) return "answer_unreadable";
  return mayBeOnce ? null : "option_unknown";
}

type Decision = Extract<ShownPayload, { readonly kind: "decision" }>;

function decisionFault({ options, allow_freetext: mayWrite }: Decision, answer: unknown): AnswerFault | null {
  const read = decisionResultSchema.safeParse(answer);
  if (!read.success) return "answer_unreadable";
  const { selected_value: value, freetext, approved } = read.data;
  if (!approved) return "answer_declines";
  if (value !== null && !options.some((option) => option.value === value)) return "option_unknown";
  if (freetext !== null && !mayWrite) return "freetext_not_allowed";
  if (value === null && freetext === null) return "answer_missing";
  return value !== null && freetext !== null ? "text_unexpected" : null;
}

function draftFault(answer: unknown): AnswerFault | null {
  const read = draftResultSchema.safeParse(answer);
  if (!read.success) return "answer_unreadable";
  const { verdict, edited_text: text, note } = read.data;
  if (verdict === "reject") return "answer_declines";
  const [isEdit, isRephrase] = [verdict === "edit", verdict === "rephrase"];
  if ((isEdit && text === null) || (isRephrase && note === null)) return "text_missing";
  return (!isEdit && text !== null) || (!isRephrase && note !== null) ? "text_unexpected" : null;
}

/** What a step goes on with: a text for its file, or that another draft is wanted. */
export type StepReply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "again"; readonly note: string };

/** Null for what is no answer to this question. */
export function replyOf({ payload, answer }: Answered): StepReply | null {
  if (answer === undefined || answerFault({ payload, answer }) !== null) return null;
  if (payload?.kind === "decision") {
    const { selected_value: value, freetext } = decisionResultSchema.parse(answer);
    return { kind: "text", text: value ?? freetext ?? "" };
  }
  if (payload?.kind !== "draft_review") return null;
  const { verdict, edited_text: text, note } = draftResultSchema.parse(answer);
  return verdict === "rephrase" ? { kind: "again", note: note ?? "" } : { kind: "text", text: text ?? payload.draft };
}

/** An answer that ends the run is a decline; every other is approved, and signed. */
export function verdictOf(answer: OwnerReply): "approved" | "declined" {
  if ("duration" in answer) return "approved";
  return ("approved" in answer ? answer.approved : answer.verdict !== "reject") ? "approved" : "declined";
}
