import { LIMITS, msOfInstant, type Instant } from "#base";
import type { PasskeyPurpose } from "#model";
import type { Clock } from "#ports";

/** What a browser was asked, and by whom. `begin` is the question a new passkey answers when it is made. */
type AskedFor = PasskeyPurpose | "begin";
/** What a new passkey is to be: the first of its session, or one that another vouched for. */
type NewPasskey = { readonly rpId: string; readonly as: "first" | "vouched" };
type Asked = { readonly challenge: string; readonly expiresMs: number; readonly made: NewPasskey | null };

/** Questions that wait for an answer. In memory on purpose: a restart forgets them, and the page asks again. */
export interface Challenges {
  /** Replaces the question of this session for the same purpose. */
  put(question: {
    readonly sessionId: string;
    readonly purpose: AskedFor;
    readonly challenge: string;
    readonly made?: NewPasskey;
  }): void;
  /** INVARIANT: whatever becomes of the answer, the question is gone: one answer per question. */
  take(of: { readonly sessionId: string; readonly purpose: AskedFor }): Asked | null;
}

export function createChallenges(clock: Clock): Challenges {
  const waiting = new Map<string, Asked>();
  return {
    put({ sessionId, purpose, challenge, made }) {
      const place = placeOf(sessionId, purpose);
      waiting.delete(place);
      // A map remembers the order of its entries, so the first is the oldest.
      for (const [oldest] of waiting) {
        if (waiting.size < LIMITS.passkeyChallenges) break;
        waiting.delete(oldest);
      }
      waiting.set(place, { challenge, expiresMs: laterMs(clock.now()), made: made ?? null });
    },
    take({ sessionId, purpose }) {
      const place = placeOf(sessionId, purpose);
      const asked = waiting.get(place) ?? null;
      waiting.delete(place);
      return asked !== null && asked.expiresMs > msOfInstant(clock.now()) ? asked : null;
    },
  };
}

const placeOf = (sessionId: string, purpose: AskedFor): string => `${purpose} ${sessionId}`;
const laterMs = (at: Instant): number => msOfInstant(at) + LIMITS.passkeyChallengeMs;
