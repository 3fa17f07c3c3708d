import * as z from "zod/mini";
import { isWellFormed, LIMITS, sha256Hex, type Instant } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import type { AuditActor } from "../audit.ts";
import { taintSchema } from "../message/taint.ts";
import { instantSchema, numberText, recordIdSchema, maxLength, minLength } from "../values.ts";

/** What a memory is about. */
export const MEMORY_TYPES = [
  "fact",
  "episode",
  "preference",
  "skill_note",
  "decision",
  "foresight",
  "profile",
] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** `active` takes part in every search; `low_reingestion` is found only by who looks there. */
export const REINGESTION_TIERS = ["active", "low_reingestion"] as const;

/** `working` until the owner signed for it; `constitutional` are the standing rules of the configuration. */
export const TRUST_LEVELS = ["working", "verified", "constitutional"] as const;

const words = z.string().check(
  maxLength(LIMITS.memoryChars),
  z.refine<string>(isWellFormed, "invalid_text"),
  z.refine<string>((text) => !text.includes("\u0000"), "nul_character"),
  z.refine<string>((text) => text.trim() !== "", "blank_text"),
);
const tag = z.string().check(maxLength(LIMITS.nameChars), z.regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}_:/.-]*$/u));
const tags = z.array(tag).check(
  maxLength(LIMITS.memoryTags),
  z.refine<string[]>((list) => new Set(list).size === list.length, "twice"),
);
const type = z.enum(MEMORY_TYPES);
const refs = z.array(recordIdSchema).check(maxLength(LIMITS.memoryTags));

/** A memory as it is kept and shown. Whose it is and how far it is trusted have no default. */
export const memoryItemSchema = recordOf(
  z.strictObject({
    memory_id: recordIdSchema,
    scope_id: z.string().check(minLength(1)),
    content: words,
    memory_type: type,
    reingestion_tier: z.enum(REINGESTION_TIERS),
    trust_level: z.enum(TRUST_LEVELS),
    taint: taintSchema,
    created_at: instantSchema,
    updated_at: instantSchema,
    valid_from: z.nullable(instantSchema),
    valid_until: z.nullable(instantSchema),
    access_count: z.int().check(z.gte(0)),
    last_accessed: z.nullable(instantSchema),
    semantic_tags: tags,
    entity_refs: refs,
    causal_refs: refs,
    temporal_next: z.nullable(recordIdSchema),
    temporal_prev: z.nullable(recordIdSchema),
    session_id: z.nullable(z.string()),
    /** How it came in: `owner_entry`, `foreign_entry`, `message` or `configuration`. */
    source_kind: z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/)),
    /** The message it was made of. */
    source_id: z.nullable(recordIdSchema),
    /** The owner's signed decision that raised it, if there is one. */
    endorsed: z.nullable(z.strictObject({ token_id: z.string(), at: instantSchema })),
  }),
);
export type MemoryItem = z.infer<typeof memoryItemSchema>;
export type MemoryItemBody = z.input<typeof memoryItemSchema>;
export const memoryToWire = writerOf(memoryItemSchema);

/** A standing rule is named by its own words: other words are another rule. */
export const ruleId = (content: string): string => `rule-${sha256Hex(content).slice(0, 32)}`;

/**
 * `POST /api/memory`. Who sends it says whose words they are, and that can only lower how far they are trusted; a message
 * brings its own trust along. [TAINT-05]
 */
export const rememberSchema = z.discriminatedUnion("from", [
  z.strictObject({ from: z.literal("own"), content: words, memory_type: type, semantic_tags: tags }),
  z.strictObject({ from: z.literal("foreign"), content: words, memory_type: type, semantic_tags: tags }),
  z.strictObject({
    from: z.literal("message"),
    message_id: recordIdSchema,
    memory_type: type,
    semantic_tags: tags,
  }),
]);
export type Remembering = z.infer<typeof rememberSchema>;

/** `POST /api/memory/:id/change`: other words for the same memory. */
export const changeMemorySchema = z.strictObject({ from: z.enum(["own", "foreign"]), content: words });
export type ChangingMemory = z.infer<typeof changeMemorySchema>;
/** `POST /api/memory/:id/forget` and `/promote` take nothing but their address. */
export const memoryActSchema = z.strictObject({});

const limit = z.optional(numberText(3).check(z.gte(1), z.lte(LIMITS.pageRows)));
/** `GET /api/memory`: newest first; ask again with `next_before` as `before` for what is older. */
export const memoryListSchema = z.strictObject({ before: z.optional(recordIdSchema), limit });
/** `GET /api/memory/search` */
export const memorySearchSchema = z.strictObject({ q: z.string().check(maxLength(LIMITS.titleChars)), limit });

/** Newest first, of one scope and never of another. */
export type MemoryQuery = {
  readonly scopeId: string;
  /** Only those before this one. */
  readonly before: string | null;
  readonly limit: number;
};
/** Best first, of one scope and never of another. */
export type MemorySearch = {
  readonly scopeId: string;
  readonly text: string;
  readonly limit: number;
  /** Whether every word has to be there: somebody who searches means all, a message is only about some. */
  readonly words: "all" | "any";
};
export type MemoryPlace = { readonly scopeId: string; readonly memoryId: string };

/** A memory in its new form, and who made it so. */
export type KeptMemory = { readonly item: MemoryItem; readonly actor: AuditActor };
/** The owner's signed decision about exactly this memory with exactly these words. */
export type PromotedMemory = MemoryPlace & {
  readonly requestId: string;
  readonly tokenId: string;
  readonly itemDigest: string;
  readonly at: Instant;
  readonly actor: AuditActor;
};
export type ForgottenMemory = MemoryPlace & { readonly at: Instant; readonly actor: AuditActor };
/** What was shown to a model, and when. */
export type UsedMemories = { readonly scopeId: string; readonly memoryIds: readonly string[]; readonly at: Instant };
/** Every standing rule of a scope, as the configuration says at this moment. */
export type StandingRules = {
  readonly scopeId: string;
  readonly rules: readonly KeptMemory[];
  readonly at: Instant;
};
