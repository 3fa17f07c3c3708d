import { instantFromMs, msOfInstant } from "#base";
import type { Clock, TurnStore } from "#ports";

export type DayTokens = {
  /** Everything that uses tokens of the day. */
  readonly counts: readonly Pick<TurnStore, "tokensSince">[];
  readonly clock: Clock;
};

const DAY_MS = 86_400_000;

/** Tokens of the last 24 hours, whatever they were used for; null when it cannot be counted, and then nobody is asked. */
async function tokensOfDay({ counts, clock }: DayTokens): Promise<number | null> {
  const since = instantFromMs(msOfInstant(clock.now()) - DAY_MS);
  if (!since.ok) return null;
  let sum = 0;
  for (const count of counts) {
    const used = await count.tokensSince(since.value);
    if (!used.ok) return null;
    sum += used.value;
  }
  return sum;
}

type Wanted = { readonly tokens: number; readonly tokensPerDay: number };

export async function hasRoom(day: DayTokens, { tokens, tokensPerDay }: Wanted): Promise<boolean> {
  const used = await tokensOfDay(day);
  return used !== null && used + tokens <= tokensPerDay;
}
