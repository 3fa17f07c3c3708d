/** Timers, as the terminal and a channel may see them. Each part sets its own; nobody else does. */
import type { Result } from "#base";
import type { StoreFault, Timer } from "#model";

export interface TimersDoor {
  /** In order of their keys, one page at most. */
  list(): Promise<Result<readonly Timer[], StoreFault>>;
}
