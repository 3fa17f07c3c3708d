import { onTestFinished } from "vitest";
import { sha256Hex, type Instant } from "#base";
import type { HostId } from "#model";
import { createAuditRules } from "#policy";
import type { Clock, JournalStore } from "#ports";
import { openJournalInMemory, openRuntimeInMemory } from "#stores";

const fixedClock: Clock = { now: () => "2026-11-15T08:00:00.000Z" as Instant };

export type StoresInMemory = ReturnType<typeof openRuntimeInMemory>;

/** The real stores on a database in memory that goes away with the test. */
export function openInMemory(auditRules = createAuditRules(sha256Hex), clock = fixedClock): StoresInMemory {
  const opened = openRuntimeInMemory({ auditRules, clock });
  onTestFinished(opened.close);
  return opened;
}

/** The real journal on a database in memory that goes away with the test. */
export function journalInMemory(hostId: string): JournalStore {
  const opened = openJournalInMemory({ hostId: hostId as HostId, clock: fixedClock });
  onTestFinished(() => opened.close());
  return opened;
}
