/** An approval store with the key that its approvals are signed with, on disk or in memory, and a clock that a test moves. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256Hex } from "#base";
import { createAuditRules } from "#policy";
import type { ApprovalStore, AuditLog, KeyRegistry } from "#ports";
import { openMigratedRuntime } from "#sim";
import type { RuntimeStores } from "#stores";
import { openInMemory } from "../stores-in-memory.ts";
import { ENROLLED, KEY } from "./approval-fixture.ts";
import { countingRandom, createMovableClock, must, tempDir } from "./journal-fixture.ts";

type Opened = {
  readonly store: ApprovalStore;
  readonly keys: KeyRegistry;
  readonly audit: AuditLog;
  readonly clock: ReturnType<typeof createMovableClock>;
};

const auditRules = createAuditRules(sha256Hex);
export async function openFile(dataDir = join(tempDir(), "data")): Promise<Opened> {
  const clock = createMovableClock();
  const opened = must(await openMigratedRuntime({ dataDir, clock, random: countingRandom(), auditRules }));
  onTestFinished(() => opened.close());
  return withKey(opened, clock);
}

export function openMemory(): Promise<Opened> {
  const clock = createMovableClock();
  return withKey(openInMemory(auditRules, clock), clock);
}

async function withKey({ approvals: store, keys, audit }: RuntimeStores, clock: Opened["clock"]): Promise<Opened> {
  if (must(await keys.list()).length === 0) must(await keys.add(KEY, ENROLLED));
  return { store, keys, audit, clock };
}
