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

/**
 * Whether a row still asks what this request asks, to the last letter. An earlier version may have written the same card
 * or actor with its keys in another order, so one that differs is read; one that is damaged throws.
 */
export function isAsked(row: RequestRow, request: KeptRequest): boolean {
  const { card, proposedBy, ...asked } = request;
  const isSame =
    row.kind === asked.kind &&
    row.plan_hash === asked.planHash &&
    row.work_item_id === asked.workItemId &&
    row.risk_level === asked.riskLevel &&
    row.projection === asked.projection &&
    row.markdown === asked.markdown;
  return isSame && isSameActor(row.proposed_by, proposedBy) && isSameCard(row.card, card);
}

/**
 * The columns that say what a request asks, as they were written; null when the text of its card is not at hand. A row
 * that has exactly these asks exactly this.
 */
export function askedParams(request: KeptRequest) {
  const { requestId, kind, planHash, workItemId, riskLevel, projection, markdown, proposedBy } = request;
  const card = textsRead.get(request.card);
  if (card === undefined) return null;
  return {
    request_id: requestId,
    kind,
    plan_hash: planHash,
    work_item_id: workItemId,
    risk_level: riskLevel,
    projection,
    markdown,
    proposed_by: JSON.stringify(proposedBy),
    card,
  };
}

function isSameActor(text: string, actor: AuditActor): boolean {
  const written = JSON.stringify(actor);
  return text === written || JSON.stringify(actorOf(text)) === written;
}

/** A card that was read from this very text needs not be written to be compared with it. */
function isSameCard(text: string, card: Card): boolean {
  if (text === textsRead.get(card)) return true;
  const written = cardText(card);
  return text === written || cardText(cardOf(text)) === written;
}

const cardText = (card: Card): string => JSON.stringify(cardToWire(card));

export const actorOf = (text: string): AuditActor =>
  whole(auditActorSchema.safeParse(wholeJson(text, ACTOR)).data, ACTOR);
const ACTOR = "CARD-01 whoever proposed or decided is named";

/** A card that is no card any more is not shown with parts missing. */
function cardOf(text: string): Card {
  const kept = "CARD-01 a kept card is whole";
  const card = whole(cardSchema.safeParse(wholeJson(text, kept)).data, kept);
  textsRead.set(card, text);
  return card;
}

/** The text that each card was read from. INVARIANT: a card is never changed after it was read, only copied. */
const textsRead = new WeakMap<Card, string>();

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
