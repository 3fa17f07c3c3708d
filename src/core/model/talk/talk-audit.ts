import * as z from "zod/mini";
import { taintSchema } from "../message/taint.ts";
import { MODEL_FAILURE_WORDS, MODEL_FAILURES } from "./model-words.ts";
import { turnFailureWords } from "./turn-words.ts";
import { TURN_FAILURES } from "./turn.ts";
import { digest, id } from "../values.ts";

const count = z.int().check(z.gte(0));
const host = z.string().check(z.regex(/^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/));
/** As the configuration names it. */
const model = z.string().check(z.regex(/^[^\s\p{C}]{1,200}$/u));
const call = { call_id: id, message_id: z.nullable(id) };

/**
 * What the audit chain says about models: what left, to whom and how much, by digest and never by its text.
 * INVARIANT: `model_asked` is there before the first byte leaves.
 */
export const talkAuditSchemas = {
  model_asked: z.strictObject({
    ...call,
    host,
    model,
    bytes_sent: count,
    sha256: digest,
    taint: taintSchema,
    key_ref: z.nullable(id),
  }),
  model_answered: z.strictObject({ ...call, bytes_received: count, tokens_in: count, tokens_out: count }),
  model_gave_nothing: z.strictObject({ ...call, reason: z.enum(MODEL_FAILURES) }),
  turn_ended: z.strictObject({ message_id: id, taint: taintSchema, request_id: z.nullable(id) }),
  turn_failed: z.strictObject({ message_id: id, reason: z.enum(TURN_FAILURES) }),
} as const;

type TalkEvent = keyof typeof talkAuditSchemas;
type Sentences = { readonly [E in TalkEvent]: (data: z.infer<(typeof talkAuditSchemas)[E]>) => string };

export const talkSentences: Sentences = {
  model_asked: ({ host: at, model: name, bytes_sent }) => `Sent ${bytes_sent} bytes to the model ${name} at ${at}`,
  model_answered: ({ bytes_received, tokens_in, tokens_out }) =>
    `The model answered with ${bytes_received} bytes (${tokens_in + tokens_out} tokens)`,
  model_gave_nothing: ({ reason }) => `The model gave no answer: ${MODEL_FAILURE_WORDS[reason]}`,
  turn_ended: ({ request_id }) =>
    request_id === null ? "Answered a message" : `Answered a message, and asked for a decision (${request_id})`,
  turn_failed: ({ reason }) =>
    reason === "turn_stopped" ? "Stopped an answer" : `Could not answer a message: ${turnFailureWords(reason)}`,
};
