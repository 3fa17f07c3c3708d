import { LIMITS, msOfInstant, type Instant } from "#base";
import type { AuditDataOf, AuditDraft } from "#model";
import type { AuditLog, Clock, FaultTally, Log, RefusalTally, Timers } from "#ports";

type TallyDeps = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
};

type Tallies = {
  readonly refusals: RefusalTally;
  readonly faults: FaultTally;
  close(): Promise<void>;
};

/**
 * What is refused at the door and what failed by a bug, in the audit chain: the first is recorded at once, all others of
 * the next minutes as one entry. A flood of either adds at most one entry of each kind per window. A crash loses the
 * count of the open window and no more.
 */
export function createTallies(deps: TallyDeps): Tallies {
  const enrolments = createCounter(deps, {
    none: { invalid: 0, rate_limited: 0 },
    draftOf: (data) => ({ event: "enrolment_refused", data }),
  } satisfies Counting<AuditDataOf<"enrolment_refused">>);
  const callers = createCounter(deps, {
    none: { foreign_origin: 0, foreign_host: 0, unauthenticated_frame: 0 },
    draftOf: (data) => ({ event: "callers_refused", data }),
  } satisfies Counting<AuditDataOf<"callers_refused">>);
  const faults = createCounter(deps, {
    none: { telegram: 0, process: 0 },
    draftOf: (data) => ({ event: "faults_caught", data }),
  } satisfies Counting<AuditDataOf<"faults_caught">>);
  return {
    refusals: { enrolmentRefused: enrolments.count, callerRefused: callers.count },
    faults: {
      caught(part, cause) {
        deps.log.error(`${part}_fault_caught`, { cause });
        faults.count(part);
      },
    },
    async close() {
      for (const { close } of [enrolments, callers, faults]) await close();
    },
  };
}

type Counting<Data extends { readonly since: Instant }> = {
  readonly none: { readonly [K in Exclude<keyof Data, "since">]: 0 };
  readonly draftOf: (data: Data) => Pick<AuditDraft, "event" | "data">;
};

function createCounter<Data extends { readonly since: Instant }>(
  { audit, clock, timers, log }: TallyDeps,
  { none, draftOf }: Counting<Data>,
) {
  type Reason = Exclude<keyof Data, "since">;
  type Counts = Record<Reason, number> & { readonly since: Instant };
  /** Counted in the window that is open and not recorded yet. */
  let waiting: Counts | null = null;
  let windowEndMs = 0;
  let cancel: (() => void) | null = null;
  const record = async (counts: Counts) => {
    // The counts are exactly the fields of this event.
    const draft = { ...draftOf(counts as Counts & Data), at: clock.now(), actor: { kind: "system" } } as AuditDraft;
    const appended = await audit.append(draft);
    if (!appended.ok) log.error("audit_append_failed", appended.error);
  };
  const recordWaiting = async (): Promise<void> => {
    cancel?.();
    cancel = null;
    const counts = waiting;
    waiting = null;
    windowEndMs = msOfInstant(clock.now()) + LIMITS.auditRefusalWindowMs;
    if (counts !== null) await record(counts);
  };
  return {
    count(reason: Reason): void {
      const leftMs = windowEndMs - msOfInstant(clock.now());
      waiting ??= { ...none, since: clock.now() } as Counts;
      (waiting as Record<Reason, number>)[reason] += 1;
      // A clock that was set back leaves a window that ends too late.
      if (leftMs <= 0 || leftMs > LIMITS.auditRefusalWindowMs) void recordWaiting();
      else cancel ??= timers.after(leftMs, () => void recordWaiting());
    },
    close: recordWaiting,
  };
}
