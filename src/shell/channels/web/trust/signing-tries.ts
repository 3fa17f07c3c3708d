import { err, ok, type Result } from "#base";
import type { Caller } from "../device-sessions.ts";
import type { Refusal } from "../refusals.ts";
import type { WebContext } from "../web-context.ts";

/**
 * What does not hold is an entry of the audit chain each time, so whoever holds a session may try only so often: the
 * chain must not be filled by one who has nothing but a token. [T22]
 */
export const takeTry = (context: Limited, { sessionId }: Caller): Result<void, Refusal> => take(context, sessionId);

/**
 * The same for acts that hold, are recorded each time and can be repeated without end, such as exports and taking a stop
 * back. INVARIANT: what stops, pauses or ends something never asks here.
 */
export const takeAct = (context: Limited, { sessionId }: Caller): Result<void, Refusal> =>
  take(context, `act ${sessionId}`);

type Limited = Pick<WebContext, "limits">;

function take({ limits }: Limited, key: string): Result<void, Refusal> {
  const rate = limits.signingTries.take(key);
  return rate.allowed ? ok() : err({ code: "rate_limited", retry_after_ms: rate.retryAfterMs });
}
