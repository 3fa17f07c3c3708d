import {
  grantsOf,
  isPayloadKind,
  projectionRows,
  readPayload,
  readProjection,
  type Card,
  type CardRow,
  type PendingDecision,
  type RequestKind,
  type RiskLevel,
} from "#model";
import { cardForShown, riskOfPayload } from "./card-payload.ts";
import { cardForPlan, riskOfPlan } from "./card-plan.ts";

/** What follows from a projection alone, whatever else a row or a receipt says. */
type Shown = { readonly itemId: string; readonly risk: RiskLevel; readonly rows: readonly CardRow[] };

/** Null when the text is no projection of this kind. */
export function readShown(kind: RequestKind, projection: string): Shown | null {
  if (isPayloadKind(kind)) {
    const read = readPayload(kind, projection);
    if (!read.ok) return null;
    const { payload, subjectId, whole } = read.value;
    return { itemId: subjectId, risk: riskOfPayload(payload), rows: projectionRows(whole) };
  }
  const read = readProjection(projection);
  if (!read.ok) return null;
  const { plan, whole } = read.value;
  return { itemId: plan.id, risk: riskOfPlan(plan), rows: projectionRows(whole) };
}

type Asked = Pick<PendingDecision, "kind" | "projection" | "card"> & {
  /** How often an approval of a plan may be used, by the settings of now. */
  readonly usesMax: number;
};

/**
 * The card as it must be, made anew. Only notes of a payload are taken from the stored one: they are the proposer's
 * words, shown as such and in no hash. Cards are always made without strong proof; it is asked of the page besides.
 */
export function cardAnew({ kind, projection, card, usesMax }: Asked): Card | null {
  const strongAuth = "unavailable";
  const made = isPayloadKind(kind)
    ? cardForShown({ kind, projection, notes: card.details.notes, strongAuth })
    : cardForPlan({ projection, usesMax, strongAuth });
  return made.ok ? made.value : null;
}

/** The settings that every approval follows. */
type MintSettings = { readonly maxExecutions: number; readonly ttlMs: number };

/**
 * A request as it is shown to be decided: its card names the terms that its own token would be minted with now. A card
 * that asks for no signature has none.
 */
export function withTerms<R extends PendingDecision>(request: R, { maxExecutions, ttlMs }: MintSettings): R {
  const own = request.state === "pending" ? grantsOf(request)?.[0] : undefined;
  if (own === undefined) return request;
  const terms = { maxExecutions: own.usesMax ?? maxExecutions, validMs: ttlMs };
  return { ...request, card: { ...request.card, terms } };
}
