import { instantFromMs, msOfInstant, type Instant } from "#base";
import type { ConnectionRecord, HealthCheck } from "#model";

/** What is to be done after a look at a connection. */
type CarePlan =
  | { readonly kind: "nothing" }
  | { readonly kind: "refresh_now" }
  | { readonly kind: "refresh_at"; readonly at: Instant }
  /** The error speaks of the token: renewing comes first. [RECOV-03] */
  | { readonly kind: "refresh_then_recover" }
  | { readonly kind: "recover" };

type LookedAt = { readonly health: HealthCheck; readonly at: Instant; readonly aheadMs: number };

const OF_TOKEN = /\b(?:token|expired|401|unauthori[sz]ed|invalid_grant)\b/i;

/** Decided by what the look said and by nothing else. [REFRESH-01] [REFRESH-02] [REFRESH-06] [RECOV-03] [RECOV-04] */
export function planCare({ health, at, aheadMs }: LookedAt): CarePlan {
  if (!health.healthy) return { kind: OF_TOKEN.test(health.error ?? "") ? "refresh_then_recover" : "recover" };
  return planRefresh({ expiresAt: health.token_expires_at, at, aheadMs });
}

type Expiring = { readonly expiresAt: Instant | null; readonly at: Instant; readonly aheadMs: number };

function planRefresh({ expiresAt, at, aheadMs }: Expiring): CarePlan {
  if (expiresAt === null) return { kind: "nothing" };
  const due = instantFromMs(msOfInstant(expiresAt) - aheadMs);
  if (!due.ok || due.value <= at) return { kind: "refresh_now" };
  return { kind: "refresh_at", at: due.value };
}

/** The record after a look that found it healthy. */
export const lookedAt = (
  record: ConnectionRecord,
  { health, at }: Pick<LookedAt, "health" | "at">,
): ConnectionRecord => ({
  ...record,
  tokenExpiresAt: health.token_expires_at,
  refreshTokenExpiresAt: health.refresh_token_expires_at ?? record.refreshTokenExpiresAt,
  lastHealthCheck: at,
});
