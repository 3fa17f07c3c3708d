import { err, ok, type Result } from "#base";
import { FRICTIONS, type DecisionRefusal, type Friction, type RiskLevel } from "#model";

/** Whether the owner has a means of strong proof here. A fact of the installation, never of the answer. */
export type StrongAuth = "available" | "unavailable";

const DEMANDED: { readonly [R in RiskLevel]: readonly Friction[] } = {
  low: ["tap"],
  medium: ["tap", "confirm"],
  high: ["tap", "slide"],
  irreversible: ["tap", "slide", "strong_auth"],
};

/** What a decision of this risk asks of a person. Without any strong proof the slide stays. [RISK-01] [RISK-02] */
export function frictionFor(risk: RiskLevel, strongAuth: StrongAuth): readonly Friction[] {
  const demanded = Object.hasOwn(DEMANDED, risk) ? DEMANDED[risk] : FRICTIONS;
  return strongAuth === "available" ? demanded : demanded.filter((friction) => friction !== "strong_auth");
}

type Performed = {
  readonly performed: readonly Friction[];
  readonly risk: RiskLevel;
  readonly strongAuth: StrongAuth;
};

/**
 * Less than demanded is refused before anything is minted; more never hurts. A claim of strong proof where there is no
 * means of it is a forged one. [APPR-08]
 */
export function judgeFriction({ performed, risk, strongAuth }: Performed): Result<void, DecisionRefusal> {
  const missing = frictionFor(risk, strongAuth).filter((friction) => !performed.includes(friction));
  if (missing.length > 0) return err({ code: "decision_friction_missing", missing });
  const isForged = strongAuth === "unavailable" && performed.includes("strong_auth");
  return isForged ? err({ code: "decision_strong_auth_unproven" }) : ok();
}

/**
 * What a page performs, from what it says and from what it will have to prove. Its word for strong proof is a wish: where
 * a passkey can be asked it is asked, for every decision that demands it and for every page that says so. [RISK-08]
 */
export function frictionOfPage({ performed: claimed, risk, strongAuth }: Performed): readonly Friction[] {
  const demanded = frictionFor(risk, strongAuth);
  const isAsked = demanded.includes("strong_auth");
  return orderedFriction(isAsked ? [...claimed, "strong_auth"] : claimed);
}

/** Each once, in the order of the ladder: what is signed says it in one way only. */
export const orderedFriction = (performed: readonly Friction[]): readonly Friction[] =>
  FRICTIONS.filter((friction) => performed.includes(friction));
