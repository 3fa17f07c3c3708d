import { onlyTightens, type Card, type LimitChange, type RiskLevel, type ShownPayload } from "#model";
import { quantity } from "../card-words.ts";
import { riskOf } from "../risk.ts";

type Limits = Extract<ShownPayload, { readonly kind: "autonomy_threshold" }>;

/**
 * By what the changes do and not by what they say of themselves: what only narrows is one tap, everything else weighs as
 * a change of what happens without asking does. [RISK-03] [AUTO-16]
 */
export function limitRisk(changes: readonly LimitChange[]): RiskLevel {
  const action = onlyTightens(changes) ? "tighten_limits" : "widen_limits";
  return riskOf({ scope: "autonomy_threshold", actions: [action], reversibility: "reversible" });
}

type Words = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
  readonly tighten: string | null;
};

export function limitWords({ changes, sample_size, correction_rate }: Limits): Words {
  const isNarrowing = onlyTightens(changes);
  const widening = changes.filter(({ direction }) => direction === "widen").length;
  const effect = isNarrowing
    ? "Silas would ask you more often than now."
    : `${widening} of ${quantity(changes.length, "change")} would widen what Silas may do.`;
  const counted =
    sample_size === 0
      ? "No decisions were counted for it."
      : `Of ${quantity(sample_size, "decision")} you corrected ${Math.round(correction_rate * 1000) / 10} percent.`;
  return {
    intent: isNarrowing
      ? `Tighten ${quantity(changes.length, "limit")} of what runs without asking`
      : `Change ${quantity(changes.length, "limit")} of what runs without asking`,
    rationale: `${effect} ${counted}`,
    affectedItems: { count: changes.length, summary: quantity(changes.length, "limit") },
    approve: `Approve: ${isNarrowing ? "tighten" : "change"} ${quantity(changes.length, "limit")}`,
    decline: "Decline: every limit stays as it is",
    tighten: isNarrowing ? null : "Tighten now: Silas asks more often instead",
  };
}
