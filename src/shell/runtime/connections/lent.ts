import type { Timers } from "#ports";

/** What a service gave for one call of one step. It is in no store and in no vault, and goes with the call. [PERM-05] */
type Lent = {
  readonly connectionId: string;
  readonly permissions: readonly string[];
  readonly secrets: ReadonlyMap<string, Uint8Array>;
};
/** Which step of which run it was lent to. */
export type Borrower = { readonly runId: string; readonly stepIndex: number };

export type LentSecrets = {
  lend(to: Borrower, what: Lent): void;
  /** Whether that step has something to take. */
  has(to: Borrower): boolean;
  /** Takes it away for good: there is no second call. Whoever takes it overwrites it. */
  take(to: Borrower): Lent | null;
  close(): void;
};

/** A step that does not come to its call has nothing of it after this. */
const LENT_MS = 600_000;

export function createLentSecrets({ timers }: { readonly timers: Timers }): LentSecrets {
  const lent = new Map<string, { readonly what: Lent; readonly cancel: () => void }>();
  const take = (key: string): Lent | null => {
    const found = lent.get(key);
    found?.cancel();
    lent.delete(key);
    return found?.what ?? null;
  };
  const drop = (key: string): void => wipe(take(key)?.secrets ?? new Map());
  return {
    lend(to, what) {
      const key = keyOf(to);
      drop(key);
      lent.set(key, { what, cancel: timers.after(LENT_MS, () => drop(key)) });
    },
    has: (to) => lent.has(keyOf(to)),
    take: (to) => take(keyOf(to)),
    close: () => [...lent.keys()].forEach(drop),
  };
}

const keyOf = ({ runId, stepIndex }: Borrower): string => `${runId} ${stepIndex}`;

export function wipe(secrets: ReadonlyMap<string, Uint8Array>): void {
  for (const secret of secrets.values()) secret.fill(0);
}
