import { msOfInstant, type Instant } from "#base";
import { daysOf, type LimitValues } from "#model";

type StandingUse = { readonly issuedAt: Instant; readonly uses: number; readonly at: Instant };

const DAY_MS = 86_400_000;

/**
 * Which limit keeps a standing approval from being used once more; null where none does. What it says of itself is judged
 * besides: a limit never gives more than was signed. [AUTO-09]
 */
export function beyondLimits({ issuedAt, uses, at }: StandingUse, limits: LimitValues): StandingLimit | null {
  if (limits["standing.scope"] !== "repairs") return "standing_limit_scope";
  if (!(uses < Number(limits["standing.max_executions"]))) return "standing_limit_uses";
  const days = daysOf(limits["standing.expires_at"]);
  const isOver = days !== null && msOfInstant(at) - msOfInstant(issuedAt) >= days * DAY_MS;
  return isOver ? "standing_limit_days" : null;
}
type StandingLimit = "standing_limit_scope" | "standing_limit_uses" | "standing_limit_days";
