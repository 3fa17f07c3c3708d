import { instantFromMs, type Instant } from "#base";
import type { AuditQuery } from "#model";
import type { AuditLog, Log, Timers } from "#ports";
import { openInMemory } from "../../../test/stores-in-memory.ts";
import { must } from "./must.fixture.ts";

/** A chain in memory with a clock and timers that a test moves by hand. */
export function createAuditWorld() {
  const { audit } = openInMemory();
  const errors: string[] = [];
  const log: Log = { info: () => {}, warn: () => {}, error: (event) => void errors.push(event) };
  let nowMs = Date.UTC(2026, 10, 15, 8);
  let next = 0;
  const waiting = new Map<number, { readonly at: number; readonly work: () => void }>();
  const timers: Timers = {
    after(delayMs, work) {
      const id = (next += 1);
      waiting.set(id, { at: nowMs + delayMs, work });
      return () => void waiting.delete(id);
    },
  };
  const clock = { now: (): Instant => must(instantFromMs(nowMs)) };
  const randomness = { bytes: (count: number) => Uint8Array.from({ length: count }, () => (next += 1) % 256) };
  return {
    audit,
    clock,
    timers,
    randomness,
    log,
    signer: null,
    errors,
    /** Lets the time pass and what waited for it happen. */
    async move(ms: number): Promise<void> {
      nowMs += ms;
      for (const [id, { at, work }] of waiting.entries().toArray()) {
        if (at > nowMs || !waiting.delete(id)) continue;
        work();
        await settled();
      }
    },
  };
}

export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ALL: AuditQuery = { beforeSeq: null, from: null, to: null, limit: 500 };

/** What was recorded, oldest first. */
export async function recorded(audit: AuditLog): Promise<readonly (readonly [string, object])[]> {
  return must(await audit.entries(ALL))
    .toReversed()
    .map(({ event, data }) => [event, data] as const);
}
