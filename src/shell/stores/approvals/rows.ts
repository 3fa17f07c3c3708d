import type { Instant, Sha256Hex } from "#base";
import {
  auditActorSchema,
  cardSchema,
  cardToWire,
  type ApprovalUse,
  type AuditActor,
  type Card,
  type KeptRequest,
  type KeyId,
  type StoredToken,
} from "#model";
import { whole, wholeJson } from "../store-fault.ts";

/** Rows of `silas.db` as the values of `#model`, and back. */

export type RequestRow = {
  readonly request_id: string;
  readonly kind: string;
  readonly plan_hash: string;
  readonly work_item_id: string;
  readonly risk_level: string;
  readonly projection: string;
  readonly card: string;
  readonly intent: string;
  readonly markdown: string;
  readonly again_of: string | null;
  readonly created_at: string;
  readonly proposed_by: string;
  readonly active_since: string | null;
  readonly expires_at: string | null;
  readonly state: string;
  readonly decided_at: string | null;
  readonly decided_by: string | null;
  readonly token_id: string | null;
  /** No column: read from the request that names this one. */
  readonly replaced_by?: string | null;
};

/** Every column of a request, and what is asked in its place. */
export const REQUESTS_SQL = `SELECT d.*,
    (SELECT n.request_id FROM pending_decisions n WHERE n.again_of = d.request_id) AS replaced_by
  FROM pending_decisions d`;

export const requestOf = (row: RequestRow): KeptRequest => ({
  requestId: row.request_id,
  ...openingOf(row),
  kind: row.kind as KeptRequest["kind"],
  workItemId: row.work_item_id,
  riskLevel: row.risk_level as KeptRequest["riskLevel"],
  projection: row.projection,
  card: cardOf(row.card),
  markdown: row.markdown,
  againOf: row.again_of,
  createdAt: row.created_at as Instant,
  proposedBy: actorOf(row.proposed_by),
  activeSince: row.active_since as Instant | null,
  tokenId: row.token_id,
});

/** What decides whether it can still be decided, without its card. */
export const openingOf = (row: RequestRow): Opening => ({
  state: row.state as KeptRequest["state"],
  planHash: row.plan_hash as Sha256Hex,
  expiresAt: row.expires_at as Instant | null,
  decidedAt: row.decided_at as Instant | null,
  decidedBy: row.decided_by === null ? null : actorOf(row.decided_by),
  replacedBy: row.replaced_by ?? null,
});
export type Opening = Pick<KeptRequest, "state" | "planHash" | "expiresAt" | "decidedAt" | "decidedBy" | "replacedBy">;

/** The columns that say what a request asks. They are written once. */
const ASKED = ["kind", "plan_hash", "work_item_id", "risk_level", "projection", "markdown"] as const;

/**
 * Whether a row still asks what this request asks, to the last letter. An earlier version may have written the same card
 * or actor with its keys in another order, so one that differs is read; one that is damaged throws.
 */
export function isAsked(row: RequestRow, request: KeptRequest): boolean {
  const params = requestParams(request);
  if (ASKED.some((column) => row[column] !== params[column])) return false;
  if (row.proposed_by !== params.proposed_by && JSON.stringify(actorOf(row.proposed_by)) !== params.proposed_by) {
    return false;
  }
  return row.card === params.card || cardText(cardOf(row.card)) === params.card;
}

const cardText = (card: Card): string => JSON.stringify(cardToWire(card));

export const actorOf = (text: string): AuditActor =>
  whole(auditActorSchema.safeParse(wholeJson(text, ACTOR)).data, ACTOR);
const ACTOR = "CARD-01 whoever proposed or decided is named";

/** A card that is no card any more is not shown with parts missing. */
function cardOf(text: string): Card {
  const kept = "CARD-01 a kept card is whole";
  return whole(cardSchema.safeParse(wholeJson(text, kept)).data, kept);
}

export const requestParams = (request: KeptRequest): Omit<RequestRow, "replaced_by"> => ({
  request_id: request.requestId,
  kind: request.kind,
  plan_hash: request.planHash,
  work_item_id: request.workItemId,
  risk_level: request.riskLevel,
  projection: request.projection,
  card: cardText(request.card),
  intent: request.card.intent,
  markdown: request.markdown,
  again_of: request.againOf,
  created_at: request.createdAt,
  proposed_by: JSON.stringify(request.proposedBy),
  active_since: request.activeSince,
  expires_at: request.expiresAt,
  state: request.state,
  decided_at: request.decidedAt,
  decided_by: request.decidedBy === null ? null : JSON.stringify(request.decidedBy),
  token_id: request.tokenId,
});

export type TokenRow = {
  readonly token_id: string;
  readonly nonce: string;
  readonly plan_hash: string;
  readonly key_id: string;
  readonly max_executions: number;
  readonly token: string;
};

export const tokenOf = (row: TokenRow): StoredToken => ({
  tokenId: row.token_id,
  nonce: row.nonce,
  planHash: row.plan_hash as Sha256Hex,
  keyId: row.key_id as KeyId,
  maxExecutions: row.max_executions,
  text: row.token,
});

export const tokenParams = (token: StoredToken): TokenRow => ({
  token_id: token.tokenId,
  nonce: token.nonce,
  plan_hash: token.planHash,
  key_id: token.keyId,
  max_executions: token.maxExecutions,
  token: token.text,
});

/** Whether two are the same to the last byte. */
export const sameToken = (a: StoredToken, b: StoredToken): boolean =>
  JSON.stringify(tokenParams(a)) === JSON.stringify(tokenParams(b));

export type UseRow = {
  readonly nonce: string;
  readonly use_number: number;
  readonly content_hash: string;
  readonly lineage_id: string;
  readonly used_at: string;
};

export const useOf = (row: UseRow): ApprovalUse => ({
  nonce: row.nonce,
  useNumber: row.use_number,
  contentHash: row.content_hash as Sha256Hex,
  attemptLineage: row.lineage_id,
  at: row.used_at as Instant,
});
