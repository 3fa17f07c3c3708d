import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { sha256Hex } from "#base";
import type { KeptRequest, LedgerEntry, RunRecord } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, RunChange, WorkStore } from "#ports";
import { openMigratedRuntime } from "#sim";
import type { RuntimeStores } from "#stores";
import { openInMemory, type StoresInMemory } from "../stores-in-memory.ts";
import { BY, ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

export type Opened = {
  readonly work: WorkStore;
  readonly audit: AuditLog;
  /** Has an approval let this plan begin, as `silas approve` does. */
  grant(name: string, minutes?: number, executorKind?: string | null): Promise<void>;
  /** Takes the key that signed every approval here out of use. */
  endKey(how: "revoked" | "unknown"): Promise<void>;
};

const auditRules = createAuditRules(sha256Hex);

/** A request whose plan names an executor; its hash is that of another text, which nothing here looks at. */
function stepsRequest(name: string, minutes: number, executorKind: string | null): KeptRequest {
  return { ...requestFor(name, minutes), projection: JSON.stringify({ id: name, executor_kind: executorKind }) };
}

/** Everything on the disk, with a key that signs every approval here. */
export async function openFile(
  dataDir = join(tempDir(), "data"),
  clock = fixedClock,
): Promise<Opened & RuntimeStores & { dataDir: string }> {
  const opened = must(await openMigratedRuntime({ dataDir, clock, random: countingRandom(), auditRules }));
  onTestFinished(() => opened.close());
  return { ...opened, ...(await granting(opened, (sql) => changeFile(dataDir, sql))), dataDir };
}

/** The same in memory. */
export async function openMemory(clock = fixedClock): Promise<Opened & StoresInMemory> {
  const opened = openInMemory(auditRules, clock);
  return { ...opened, ...(await granting(opened, (sql) => opened.handle.exec(sql))) };
}

type Granting = Pick<Opened, "grant" | "endKey">;

async function granting(opened: RuntimeStores, change: (sql: string) => void): Promise<Granting> {
  must(await opened.keys.add(KEY, ENROLLED));
  return {
    grant: async (name, minutes = 0, executorKind = "steps") => {
      const request = stepsRequest(name, minutes, executorKind);
      must(await opened.approvals.propose(request));
      const spending = spendingFor(tokenFor(name), { lineage: `run-${name}`, request });
      must(await opened.approvals.spend({ ...spending, workItemId: name, at: at(minutes) }));
    },
    endKey: async (how) => {
      const revocation = { keyId: KEY.keyId, at: at(3), actor: BY, lastKey: "revoke" } as const;
      if (how === "revoked") must(await opened.keys.revoke(revocation));
      else change("PRAGMA foreign_keys = OFF; DELETE FROM owner_keys; PRAGMA foreign_keys = ON");
    },
  };
}

/** As somebody with access to the file does it. */
function changeFile(dataDir: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  database.exec(sql);
  database.close();
}

export function runNamed(name: string, over: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: `run-${name}`,
    workItemId: name,
    tokenId: `tok_${name}`,
    planHash: tokenFor(name).planHash,
    status: "running",
    isVerified: false,
    isPausing: false,
    attempts: 1,
    budgetUsed: { tokens: 0, costUsd: 0, wallTimeSeconds: 0, attempts: 1, plannerCalls: 0, executorRuns: 0 },
    lastError: null,
    results: [],
    artifacts: {},
    startedAt: at(1),
    endedAt: null,
    ...over,
  };
}

export function entryNamed(name: string, over: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    executionId: `run-${name}.1.0`,
    runId: `run-${name}`,
    attempt: 1,
    stepIndex: 0,
    stepName: "first",
    tool: "shell_exec",
    state: "started",
    success: null,
    returnValue: "",
    artifacts: {},
    error: null,
    taint: "external",
    startedAt: at(1),
    endedAt: null,
    durationMs: null,
    exit: null,
    tokensUsed: 0,
    costUsd: 0,
    ...over,
  };
}

export const changeOf = (run: RunRecord, over: Partial<RunChange> = {}): RunChange => ({
  run,
  entries: [],
  events: [],
  at: at(2),
  actor: { kind: "system" },
  ...over,
});

/** What the chain says about runs, oldest first. */
export async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries.toReversed().flatMap(({ event, data }) => (data["run_id"] === undefined ? [] : [event]));
}
