import * as z from "zod/mini";
import {
  assert,
  canonicalJson,
  err,
  LIMITS,
  ok,
  parseCanonicalJson,
  parseStrictJson,
  sha256Hex,
  type JsonValue,
  type Result,
} from "#base";
import type { ApprovalScope } from "../approvals.ts";
import { decisionShape, draftShape, isAnswerable } from "../ask/question-shapes.ts";
import { LIMIT_KEYS } from "../autonomy/limits.ts";
import type { RequestKind } from "../cards.ts";
import { TAINTS, taintSchema, type Taint } from "../message/taint.ts";
import { escalationShape } from "../connection/escalation-payload.ts";
import { connectionSetupShape } from "../connection/setup-payload.ts";
import { isWholeInstall, skillInstallShape } from "../skill/skill-install.ts";
import { digest, id, instantSchema, maxLength, minLength } from "../values.ts";
import { batchProposalSchema, projectBatch } from "./batch.ts";
import { line } from "./fields.ts";
import type { ProjectionRefusal } from "./plan-projection.ts";
import { stepShape } from "./step-question.ts";

/**
 * What may be approved besides a plan. Each kind is proposed in its wire form and has a projection of its own: the
 * values an approval is bound to, and nothing else. No projection has the fields of another kind. [APPR-10]
 */

const count = z.int().check(z.gte(0));

const changeSchema = z.strictObject({
  key: z.enum(LIMIT_KEYS),
  current_value: line(LIMITS.titleChars),
  proposed_value: line(LIMITS.titleChars),
  direction: z.enum(["widen", "tighten"]),
});

/** What was seen, and what is to change because of it; all of it is bound. */
const thresholdShape = {
  scope_id: id,
  goal_id: z.nullable(id),
  changes: z.array(changeSchema).check(minLength(1), maxLength(LIMITS.planParts)),
  sample_size: count,
  correction_rate: z.number().check(z.gte(0), z.lte(1)),
  evidence_window: line(LIMITS.titleChars),
} as const;
const thresholdProjection = z.strictObject(thresholdShape);

/** The text itself is part of it, so that it is read and not only its digest; the digest is that of the text. */
const promotionShape = {
  item_id: id,
  item_digest: digest,
  content: z.string().check(maxLength(LIMITS.textChars)),
  from: taintSchema,
  to: taintSchema,
  /** For a memory; without it the item is a message. A memory is verified by it, whoever's words it holds. */
  memory: z.optional(
    z.strictObject({ scope_id: id, trust_from: z.literal("working"), trust_to: z.literal("verified") }),
  ),
} as const;
const promotionProjection = z.strictObject(promotionShape).check(z.refine(isPromotion, "not_a_promotion"));

/** One value that a gate stopped, and the digest of everything else the gate saw. */
const gateShape = {
  scope_id: id,
  gate: line(LIMITS.nameChars),
  trigger: z.enum(["every_user_message", "every_agent_response", "after_step", "on_tool_call"]),
  value: z.union([z.string().check(maxLength(LIMITS.textChars)), z.number()]),
  context_digest: digest,
} as const;
const gateProjection = z.strictObject(gateShape);
const stepProjection = z.strictObject(stepShape);
const decisionProjection = z.strictObject(decisionShape).check(z.refine(isAnswerable, "not_answerable"));
const draftProjection = z.strictObject(draftShape);
const skillProjection = z.strictObject(skillInstallShape).check(z.refine(isWholeInstall, "not_the_files"));
const connectionProjection = z.strictObject(connectionSetupShape);
const escalationProjection = z.strictObject(escalationShape);

const batchProjection = z
  .strictObject({
    goal_id: id,
    action: z.string(),
    params: z.nullable(z.record(z.string(), z.json())),
    item_ids: z.array(z.string()).check(minLength(1)),
    count,
  })
  .check(z.refine(({ item_ids, count: said }) => item_ids.length === said, "count_differs"));

const PROJECTIONS = {
  batch_review: batchProjection,
  autonomy_threshold: thresholdProjection,
  memory_promotion: promotionProjection,
  gate_approval: gateProjection,
  step_approval: stepProjection,
  decision: decisionProjection,
  draft_review: draftProjection,
  skill_install: skillProjection,
  connection_setup: connectionProjection,
  permission_escalation: escalationProjection,
} as const;
export type PayloadKind = keyof typeof PROJECTIONS;
type ProjectionOf<K extends PayloadKind> = z.infer<(typeof PROJECTIONS)[K]>;
/** A projection with its kind: what a card is made of. */
export type ShownPayload = { readonly [K in PayloadKind]: { readonly kind: K } & ProjectionOf<K> }[PayloadKind];

/** What is proposed. Words about it, such as titles and reasons, are shown and not signed. */
export const payloadSchema = z.discriminatedUnion("kind", [
  batchProposalSchema,
  z.strictObject({
    kind: z.literal("autonomy_threshold"),
    proposal_id: id,
    ...thresholdShape,
    rationale: line(LIMITS.planTextChars),
    /** What the proposer thinks of it. The risk that counts follows from the table. [RISK-03] */
    risk_level: z.enum(["medium", "high"]),
    created_at: instantSchema,
  }),
  z
    .strictObject({ kind: z.literal("memory_promotion"), ...promotionShape })
    .check(z.refine(isPromotion, "not_a_promotion")),
  z.strictObject({ kind: z.literal("gate_approval"), ...gateShape }),
  z.strictObject({ kind: z.literal("step_approval"), ...stepShape }),
  z.strictObject({ kind: z.literal("decision"), ...decisionShape }).check(z.refine(isAnswerable, "not_answerable")),
  z.strictObject({ kind: z.literal("draft_review"), ...draftShape }),
  z
    .strictObject({ kind: z.literal("skill_install"), ...skillInstallShape })
    .check(z.refine(isWholeInstall, "not_the_files")),
  z.strictObject({ kind: z.literal("connection_setup"), ...connectionSetupShape }),
  z.strictObject({ kind: z.literal("permission_escalation"), ...escalationShape }),
]);
export type Payload = z.infer<typeof payloadSchema>;
export type PayloadBody = z.input<typeof payloadSchema>;
/** What is wrong with it; nothing was asked. */
export type PayloadRefused = { readonly code: "payload_refused"; readonly reason: string };

/** What an approval of each kind says it is for. Kinds that share one have no projection in common. */
export const SCOPE_OF_KIND = {
  plan_approval: "full_plan",
  batch_review: "connection_act",
  autonomy_threshold: "autonomy_threshold",
  memory_promotion: "memory_promotion",
  gate_approval: "single_step",
  step_approval: "single_step",
  decision: "single_step",
  draft_review: "single_step",
  skill_install: "skill_install",
  connection_setup: "connection_manage",
  permission_escalation: "connection_manage",
} as const satisfies { readonly [K in RequestKind]: ApprovalScope };

/** What kinds of request a token of this scope can come from; none for a scope nobody asks for yet. */
export function kindsOfScope(scope: ApprovalScope): readonly RequestKind[] {
  if (scope === "standing") return ["plan_approval"];
  const kinds = Object.keys(SCOPE_OF_KIND) as readonly RequestKind[];
  return kinds.filter((kind) => SCOPE_OF_KIND[kind] === scope);
}

/** The values an approval binds, as canonical text. Whatever is not in it neither changes the hash nor the effect. */
export function payloadProjection(payload: Payload): string {
  const text = canonicalJson(boundValues(payload));
  assert(text.ok, "APPR-10 a payload that was read has canonical bytes");
  return text.value;
}

function boundValues(payload: Payload): object {
  switch (payload.kind) {
    case "batch_review":
      return projectBatch(payload);
    case "autonomy_threshold": {
      const { scope_id, goal_id, changes, sample_size, correction_rate, evidence_window } = payload;
      return { scope_id, goal_id, changes, sample_size, correction_rate, evidence_window };
    }
    case "memory_promotion":
    case "gate_approval":
    case "step_approval":
    case "decision":
    case "draft_review":
    case "skill_install":
    case "connection_setup":
    case "permission_escalation": {
      const { kind: _kind, ...bound } = payload;
      return bound;
    }
  }
}

/** The words around it: titles and reasons, which help to decide and are not signed. */
export function payloadSays(payload: Payload): { readonly [field: string]: JsonValue } {
  const bound = new Set(["kind", ...Object.keys(boundValues(payload))]);
  return Object.fromEntries(Object.entries(payload).filter(([field]) => !bound.has(field))) as Record<
    string,
    JsonValue
  >;
}

export type ReadPayload = {
  readonly payload: ShownPayload;
  /** What the token names as its item. */
  readonly subjectId: string;
  /** All of it, as it was hashed. */
  readonly whole: { readonly [field: string]: JsonValue };
};

/** Reads a projection of this kind from its canonical text; any other spelling of the same values is refused. */
export function readPayload(kind: PayloadKind, text: string): Result<ReadPayload, ProjectionRefusal> {
  const parsed = parseCanonicalJson(text);
  if (!parsed.ok) return unreadable(parsed.error.code);
  const read = PROJECTIONS[kind].safeParse(parsed.value);
  if (!read.success) return unreadable(read.error.issues[0]?.path.join(".") ?? `not_a_${kind}`);
  const payload = { kind, ...read.data } as ShownPayload;
  return ok({ payload, subjectId: subjectOf(payload), whole: parsed.value as ReadPayload["whole"] });
}

function subjectOf(payload: ShownPayload): string {
  switch (payload.kind) {
    case "batch_review":
      return payload.goal_id;
    case "autonomy_threshold":
      return payload.goal_id ?? payload.scope_id;
    case "memory_promotion":
      return payload.item_id;
    case "gate_approval":
      return payload.scope_id;
    case "step_approval":
    case "decision":
    case "draft_review":
    case "permission_escalation":
      return payload.operation_id;
    case "skill_install":
      return skillSubject(payload.name);
    case "connection_setup":
      return payload.connection_id;
  }
}

/** No plan has such an id, so that nothing about the one is taken for the other. */
const skillSubject = (name: string): string => `skill:${name}`;

export const isPayloadKind = (kind: RequestKind): kind is PayloadKind => Object.hasOwn(PROJECTIONS, kind);

/** Reads what was proposed from its text, as a file or a store holds it. */
export function parsePayload(text: string): Result<Payload, ProjectionRefusal> {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return unreadable(parsed.error.code);
  const read = payloadSchema.safeParse(parsed.value);
  if (read.success) return ok(read.data);
  const [issue] = read.error.issues;
  return unreadable(issue?.path.join(".") || issue?.message || "not_a_payload");
}

/** Trust only rises by it, and the text is the one the digest names. */
function isPromotion({ item_digest: said, content, from, to, memory }: Promotion): boolean {
  const rises =
    memory === undefined ? TAINTS.indexOf(to) < TAINTS.indexOf(from) : to === "owner" && TAINTS.includes(from);
  return rises && sha256Hex(content) === said;
}
type Promotion = {
  readonly memory?: object | undefined;
  readonly item_digest: string;
  readonly content: string;
  readonly from: Taint;
  readonly to: Taint;
};

const unreadable = (reason: string) => err({ code: "projection_unreadable", reason } as const);
