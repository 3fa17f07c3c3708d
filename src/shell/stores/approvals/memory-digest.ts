import type { DecisionDigest, DecisionRow, DigestLimits, KeptRequest } from "#model";

/** The twin's lists, from every request in the order of their making. */
export function digestOf(all: readonly KeptRequest[], limits: DigestLimits): DecisionDigest {
  const repeated = new Set(all.map(({ againOf }) => againOf));
  const decided = all
    .filter(({ state }) => state === "approved" || state === "declined")
    .toSorted((a, b) => ((a.decidedAt ?? "") + a.requestId < (b.decidedAt ?? "") + b.requestId ? 1 : -1));
  return {
    pending: all.filter(({ state }) => state === "pending").map(rowOf),
    missed: all
      .filter(({ state, requestId }) => state === "expired" && !repeated.has(requestId))
      .toReversed()
      .slice(0, limits.missed)
      .map(rowOf),
    decided: decided.slice(0, limits.decided).map(rowOf),
    weighed: decided
      .filter(({ riskLevel }) => riskLevel !== "low")
      .flatMap(({ activeSince, decidedAt }) =>
        activeSince === null || decidedAt === null ? [] : [{ activeSince, decidedAt }],
      )
      .slice(0, limits.weighed),
  };
}

const rowOf = (request: KeptRequest): DecisionRow => ({
  requestId: request.requestId,
  kind: request.kind,
  intent: request.card.intent,
  riskLevel: request.riskLevel,
  createdAt: request.createdAt,
  activeSince: request.activeSince,
  expiresAt: request.expiresAt,
  state: request.state,
  decidedAt: request.decidedAt,
  decidedBy: request.decidedBy,
  againOf: request.againOf,
});
