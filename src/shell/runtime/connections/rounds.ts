import { instantFromMs, msOfInstant, type Instant } from "#base";
import { DONE, UNUSED, type Outcome, type TimerOwner } from "#engine";
import { createMutex, type KeptConnection } from "#ports";
import { systemZone } from "../system.ts";
import { careFor } from "./care.ts";
import type { ConnectionDeps } from "./deps.ts";

/** Looks at every active connection when that is due. */
export type Rounds = {
  /** Looks at all of them soon, so that what is to be renewed is known before the first is due. [REFRESH-05] */
  start(): Promise<void>;
  /** Looks at one now, whatever is due. */
  lookNow(of: KeptConnection): Promise<void>;
  /** Looks at one again by itself after this time. */
  lookIn(connectionId: string, ms: number): Promise<void>;
  /** A connection that is gone is not looked at any more. */
  forget(connectionId: string): void;
  readonly timed: TimerOwner;
  close(): Promise<void>;
};

const OWNER = "connection";
/** Regular looks, by the schedule of the connection. */
const regular = (connectionId: string): string => `${OWNER}:${connectionId}`;
/** One further look, where something is to be renewed or tried again before that. */
const further = (connectionId: string): string => `${OWNER}:${connectionId}:again`;
const connectionOf = (key: string): string => key.slice(OWNER.length + 1).replace(/:again$/, "");

export function createRounds(deps: ConnectionDeps): Rounds {
  let isClosed = false;
  // One look after the other: what is told of two at once would be hard to read.
  const inTurn = createMutex();
  const look = (connectionId: string): Promise<Outcome> =>
    inTurn(async () => (isClosed ? UNUSED : lookOnce(deps, connectionId)));
  const lookAt = (connectionId: string, at: Instant): Promise<void> => setFurther(deps, { connectionId, at });
  // A timer that cannot be set now is set by the next start, which looks at every connection.
  const broken = (cause: unknown): void => deps.log.error("connection_look_broken", { cause });
  return {
    async start() {
      const listed = await deps.store.list();
      const at = deps.clock.now();
      for (const { record } of listed.ok ? listed.value : []) {
        if (record.status !== "active") continue;
        const due = deps.timerTable.find(regular(record.connectionId))?.next_due ?? null;
        // A look that is overdue comes by itself.
        if (due === null || due > at) await lookAt(record.connectionId, at);
      }
    },
    async lookNow({ record }) {
      await look(record.connectionId).catch(broken);
    },
    async lookIn(connectionId, ms) {
      const due = instantFromMs(msOfInstant(deps.clock.now()) + ms);
      if (due.ok) await lookAt(connectionId, due.value).catch(broken);
    },
    forget(connectionId) {
      try {
        for (const key of [regular(connectionId), further(connectionId)]) deps.timerTable.clear(key);
      } catch (cause) {
        broken(cause);
      }
    },
    timed: {
      runs: "always",
      records: "timer",
      handle: ({ key, how }) => (how === "run" ? look(connectionOf(key)) : Promise.resolve(DONE)),
    },
    close: async () => {
      isClosed = true;
      await inTurn(async () => {});
    },
  };
}

/** One look, and when the next is due: by its schedule, or earlier where something is to be renewed. [REFRESH-02] */
async function lookOnce(deps: ConnectionDeps, connectionId: string): Promise<Outcome> {
  const found = await deps.store.find(connectionId);
  if (!found.ok) return UNUSED;
  if (found.value === null || !isLookedAt(found.value)) return stopLooking(deps, connectionId);
  const cared = await careFor(deps, found.value);
  if (!cared.ok) deps.log.error("connection_not_kept", cared.error);
  const now = await deps.store.find(connectionId);
  if (!now.ok || now.value?.record.status !== "active") return stopLooking(deps, connectionId);
  const { timezone, missedRunGraceMinutes } = deps.config.scheduler;
  const zone = { timeZone: timezone ?? systemZone(), follows: timezone === null };
  const terms = { owner: OWNER, policy: "once", graceMs: missedRunGraceMinutes * MINUTE_MS } as const;
  const schedule = now.value.record.healthCheck;
  const set = await deps.timerTable.set({ key: regular(connectionId), ...terms, schedule, zone }, deps.clock.now());
  if (!set.ok) deps.log.error("connection_not_kept", set.error);
  const { refreshAt } = cared.ok ? cared.value : { refreshAt: null };
  if (refreshAt !== null) await setFurther(deps, { connectionId, at: refreshAt });
  return DONE;
}

const MINUTE_MS = 60_000;

/** A connection that does not work is looked at again when somebody asks for it. */
function stopLooking({ timerTable }: ConnectionDeps, connectionId: string): Outcome {
  timerTable.clear(regular(connectionId));
  return DONE;
}

async function setFurther(
  { timerTable, clock }: ConnectionDeps,
  { connectionId, at }: { readonly connectionId: string; readonly at: Instant },
): Promise<void> {
  const terms = { owner: OWNER, policy: "once", graceMs: 0, zone: null } as const;
  await timerTable.set({ key: further(connectionId), ...terms, schedule: at }, clock.now());
}

/** What never worked has nothing to be looked at, and while somebody signs in nobody else does. */
const isLookedAt = ({ record: { status }, registeredAt }: KeptConnection): boolean =>
  registeredAt !== null && (status === "active" || status === "failed");
