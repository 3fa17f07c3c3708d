import { ok, type Instant } from "#base";
import { messageNonceKey, type NonceAnswer, type NonceSpending } from "#model";
import type { NonceStore } from "#ports";

/** The in-memory twin of the nonce store: the same behaviour in the plainest code. */
export function createMemoryNonceStore(): NonceStore & { readonly spendNow: (spending: NonceSpending) => NonceAnswer } {
  const recorded = new Map<string, Instant>();
  let floor = "";
  const spendNow = ({ nonce, at, earliest }: NonceSpending): NonceAnswer => {
    const key = messageNonceKey(nonce);
    if (earliest < floor || recorded.has(key)) return "used";
    recorded.set(key, at);
    return "fresh";
  };
  return {
    spendNow,
    spend: async (spending) => ok(spendNow(spending)),
    prune: async (before) => {
      const old = [...recorded].filter(([, at]) => at < before);
      for (const [key] of old) recorded.delete(key);
      if (old.length > 0 && before > floor) floor = before;
      return ok(old.length);
    },
  };
}
