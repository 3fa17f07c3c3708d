import type { Timers } from "#ports";

export type Alarm = {
  /** Rings once after this time; a time that was set before is forgotten. */
  set(delayMs: number): void;
  isSet(): boolean;
  cancel(): void;
};

/**
 * The one place of the product that wakes again and again. Ringing answers with when to ring next, or null to wait until
 * somebody sets it. Nothing of it is durable: what must happen although the process ended is a row or a message.
 */
export function createAlarm(timers: Timers, ring: () => Promise<number | null>): Alarm {
  let pending: (() => void) | null = null;
  /** How often it was set or cancelled: what a ring answers counts only if neither happened meanwhile. */
  let changes = 0;
  const cancel = (): void => {
    changes += 1;
    pending?.();
    pending = null;
  };
  const ringNow = async (): Promise<void> => {
    pending = null;
    const before = changes;
    const next = await ring();
    if (next !== null && before === changes) set(next);
  };
  const set = (delayMs: number): void => {
    cancel();
    pending = timers.after(delayMs, () => void ringNow());
  };
  return { set, isSet: () => pending !== null, cancel };
}
