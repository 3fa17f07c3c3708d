import { sha256Hex } from "#base";
import {
  grantsOf,
  isPayloadKind,
  readPayload,
  readProjection,
  type Card,
  type PendingDecision,
  type RequestKind,
  type RiskLevel,
} from "#model";
import { cardOfPayload, riskOfPayload } from "./card-payload.ts";
import { cardOfPlan, riskOfPlan } from "./card-plan.ts";

/** What follows from a projection alone, whatever else a row or a receipt says. */
type Shown = {
  readonly itemId: string;
  readonly risk: RiskLevel;
  /**
   * The card as it must be, made anew. Only notes of a payload are taken from the stored one: they are the proposer's
   * words, shown as such and in no hash. Cards are always made without strong proof; it is asked of the page besides.
   */
  readonly cardAnew: (terms: ShownTerms) => Card;
};
type ShownTerms = {
  readonly notes: Card["details"]["notes"];
  /** How often an approval of a plan may be used, by the settings of now. */
  readonly usesMax: number;
};

/** Null when the text is no projection of this kind. */
export function readShown(kind: RequestKind, projection: string): Shown | null {
  const strongAuth = "unavailable";
  if (isPayloadKind(kind)) {
    const read = readPayload(kind, projection);
    if (!read.ok) return null;
    const { payload, subjectId } = read.value;
    return {
      itemId: subjectId,
      risk: riskOfPayload(payload),
      cardAnew: ({ notes }) => cardOfPayload({ ...read.value, planHash: sha256Hex(projection) }, { notes, strongAuth }),
    };
  }
  const read = readProjection(projection);
  if (!read.ok) return null;
  const { plan } = read.value;
  return {
    itemId: plan.id,
    risk: riskOfPlan(plan),
    cardAnew: ({ usesMax }) => cardOfPlan({ ...read.value, planHash: sha256Hex(projection) }, { usesMax, strongAuth }),
  };
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
