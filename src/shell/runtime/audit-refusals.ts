import { LIMITS, type Instant } from "#base";
import type { AuditDataOf, AuditDraft } from "#model";
import type { AuditLog, Clock, Log, RefusalTally, Timers } from "#ports";

export type RefusalTallyDeps = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
};

/**
 * What is refused at the door, in the audit chain: the first is recorded at once, all others of the next minutes as one
 * entry. Who floods Silas with tries adds at most one entry of each kind per window. A crash loses the count of the open
 * window and no more.
 */
export function createRefusalTally(deps: RefusalTallyDeps): RefusalTally & { close(): Promise<void> } {
  const enrolments = createCounter(deps, {
    none: { invalid: 0, rate_limited: 0 },
    draftOf: (data) => ({ event: "enrolment_refused", data }),
  } satisfies Counting<AuditDataOf<"enrolment_refused">>);
  const callers = createCounter(deps, {
    none: { foreign_origin: 0, foreign_host: 0, unauthenticated_frame: 0 },
    draftOf: (data) => ({ event: "callers_refused", data }),
  } satisfies Counting<AuditDataOf<"callers_refused">>);
  return {
    enrolmentRefused: (reason) => enrolments.count(reason),
    callerRefused: (reason) => callers.count(reason),
    async close() {
      await enrolments.close();
      await callers.close();
    },
  };
}

type Counting<Data extends { readonly since: Instant }> = {
  readonly none: { readonly [K in Exclude<keyof Data, "since">]: 0 };
  readonly draftOf: (data: Data) => Pick<AuditDraft, "event" | "data">;
};

function createCounter<Data extends { readonly since: Instant }>(
  { audit, clock, timers, log }: RefusalTallyDeps,
  { none, draftOf }: Counting<Data>,
) {
  type Reason = Exclude<keyof Data, "since">;
  type Counts = Record<Reason, number> & { readonly since: Instant };
  let waiting: Counts | null = null;
  let cancel: (() => void) | null = null;
  const record = async (counts: Counts) => {
    // The counts are exactly the fields of this event.
    const draft = { ...draftOf(counts as Counts & Data), at: clock.now(), actor: { kind: "system" } } as AuditDraft;
    const appended = await audit.append(draft);
    if (!appended.ok) log.error("audit_append_failed", appended.error);
  };
  const openWindow = () => {
    cancel = timers.after(LIMITS.auditRefusalWindowMs, () => {
      cancel = null;
      if (waiting === null) return;
      void record(waiting);
      waiting = null;
      openWindow();
    });
  };
  return {
    count(reason: Reason): void {
      const counts = waiting ?? ({ ...none, since: clock.now() } as Counts);
      (counts as Record<Reason, number>)[reason] += 1;
      if (cancel !== null) {
        waiting = counts;
        return;
      }
      void record(counts);
      openWindow();
    },
    async close(): Promise<void> {
      cancel?.();
      cancel = null;
      if (waiting !== null) await record(waiting);
      waiting = null;
    },
  };
}
