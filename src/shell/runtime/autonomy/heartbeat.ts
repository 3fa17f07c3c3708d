import { LIMITS, type Result } from "#base";
import type { Log, Timers } from "#ports";

type Beating = {
  readonly isEnabled: boolean;
  readonly check: () => Promise<Result<unknown, { readonly code: string }>>;
  readonly timers: Timers;
  readonly log: Log;
};

/** Looks at the decisions from time to time. Switched off it registers nothing at all. [AUTO-19] */
export function createHeartbeat({ isEnabled, check, timers, log }: Beating): { start(): void; close(): void } {
  let cancel: (() => void) | null = null;
  const counted = async (): Promise<void> => {
    try {
      const checked = await check();
      if (!checked.ok) log.error("limits_not_checked", checked.error);
    } catch (cause) {
      log.error("limits_not_checked", { cause });
    }
  };
  const beat = (): void => {
    cancel = timers.after(LIMITS.autonomyBeatMs, beat);
    void counted();
  };
  return {
    start() {
      if (isEnabled) beat();
    },
    close: () => cancel?.(),
  };
}
