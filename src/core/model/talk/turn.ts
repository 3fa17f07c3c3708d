import * as z from "zod/mini";
import { isWellFormed, LIMITS, type Instant } from "#base";
import type { ValueKind } from "../config-nodes.ts";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import type { KeptMessage, KeptMessageBody } from "../message/message.ts";
import { TAINTS, taintSchema, type Taint } from "../message/taint.ts";
import { id, instantSchema, maxLength, recordIdSchema } from "../values.ts";
import { MODEL_FAILURES } from "./model-words.ts";
import type { MessageOf } from "../bus/queue-message.ts";

/**
 * `waiting`: its question is on the queue; `asking`: it was put to the model, and no answer is kept yet; `answered`: the
 * answer is kept, and what follows from it is not done yet; `ended`: there is a reply; `failed`: there is none.
 */
const TURN_STATES = ["waiting", "asking", "answered", "ended", "failed"] as const;
type TurnState = (typeof TURN_STATES)[number];
/** Why there is no whole reply, besides what kept the model from answering. Only a stopped turn keeps a part of one. */
export const TURN_FAILURES = [...MODEL_FAILURES, "turn_interrupted", "turn_given_up", "turn_stopped"] as const;
export type TurnFailure = (typeof TURN_FAILURES)[number];

const count = z.int().check(z.gte(0));

/** What became of the plan of an answer: a request that waits for the owner, or why nobody is asked. */
const proposedSchema = z.strictObject({ request_id: z.nullable(id), refused: z.nullable(z.string()) });

/** One message and what was answered to it. It belongs to the message: there is one for each at most. */
export const turnSchema = recordOf(
  z.strictObject({
    message_id: recordIdSchema,
    scope_id: id,
    turn_number: z.int().check(z.gte(1)),
    state: z.enum(TURN_STATES),
    began_at: instantSchema,
    asked_at: z.nullable(instantSchema),
    ended_at: z.nullable(instantSchema),
    /** What the model said, as it said it; used and never shown. */
    answer: z.nullable(z.string()),
    /** What was said to the owner: through the gates, and trusted as the least of what it was made of. */
    reply: z.nullable(z.string()),
    /** Of everything that the model was shown; null before it was asked. */
    taint: z.nullable(taintSchema),
    /** What was not shown to it, and why. */
    left_out: z.array(z.string()),
    tokens_used: count,
    plan: z.nullable(proposedSchema),
    failure: z.nullable(z.enum(TURN_FAILURES)),
  }),
);
export type Turn = z.infer<typeof turnSchema>;
type TurnBody = z.input<typeof turnSchema>;

export const turnToWire = writerOf(turnSchema);
/** For bodies and rows that Silas wrote itself; null for anything else. */
export function turnFromWire(body: unknown): Turn | null {
  const parsed = turnSchema.safeParse(body);
  return parsed.success ? parsed.data : null;
}

export const isTurnOver = ({ state }: Pick<Turn, "state">): boolean => state === "ended" || state === "failed";

export type ToldTurnBody = Omit<TurnBody, "answer">;
export function toldTurnToWire(turn: Turn): ToldTurnBody {
  const { answer: _answer, ...told } = turnToWire(turn);
  return told;
}
export function toldTurnFromWire(body: object): Turn | null {
  return turnFromWire({ ...body, answer: null });
}

const words = z
  .string()
  .check(maxLength(LIMITS.textChars), z.refine<string>(isWellFormed, "invalid_text"), z.regex(/\S/));

/** The text of a plan file, whatever it says. */
/* @__NO_SIDE_EFFECTS__ */
export function planText(): ValueKind<string> {
  const schema = z.string().check(maxLength(LIMITS.planBytes), z.refine<string>(isWellFormed, "invalid_text"));
  return { schema, expected: "the text of a plan file", reading: "text", role: "plain" };
}
const beside = {
  continuation_of: z.optional(z.nullable(z.string().check(maxLength(LIMITS.idChars)))),
  needs_approval: z.optional(z.boolean()),
} as const;

/**
 * What the planner answered, as it is kept until it is concluded. It proposes: `needs_approval` is read and has no effect, and no field of it could run,
 * grant or change anything: `execute_next` and `abort` carry no plan, and so nothing is asked. [FLOW-07] [FLOW-10] [ROLE-11]
 */
export const agentResponseSchema = z.strictObject({
  message: words,
  plan_action: z.optional(
    z.nullable(
      z.union([
        z.strictObject({ action: z.enum(["propose", "revise"]), plan_markdown: planText().schema, ...beside }),
        z.strictObject({
          action: z.enum(["execute_next", "abort"]),
          plan_markdown: z.optional(z.nullable(planText().schema)),
          ...beside,
        }),
      ]),
    ),
  ),
});
export type AgentResponse = z.infer<typeof agentResponseSchema>;
type PlanAction = NonNullable<AgentResponse["plan_action"]>;
/** One that carries a plan, which then enters the one way to an approval. [FLOW-10] */
type CarriedPlan = Extract<PlanAction, { readonly action: "propose" | "revise" }>;
export const carriesPlan = (action: PlanAction): action is CarriedPlan =>
  action.action === "propose" || action.action === "revise";

/** A change of a turn. INVARIANT: only from the state it names; whoever comes late changes nothing. */
export type TurnChange = {
  readonly from: TurnState;
  readonly turn: Turn;
  readonly at: Instant;
};
export type TurnRefusal =
  | { readonly code: "turn_unknown"; readonly messageId: string }
  | { readonly code: "turn_moved_on"; readonly messageId: string; readonly state: TurnState };

/** A message and its turn; none before its gates have let it pass, or when it came to an earlier version without a model. */
export type Exchange = { readonly message: KeptMessage; readonly turn: Turn | null };
/** Whether nothing more comes by itself: it was answered, or a gate stopped it. */
export function isExchangeOver({ message, turn }: Exchange): boolean {
  if (message.state === "received") return false;
  return message.state !== "accepted" || turn === null || isTurnOver(turn);
}

/** `GET /api/messages/turn?message_id=`: one message and its turn, as far as they are. */
export type TurnAnswerBody = { readonly message: KeptMessageBody | null; readonly turn: ToldTurnBody | null };
export const turnQuerySchema = z.strictObject({ message_id: recordIdSchema });
/** `POST /api/messages/stop`: ends the answer that is being written. */
export const stopTurnSchema = z.strictObject({ message_id: recordIdSchema });
export type StoppedTurnBody = { readonly outcome: "stopped" | "not_answering" };

type Kept = Pick<KeptMessage, "messageId" | "scopeId" | "taint" | "sources">;

/** Tells the turn runner of a message that was kept. The id follows from it, so that its turn is held once. [BUS-15] */
export const userMessageOf = (message: Kept, at: Instant): MessageOf<"user_message"> =>
  toTurn(message, { suffix: "", at });

/** Tells it once more, of a message that the owner let through after a gate had asked. */
export const letThroughOf = (message: Kept, at: Instant): MessageOf<"user_message"> =>
  toTurn(message, { suffix: ":let_through", at });

/** The message that a queue message of these two is about; null for any other. */
export const messageIdIn = (queueId: string): string | null =>
  /^user_message:([^:]+)(?::let_through)?$/.exec(queueId)?.[1] ?? null;

type Told = { readonly suffix: string; readonly at: Instant };

/** It names the message, whose words are loaded from the store, and is trusted as its least trusted part. */
const toTurn = ({ messageId, scopeId, taint, sources }: Kept, { suffix, at }: Told): MessageOf<"user_message"> => ({
  id: `user_message:${messageId}${suffix}`,
  kind: "user_message",
  sentBy: "user",
  scopeId,
  traceId: messageId,
  taint: leastTrusted([taint, ...sources.map((source) => source.taint)]),
  createdAt: at,
  payload: { messageId },
});

const leastTrusted = (taints: readonly Taint[]): Taint =>
  TAINTS[Math.max(...taints.map((taint) => TAINTS.indexOf(taint)))] ?? "external";
