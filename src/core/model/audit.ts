import * as z from "zod/mini";
import { LIMITS, type Instant, type Sha256Hex } from "#base";
import type { HeadsSigned } from "./audit/heads.ts";
import { autonomyAuditSchemas } from "./autonomy/autonomy-audit.ts";
import { batchAuditSchemas } from "./batch/batch-audit.ts";
import { busAuditSchemas } from "./bus/bus-audit.ts";
import { egressAuditSchemas } from "./egress/egress-audit.ts";
import { connectionAuditSchemas } from "./connection/connection-audit.ts";
import { consultAuditSchemas } from "./consult/consult-audit.ts";
import { credentialAuditSchemas } from "./secret/credential-audit.ts";
import { gateAuditSchemas } from "./gate/gate-audit.ts";
import { goalAuditSchemas } from "./goal/goal-audit.ts";
import type { SignatureHex } from "./keys.ts";
import { PASSKEY_PURPOSES } from "./passkey/passkeys.ts";
import { FRICTIONS } from "./cards.ts";
import { HOLD_REASONS, VOIDED_ACT } from "./audit/hold.ts";
import { digest, id, instantSchema, maxLength, nameSchema, numberText } from "./values.ts";
import { memoryAuditSchemas } from "./memory/memory-audit.ts";
import { taintSchema } from "./message/taint.ts";
import { skillAuditSchemas } from "./skill/skill-audit.ts";
import { suggestionAuditSchemas } from "./suggestion/suggestion-audit.ts";
import { timerAuditSchemas } from "./timer/timer-audit.ts";
import { telegramAuditSchemas } from "./telegram/telegram-audit.ts";
import { talkAuditSchemas } from "./talk/talk-audit.ts";
import { runAuditSchemas } from "./work/run-audit.ts";

const count = z.int().check(z.gte(0));
/** A snake_case code, never a sentence: prose could carry what somebody typed. */
const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const version = z.string().check(z.regex(/^[0-9A-Za-z.+-]{1,64}$/));
const signature = z.string().check(z.regex(/^[0-9a-f]{128}$/));
const act = { act_id: id };
const asked = { request_id: id, plan_hash: digest, work_item_id: id };

/**
 * Every event of the audit chain with the whole of what it may say. INVARIANT: a field that is not named here never gets
 * into the chain, and no field holds free text but the name a person gave a device or key. [AUD-08]
 */
export const auditDataSchemas = {
  instance_started: z.strictObject({ version, ended_cleanly: z.boolean() }),
  instance_stopped: z.strictObject({}),
  /** Bugs that ended a piece of work and not Silas, by where they were caught; the log has each. */
  faults_caught: z.strictObject({ telegram: count, process: count, since: instantSchema }),
  device_enrolled: z.strictObject({ session_id: id, device_name: nameSchema }),
  device_revoked: z.strictObject({ session_id: id, device_name: nameSchema }),
  enrolment_refused: z.strictObject({ invalid: count, rate_limited: count, since: instantSchema }),
  /** Pages of other origins, other names for this server, and frames before a sign-in. */
  callers_refused: z.strictObject({
    foreign_origin: count,
    foreign_host: count,
    unauthenticated_frame: count,
    since: instantSchema,
  }),
  /** A browser offered a key that waits for the terminal; it signs nothing yet. */
  device_key_offered: z.strictObject({ key_id: id, key_name: nameSchema, session_id: id }),
  /** An offer that showed no proof, or a code that no waiting device shows; null where it was no device that asked. */
  device_key_refused: z.strictObject({ reason: code, session_id: z.nullable(id) }),
  journal_import_started: z.strictObject(act),
  journal_imported: z.strictObject({ ...act, added: count, replaced: count, unchanged: count, conflicts: count }),
  journal_import_failed: z.strictObject({ ...act, reason: code }),
  journal_export_started: z.strictObject(act),
  journal_exported: z.strictObject({ ...act, lines: count }),
  journal_export_failed: z.strictObject({ ...act, reason: code }),
  backup_created: z.strictObject({ files: count, bytes: count }),
  backup_restore_started: z.strictObject({ ...act, backup_created_at: instantSchema }),
  backup_restored: z.strictObject({
    ...act,
    backup_created_at: instantSchema,
    /** Where the replaced chain ended; null when it could not be read. */
    replaced: z.nullable(z.strictObject({ seq: count, hash: digest })),
  }),
  backup_restore_failed: z.strictObject({ ...act, reason: code }),
  /**
   * This database took the place of a newer one, or of one that may have been newer: no approval that was given before
   * this entry begins anything any more. `replaced` is the last entry that was noted and is not in this chain.
   */
  approvals_voided: z.strictObject({
    act_id: z.literal(VOIDED_ACT),
    reason: z.enum(["backup_restored", ...HOLD_REASONS]),
    replaced: z.nullable(z.strictObject({ seq: count, hash: digest })),
  }),
  /**
   * With the device it belongs to, when a browser holds it, and the signature of the key that vouches for it.
   * `countersigned`: it was enrolled before enrolments were signed, and the vault vouched for it later.
   */
  key_enrolled: z.strictObject({
    key_id: id,
    key_name: nameSchema,
    session_id: z.optional(id),
    signed_by: z.optional(id),
    signature: z.optional(signature),
    countersigned: z.optional(z.literal(true)),
  }),
  key_used: z.strictObject({ key_id: id, purpose: z.enum(["approval", "file", "key", "message", "self_test"]) }),
  key_revoked: z.strictObject({ key_id: id, key_name: nameSchema }),
  passkey_added: z.strictObject({ passkey_id: id, passkey_name: nameSchema, session_id: id }),
  passkey_used: z.strictObject({ passkey_id: id, session_id: id, purpose: z.enum(PASSKEY_PURPOSES) }),
  passkey_removed: z.strictObject({ passkey_id: id, passkey_name: nameSchema, session_id: id }),
  /** An answer of a passkey that did not hold, and the first reason why. */
  passkey_refused: z.strictObject({ session_id: id, purpose: z.enum(PASSKEY_PURPOSES), reason: code }),
  approval_requested: z.strictObject({ ...asked, risk: code }),
  approval_granted: z.strictObject({
    ...asked,
    token_id: id,
    key_id: id,
    use_number: count,
    lineage_id: id,
    /** What a person did to approve. */
    friction: z.array(z.enum(FRICTIONS)).check(maxLength(FRICTIONS.length)),
  }),
  /** An approval for tasks that a goal will make; each use of it is recorded by itself. */
  approval_standing: z.strictObject({ ...asked, act_id: z.optional(id), token_id: id, key_id: id, uses_max: count }),
  approval_used: z.strictObject({
    token_id: id,
    plan_hash: digest,
    /** What it was used for: the plan itself, or the task that a goal made. */
    content_hash: digest,
    key_id: id,
    use_number: count,
    lineage_id: id,
  }),
  approval_declined: z.strictObject(asked),
  /** Some of a batch was chosen: that is asked in its place, and nobody declined it. */
  approval_replaced: z.strictObject(asked),
  /** Nobody decided: it counts neither as a decline nor as anything else. */
  approval_expired: z.strictObject(asked),
  /** An approval that did not hold, and the first reason why. */
  approval_refused: z.strictObject({ ...asked, reason: code }),
  /** The name of a secret and nothing about it. [SECRET-08] */
  secret_asked: z.strictObject({ ref_id: id }),
  secret_stored: z.strictObject({ ref_id: id }),
  secret_removed: z.strictObject({ ref_id: id }),
  message_received: z.strictObject({ message_id: id, channel: code, taint: code, key_id: z.nullable(id) }),
  /** A signature that would count, on a message that came before or was not written just now. */
  message_replay_refused: z.strictObject({ message_id: id, key_id: id, reason: code }),
  /** A signature that does not hold, or by a key that does not count. */
  message_signature_refused: z.strictObject({ message_id: id, key_id: id, reason: code }),
  message_blocked: z.strictObject({ message_id: id }),
  /** The owner's signed decision to trust exactly this message. */
  message_endorsed: z.strictObject({ message_id: id, token_id: id }),
  access_changed: z.strictObject({ connection_id: id, level_before: id, level: id, customer_id: z.nullable(id) }),
  ...gateAuditSchemas,
  ...autonomyAuditSchemas,
  ...batchAuditSchemas,
  ...busAuditSchemas,
  ...runAuditSchemas,
  ...goalAuditSchemas,
  ...egressAuditSchemas,
  ...credentialAuditSchemas,
  ...telegramAuditSchemas,
  ...skillAuditSchemas,
  ...suggestionAuditSchemas,
  ...timerAuditSchemas,
  ...connectionAuditSchemas,
  ...memoryAuditSchemas,
  ...talkAuditSchemas,
  ...consultAuditSchemas,
  migration_applied: z.strictObject({ store: z.enum(["journal", "runtime"]), migration: id }),
  /** Names the key that signed the head, and so records this use of it; null where none could. */
  audit_checkpoint: z.strictObject({ checkpoint_id: id, key_id: z.nullable(id) }),
} as const;

export type AuditEvent = keyof typeof auditDataSchemas;
export type AuditDataOf<E extends AuditEvent> = z.infer<(typeof auditDataSchemas)[E]>;

export const auditActorSchema = z.discriminatedUnion("kind", [
  /** The owner, from a signed-in device. */
  z.strictObject({ kind: z.literal("owner"), session_id: id }),
  /** The owner, at the terminal of the machine. */
  z.strictObject({ kind: z.literal("terminal") }),
  /** Silas itself. */
  z.strictObject({ kind: z.literal("system") }),
  /** A model, with the least trust of all that it had read. It asks; it never decides. */
  z.strictObject({ kind: z.literal("model"), taint: taintSchema }),
]);
export type AuditActor = z.infer<typeof auditActorSchema>;
/** Whoever can do more than ask. */
export type Acting = Exclude<AuditActor, { readonly kind: "model" }>;

/** What is to be recorded, before it has its place in the chain. */
export type AuditDraft = {
  readonly [E in AuditEvent]: {
    readonly event: E;
    readonly data: AuditDataOf<E>;
    readonly at: Instant;
    readonly actor: AuditActor;
  };
}[AuditEvent];

/** A recorded entry as it is read back. An event of a later version is kept and shown by its name. */
export type AuditEntry = {
  readonly seq: number;
  readonly at: Instant;
  readonly event: string;
  readonly actor: AuditActor;
  readonly data: { readonly [field: string]: unknown };
  readonly prev_hash: Sha256Hex;
  readonly hash: Sha256Hex;
};

/** An entry as it is stored: its canonical text, and the hash of exactly that text. */
export type AuditRow = { readonly seq: number; readonly text: string; readonly hash: string };

/** The last entry of a chain, or of a part of it. */
export type AuditHead = { readonly seq: number; readonly hash: string };

/** A place up to which the chain was verified, signed where a key was at hand. */
export type AuditCheckpoint = AuditHead & { readonly checkpointId: string; readonly signature: SignatureHex | null };

/** The first thing wrong with a chain, and the entry where it shows. */
export type AuditBreak =
  | {
      readonly code:
        | "entry_missing"
        | "entry_changed"
        | "entry_moved"
        | "previous_differs"
        | "entries_cut"
        | "head_differs"
        | "head_missing"
        | "heads_unsigned"
        | "head_signature_missing"
        | "head_signature_invalid";
      readonly seq: number;
    }
  | { readonly code: "head_key_unknown"; readonly seq: number; readonly keyId: string }
  | {
      readonly code: "checkpoint_differs" | "checkpoint_missing";
      readonly seq: number;
      readonly checkpointId: string;
    }
  | { readonly code: "checkpoint_unknown"; readonly checkpointId: string }
  | { readonly code: "heads_unreadable"; readonly line: number }
  | { readonly code: "file_unreadable"; readonly line: number; readonly reason: string };

export type AuditVerdict =
  | ({
      readonly valid: true;
      readonly entriesChecked: number;
      readonly head: AuditHead;
      /** Heads kept apart from the entries that were held against them. */
      readonly headsChecked: number;
    } & HeadsSigned)
  | { readonly valid: false; readonly entriesChecked: number; readonly broken: AuditBreak };

/** Newest first. */
export type AuditQuery = {
  /** Only entries before this one. */
  readonly beforeSeq: number | null;
  /** At or after this moment. */
  readonly from: Instant | null;
  /** Before this moment. */
  readonly to: Instant | null;
  readonly limit: number;
};

const rowNumber = numberText(15);

/** The address of `GET /api/activity`. Times are moments: where a day begins is for whoever shows it. */
export const activityQuerySchema = z.strictObject({
  from: z.optional(instantSchema),
  to: z.optional(instantSchema),
  before_seq: z.optional(rowNumber),
  limit: z.optional(rowNumber.check(z.gte(1), z.lte(LIMITS.pageRows))),
});

/** `GET /api/activity`: what happened, in sentences, newest first. */
export type ActivityItem = {
  readonly seq: number;
  readonly at: Instant;
  readonly event: string;
  readonly actor: AuditActor;
  readonly sentence: string;
  /** `unfinished`: it was begun, and no end of it is recorded. */
  readonly state: "done" | "failed" | "unfinished";
  readonly data: { readonly [field: string]: unknown };
  readonly hash: string;
  /** The hash of the entry before it, which this one's hash covers. */
  readonly prev_hash: string;
};
export type ActivityPage = {
  readonly items: readonly ActivityItem[];
  /** Ask again with this as `before_seq` for what came earlier; null at the beginning. */
  readonly next_before_seq: number | null;
};

/** The address of `GET /api/activity/chain`: without `whole` only the entries since the last checkpoint are verified. */
export const chainQuerySchema = z.strictObject({ whole: z.optional(z.literal("true")) });

/** `GET /api/activity/chain`: whether the chain holds, as far as it was asked for. */
export type ChainBody =
  | {
      readonly ok: true;
      readonly entries_checked: number;
      readonly head: AuditHead;
      /** Marks of the chain kept beside it, how many of them one of the owner's keys signed, and when last. */
      readonly heads: { readonly kept: number; readonly signed: number; readonly last_signed_at: Instant | null };
    }
  | {
      readonly ok: false;
      readonly entries_checked: number;
      readonly broken: AuditBreak;
      /** What is wrong, in words. */
      readonly message: string;
    };
