import { err, ok, type Result } from "#base";
import type { Caller } from "../device-sessions.ts";
import type { Refusal } from "../refusals.ts";
import type { WebContext } from "../web-context.ts";

/**
 * What does not hold is an entry of the audit chain each time, so whoever holds a session may try only so often: the
 * chain must not be filled by one who has nothing but a token. [T22]
 */
export function takeTry({ limits }: Pick<WebContext, "limits">, { sessionId }: Caller): Result<void, Refusal> {
  const rate = limits.signingTries.take(sessionId);
  return rate.allowed ? ok() : err({ code: "rate_limited", retry_after_ms: rate.retryAfterMs });
}
