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

/** Less than demanded is refused before anything is minted; more never hurts. [APPR-08] */
export function judgeFriction({
  performed,
  risk,
  strongAuth,
}: {
  readonly performed: readonly Friction[];
  readonly risk: RiskLevel;
  readonly strongAuth: StrongAuth;
}): Result<void, DecisionRefusal> {
  const missing = frictionFor(risk, strongAuth).filter((friction) => !performed.includes(friction));
  return missing.length === 0 ? ok() : err({ code: "decision_friction_missing", missing });
}
