/**
 * stores: everything Silas keeps on disk, and the same stores on a database in memory.
 *
 * Decides nothing about the journal's meaning; it decides how a commit is made durable, whole and findable.
 * May import `#ports`, `#model`, `#base` and Node.
 * Invariants: a commit is one transaction with its provenance, operation and images (JOURNAL-10, JOURNAL-11); counters
 * of a host have no gap and no repeat; `applied_migrations` alone says what a schema is (MIG-03) and a mismatch refuses
 * to start (MIG-04, MIG-05); an approval is used at most as often as it says (APPR-19), and a nonce is
 * spent with what it is spent for (MSG-08); files are 0600, directories 0700; user text never becomes query syntax.
 * Every method answers with a Result; the world's failures are faults, and a fault means nothing was written.
 */
export { openAuditLog, openAuditReader, readHold, renewHeads, type NoAudit } from "./audit/open-beside.ts";
export { createChainVerifier, verifyWholeChain, type ChainTask } from "./audit/verify-apart.ts";
export { createBackup, restoreBackup, verifyBackup, type BackupProblem, type RestoreProblem } from "./backup.ts";
export { type BackupManifest } from "./backup-manifest.ts";
export { inspectStores, type StoreInspection } from "./inspect.ts";
export { acquireInstanceLock, readInstance, type Instance, type InstanceLock } from "./instance-lock.ts";
export { findLogLines, openLogFile, type LogFile } from "./log-file.ts";
export { openCustomerFiles } from "./messages/customer-files.ts";
export { openJournalInMemory, openRuntimeInMemory } from "./open-in-memory.ts";
export {
  openJournal,
  openRuntime,
  openStores,
  type RuntimeStores,
  type Stores,
  type StoresOptions,
} from "./open-stores.ts";
export { writePrivateFile, ensureDataDir, ensurePrivateDir } from "./private-files.ts";
export { createMemoryVault } from "./vault/memory-vault.ts";
export { readStop } from "./stops/read-stop.ts";
export { readQueues } from "./read-queues.ts";
export { openSkillFolders } from "./skills/skill-folders.ts";
export { openVault, type VaultAccess, type VaultOptions } from "./vault/file-vault.ts";
export { startFaultSentence, type StartFault } from "./start-fault.ts";
