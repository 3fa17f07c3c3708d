import {
  grantsOf,
  grantsOfRead,
  readAsked,
  type Card,
  type Grant,
  type PendingDecision,
  type RequestKind,
  type RiskLevel,
  type ShownPayload,
} from "#model";
import { cardOfPayload, riskOfPayload } from "./card-payload.ts";
import { cardOfPlan, riskOfPlan } from "./card-plan.ts";

/** What follows from a projection alone, whatever else a row or a receipt says. */
export type Shown = {
  readonly itemId: string;
  readonly risk: RiskLevel;
  /**
   * The card as it must be, made anew. Only notes of a payload are taken from the stored one: they are the proposer's
   * words, shown as such and in no hash. Cards are always made without strong proof; it is asked of the page besides.
   */
  readonly cardAnew: (terms: ShownTerms) => Card;
  /** Null for a plan. */
  readonly payload: ShownPayload | null;
  /** As `grantsOf` gives them. */
  readonly grants: () => readonly Grant[] | null;
};
type ShownTerms = {
  readonly notes: Card["details"]["notes"];
  /** How often an approval of a plan may be used, by the settings of now. */
  readonly usesMax: number;
};

/** Null when the text is no projection of this kind. */
export function readShown(kind: RequestKind, projection: string): Shown | null {
  const strongAuth = "unavailable";
  const asked = readAsked({ kind, projection });
  if (asked === null) return null;
  const { form, read, planHash } = asked;
  const grants = () => grantsOfRead(kind, asked);
  if (form === "payload") {
    const { payload, subjectId } = read;
    return {
      itemId: subjectId,
      risk: riskOfPayload(payload),
      cardAnew: ({ notes }) => cardOfPayload({ ...read, planHash }, { notes, strongAuth }),
      payload,
      grants,
    };
  }
  const { plan } = read;
  return {
    itemId: plan.id,
    risk: riskOfPlan(plan),
    cardAnew: ({ usesMax }) => cardOfPlan(read, { usesMax, strongAuth }),
    payload: null,
    grants,
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
