import { LIMITS, type Instant } from "#base";
import type { AuditLog, Clock, Log, RefusalTally, Timers } from "#ports";

export type RefusalTallyDeps = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
};

type Counts = { invalid: number; rate_limited: number; since: Instant };

/**
 * Refused sign-ins in the audit chain: the first is recorded at once, all others of the next minutes as one entry. Who
 * floods Silas with tries adds at most one entry per window. A crash loses the count of the open window and no more.
 */
export function createRefusalTally(deps: RefusalTallyDeps): RefusalTally & { close(): Promise<void> } {
  let waiting: Counts | null = null;
  let cancel: (() => void) | null = null;
  const record = async (data: Counts) => {
    const appended = await deps.audit.append({
      event: "enrolment_refused",
      data,
      at: deps.clock.now(),
      actor: { kind: "system" },
    });
    if (!appended.ok) deps.log.error("audit_append_failed", appended.error);
  };
  const openWindow = () => {
    cancel = deps.timers.after(LIMITS.auditRefusalWindowMs, () => {
      cancel = null;
      if (waiting === null) return;
      void record(waiting);
      waiting = null;
      openWindow();
    });
  };
  return {
    enrolmentRefused(reason) {
      const counts = waiting ?? { invalid: 0, rate_limited: 0, since: deps.clock.now() };
      counts[reason] += 1;
      if (cancel !== null) {
        waiting = counts;
        return;
      }
      void record(counts);
      openWindow();
    },
    async close() {
      cancel?.();
      cancel = null;
      if (waiting !== null) await record(waiting);
      waiting = null;
    },
  };
}
