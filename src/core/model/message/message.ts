import * as z from "zod/mini";
import { isWellFormed, LIMITS, type Instant } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import type { AuditActor } from "../audit.ts";
import { keyIdSchema } from "../keys.ts";
import type { SecretRefusal } from "../secret/secret-scan.ts";
import { digestSchema as digest, instantSchema, numberText, recordIdSchema, maxLength, minLength } from "../values.ts";
import type { NonceSpending } from "./nonce.ts";
import { sourceSchema, taintSchema } from "./taint.ts";

const CHANNELS = ["web", "telegram", "cli", "webhook"] as const;
export type Channel = (typeof CHANNELS)[number];

const words = z.string().check(
  maxLength(LIMITS.textChars),
  z.refine<string>(isWellFormed, "invalid_text"),
  z.refine<string>((text) => !text.includes("\u0000"), "nul_character"),
  z.refine<string>((text) => text.trim() !== "", "blank_text"),
);
const reference = z
  .string()
  .check(minLength(1), maxLength(LIMITS.pathChars), z.refine<string>(isWellFormed, "invalid_text"));

/** A nonce is chosen by whoever signs: 16 to 64 bytes in lower-case hex. */
const messageNonceSchema = z.string().check(z.regex(/^(?:[0-9a-f]{2}){16,64}$/));

/**
 * What a sender claims with a signature. The signature itself is text of any shape: a wrong one is an answer, not a
 * malformed request, and the message is kept as one from outside. [MSG-07]
 */
export const messageClaimSchema = z.strictObject({
  key_id: keyIdSchema,
  timestamp: instantSchema,
  nonce: messageNonceSchema,
  signature: z.string().check(maxLength(1024)),
});
export type MessageClaim = z.infer<typeof messageClaimSchema>;

const spoken = {
  text: words,
  /** Paths or addresses; what they hold is never taken for the owner's own words. */
  attachments: z.prefault(z.array(reference).check(maxLength(LIMITS.messageSources)), []),
  /** The message this one answers. */
  reply_to: z.prefault(z.nullable(recordIdSchema), null),
  /** Messages whose words this one repeats. */
  quotes: z.prefault(z.array(recordIdSchema).check(maxLength(LIMITS.messageSources)), []),
} as const;

/** `POST /api/messages/say`: words to be signed here, by the owner's own key. */
export const ownWordsSchema = z.strictObject(spoken);
export type OwnWords = z.infer<typeof ownWordsSchema>;

/** `POST /api/messages`. A sender says nothing about its own trust: fields such as `taint` or `scope` do not exist. */
export const sentMessageSchema = z.strictObject({
  ...spoken,
  signed: z.prefault(z.nullable(messageClaimSchema), null),
});
export type SentMessage = z.infer<typeof sentMessageSchema>;

/** Why a message is from where it says, or why that was not believed. */
const ORIGINS = [
  "signature",
  "identity",
  "unknown_sender",
  "signature_invalid",
  "key_unknown",
  "key_revoked",
  "timestamp_stale",
  "timestamp_ahead",
  "nonce_used",
] as const;
export type Origin = (typeof ORIGINS)[number];

/** What was made harmless in a text from outside, and how often. */
const SCRUB_KINDS = ["hidden", "role_marker", "tool_call", "delimiter"] as const;
export type ScrubKind = (typeof SCRUB_KINDS)[number];
const finding = z.strictObject({ kind: z.enum(SCRUB_KINDS), count: z.int().check(z.gte(1)) });

/**
 * `received` until its gates have run; `waiting` while one of them needs the owner's decision; in the end `accepted`, or
 * `blocked` and never used.
 */
const MESSAGE_STATES = ["received", "waiting", "accepted", "blocked"] as const;

/** A message as it is kept and shown. */
export const keptMessageSchema = recordOf(
  z.strictObject({
    message_id: recordIdSchema,
    scope_id: z.string(),
    connection_id: z.string(),
    channel: z.enum(CHANNELS),
    sender_id: z.string(),
    received_at: instantSchema,
    /** Of the words themselves, as they are trusted now; what they are about is in `sources`. */
    taint: taintSchema,
    /** How they came in; together with `endorsed` it says why they are trusted as they are. */
    origin: z.enum(ORIGINS),
    /** The claim as it came, also one that was not believed. */
    signed: z.nullable(messageClaimSchema),
    /** What is used: made harmless when it came from outside, and as the gates left it. */
    text: z.string(),
    /** SHA-256 of the text as it was sent. */
    original_digest: digest,
    scrubbed: z.array(finding),
    sources: z.array(sourceSchema),
    access_level: z.string(),
    state: z.enum(MESSAGE_STATES),
    /** The gate that stopped it or changed its text, what it said, and the hash of the decision it asks for. */
    gate: z.nullable(
      z.strictObject({
        name: z.string(),
        reason: z.string(),
        plan_hash: z.nullable(digest),
        /** What its sender is told of it, through the gates for answers; absent in rows of earlier versions. */
        told: z.optional(z.string()),
      }),
    ),
    /** The signed decision of the owner that raised it, if there is one. */
    endorsed: z.nullable(z.strictObject({ token_id: z.string(), at: instantSchema })),
  }),
);
export type KeptMessage = z.infer<typeof keptMessageSchema>;
export type KeptMessageBody = z.input<typeof keptMessageSchema>;

export const keptMessageToWire = writerOf(keptMessageSchema);

/** For bodies and rows that Silas wrote itself; null for anything else. */
export function keptMessageFromWire(body: unknown): KeptMessage | null {
  const parsed = keptMessageSchema.safeParse(body);
  return parsed.success ? parsed.data : null;
}

/** A claim that was made and not believed: it is written into the audit log. [MSG-05] [MSG-07] */
export function refusedClaim(origin: Origin): "replay" | "signature" | null {
  switch (origin) {
    case "nonce_used":
    case "timestamp_stale":
    case "timestamp_ahead":
      return "replay";
    case "signature_invalid":
    case "key_unknown":
    case "key_revoked":
      return "signature";
    default:
      return null;
  }
}

/** A message on its way in. Which of the two it becomes is decided by its nonce, in the commit that keeps it. */
export type Reception = {
  readonly first: KeptMessage;
  /** With what has to be spent for it; null when there is nothing to spend. */
  readonly replay: { readonly message: KeptMessage; readonly spending: NonceSpending } | null;
  readonly actor: AuditActor;
};

/** What the gates made of a message. One that is accepted has a turn from that commit on. */
export type Settlement = {
  readonly messageId: string;
  readonly state: "waiting" | "accepted" | "blocked";
  readonly text: string;
  readonly gate: KeptMessage["gate"];
  readonly at: Instant;
  readonly actor: AuditActor;
};

/** The owner's signed decision to trust exactly this message. */
export type Endorsing = {
  readonly messageId: string;
  readonly tokenId: string;
  readonly at: Instant;
  readonly actor: AuditActor;
};

/** Newest first. */
export type MessageQuery = {
  readonly scopeId: string;
  /** Only messages before this one. */
  readonly before: string | null;
  readonly limit: number;
};

/** `GET /api/messages`: newest first; ask again with `next_before` as `before` for what came earlier. */
export const messagesQuerySchema = z.strictObject({
  before: z.optional(recordIdSchema),
  limit: z.optional(numberText(3).check(z.gte(1), z.lte(LIMITS.pageRows))),
});
/** `POST /api/messages/endorse` */
export const endorseMessageSchema = z.strictObject({ message_id: recordIdSchema });

/** What the sender is told at once: the message as it is kept, and a receipt in Silas's own words. Its gates follow. */
export type Acknowledged = { readonly message: KeptMessage; readonly reply: string };
/** `POST /api/messages` and `POST /api/messages/say` */
export type AcknowledgedBody = {
  readonly outcome: "accepted";
  readonly message: KeptMessageBody;
  readonly reply: string;
};

/** A message whose gates have not run, as it is shown meanwhile: a gate may take words out of it. */
export const withheld = (message: KeptMessage): KeptMessage => ({ ...message, text: "" });

/** Why nothing was kept or changed. */
export type MessageRefusal =
  | SecretRefusal
  | { readonly code: "message_unknown"; readonly messageId: string }
  | { readonly code: "message_settled"; readonly messageId: string }
  /** It counts as the owner's already. */
  | { readonly code: "message_trusted"; readonly messageId: string }
  | { readonly code: "message_not_accepted"; readonly messageId: string; readonly state: KeptMessage["state"] };
