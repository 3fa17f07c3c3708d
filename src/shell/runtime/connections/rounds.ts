import { instantFromMs, LIMITS, msOfInstant, type Instant } from "#base";
import { createMutex, type KeptConnection } from "#ports";
import { loadTimetable } from "../goals/timetable.ts";
import { careFor, untilMs } from "./care.ts";
import type { ConnectionDeps } from "./deps.ts";

/** Looks at every active connection when that is due. */
export type Rounds = {
  /** Looks at all of them now, so that what is to be renewed is known before the first is due. [REFRESH-05] */
  start(): Promise<void>;
  /** Looks at one now, whatever is due. */
  lookNow(of: KeptConnection): Promise<void>;
  /** Looks at one again by itself after this time. */
  lookIn(connectionId: string, ms: number): void;
  close(): Promise<void>;
};

export function createRounds(deps: ConnectionDeps): Rounds {
  /** What is due when; connections that are not active are in it only when somebody asked for a look. */
  const dues = new Map<string, Instant>();
  let cancel: (() => void) | null = null;
  let isClosed = false;
  // Checks never overlap: the log of two at once would be hard to read.
  const mutex = createMutex();

  const arm = (): void => {
    cancel?.();
    if (isClosed) return;
    const next = [...dues.values()].map((at) => untilMs(at, deps));
    cancel = deps.timers.after(Math.min(LIMITS.schedulerSleepMs, ...next), () => void tick());
  };
  const look = (of: KeptConnection): Promise<void> => lookOnce(deps, { of, dues });
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = mutex(async () => (isClosed ? undefined : work()));
    done.catch((cause: unknown) => deps.log.error("connection_look_broken", { cause }));
    return done;
  };
  const tick = (): Promise<void> =>
    inTurn(async () => {
      const at = deps.clock.now();
      const listed = await deps.store.list();
      for (const of of listed.ok ? listed.value : []) {
        const due = dues.get(of.record.connectionId);
        if (due !== undefined && due <= at && !isClosed && isLookedAt(of)) await look(of);
      }
      arm();
    });
  return {
    start: () =>
      inTurn(async () => {
        const listed = await deps.store.list();
        const active = listed.ok ? listed.value.filter(({ record }) => record.status === "active") : [];
        for (const of of active) if (!isClosed) await look(of);
        arm();
      }),
    lookNow: (of) =>
      inTurn(async () => {
        await look(of);
        arm();
      }),
    lookIn: (connectionId, ms) => {
      const due = instantFromMs(msOfInstant(deps.clock.now()) + ms);
      if (due.ok) dues.set(connectionId, due.value);
      arm();
    },
    close: async () => {
      isClosed = true;
      cancel?.();
      await mutex(async () => undefined);
    },
  };
}

type LookingOnce = { readonly of: KeptConnection; readonly dues: Map<string, Instant> };

/** One look, and when the next is due: by its schedule, or earlier where something is to be renewed. [REFRESH-02] */
async function lookOnce(deps: ConnectionDeps, { of, dues }: LookingOnce): Promise<void> {
  const { connectionId, healthCheck } = of.record;
  // Others were looked at before it: what it is now counts.
  const found = await deps.store.find(connectionId);
  if (!found.ok || found.value === null || !isLookedAt(found.value)) return void dues.delete(connectionId);
  const cared = await careFor(deps, found.value);
  if (!cared.ok) deps.log.error("connection_not_kept", cared.error);
  const now = await deps.store.find(connectionId);
  if (!now.ok || now.value?.record.status !== "active") return void dues.delete(connectionId);
  const timetable = await loadTimetable(healthCheck, deps.config.scheduler.timezone);
  const regular = timetable.next(deps.clock.now());
  const due = [regular, cared.ok ? cared.value.refreshAt : null].filter((at) => at !== null).toSorted()[0];
  if (due !== undefined) dues.set(connectionId, due);
}

/** What never worked has nothing to be looked at, and while somebody signs in nobody else does. */
const isLookedAt = ({ record: { status }, registeredAt }: KeptConnection): boolean =>
  registeredAt !== null && (status === "active" || status === "failed");
