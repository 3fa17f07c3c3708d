import { uuidV7, type Instant } from "#base";
import { VOIDED_ACT, type AuditDraft, type AuditHead } from "#model";
import type { AuditLog } from "#ports";
import { markHead, systemClock, systemRandomness } from "#runtime";
import { openAuditLog, renewHeads, type BackupManifest } from "#stores";
import { auditRules } from "./chain.ts";

const TERMINAL = { kind: "terminal" } as const;

/** Records a finished backup. Answers false where there is no chain to record it in. */
export async function recordBackup(dataDir: string, { files }: BackupManifest): Promise<boolean> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const data = { files: files.length, bytes };
  return append(dataDir, { event: "backup_created", data, at: systemClock.now(), actor: TERMINAL });
}

type RestoreRecord = {
  refused(code: string): Promise<boolean>;
  /** In the chain that was put back, which then goes on from there. Answers false where it has none. */
  done(): Promise<boolean>;
};

/**
 * Records a restore: its beginning in the chain that is about to be replaced, its end in the one that comes back, with
 * the head of the former, so that the jump is no secret. A damaged database is the usual reason to restore: where the
 * beginning cannot be recorded, the restore goes on.
 */
export async function beginRestore(dataDir: string, manifest: BackupManifest): Promise<RestoreRecord> {
  const actId = uuidV7(systemClock.now(), systemRandomness.bytes(10));
  const createdAt: Instant = manifest.created_at;
  const begun = { act_id: actId, backup_created_at: createdAt };
  const replaced = await withLog(dataDir, async (log): Promise<AuditHead | null> => {
    await log.append({ event: "backup_restore_started", data: begun, at: systemClock.now(), actor: TERMINAL });
    const head = await log.head();
    return head.ok ? head.value : null;
  });
  return {
    refused: (reason) =>
      append(dataDir, {
        event: "backup_restore_failed",
        data: { act_id: actId, reason },
        at: systemClock.now(),
        actor: TERMINAL,
      }),
    async done() {
      if (!manifest.files.some(({ name }) => name === "silas.db")) {
        return append(dataDir, doneDraft({ ...begun, replaced: null }));
      }
      // A restored database knows nothing of what was approved and used after it was copied. A cut between these leaves
      // a database that is older than what is noted beside it: the next start is read-only, and asks.
      const voided = await append(dataDir, voidedDraft(replaced ?? null));
      renewHeads({ dataDir, rules: auditRules }, systemClock.now());
      return (await append(dataDir, doneDraft({ ...begun, replaced: replaced ?? null }))) && voided;
    },
  };
}

const doneDraft = (data: Extract<AuditDraft, { event: "backup_restored" }>["data"]): AuditDraft => ({
  event: "backup_restored",
  data,
  at: systemClock.now(),
  actor: TERMINAL,
});

const voidedDraft = (replaced: AuditHead | null): AuditDraft => ({
  event: "approvals_voided",
  data: { act_id: VOIDED_ACT, reason: "backup_restored", replaced },
  at: systemClock.now(),
  actor: TERMINAL,
});

async function append(dataDir: string, draft: AuditDraft): Promise<boolean> {
  const appended = await withLog(dataDir, async (log) => {
    const result = await log.append(draft);
    if (result.ok) await markHead({ ...MACHINE, audit: log });
    return result.ok;
  });
  return appended ?? false;
}

async function withLog<T>(dataDir: string, work: (log: AuditLog) => Promise<T>): Promise<T | null> {
  const opened = openAuditLog({ dataDir, rules: auditRules });
  if (!opened.ok) return null;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}

/** The vault stays closed for a command beside a running Silas: the next head that one signs covers these entries too. */
const MACHINE = {
  clock: systemClock,
  randomness: systemRandomness,
  log: { info: () => {}, warn: () => {}, error: () => {} },
  signer: null,
};
