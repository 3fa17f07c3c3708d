import { msOfInstant, type Instant } from "#base";
import type { AuditDraft } from "#model";

/** Telegram forgets what nobody took after a day, and may count anew after a week without anything: in between. */
const KNOWN_FOR_MS = 3 * 86_400_000;

/** Whether what was heard then still says what comes next. */
export const isKnown = (heardAt: Instant, at: Instant): boolean =>
  Math.abs(msOfInstant(at) - msOfInstant(heardAt)) < KNOWN_FOR_MS;

export const strangerDraft = (stranger: { readonly accountId: string; readonly at: Instant }): AuditDraft => ({
  event: "telegram_stranger_ignored",
  data: { account_id: stranger.accountId },
  at: stranger.at,
  actor: { kind: "system" },
});
