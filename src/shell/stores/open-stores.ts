import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { err, ok, uuidV7, type Instant, type Result } from "#base";
import {
  createModelLedger,
  createQueue,
  createTimerTable,
  type ModelLedger,
  type Queue,
  type TimerTable,
} from "#engine";
import type { AuditRules, StoreFault } from "#model";
import type {
  ApprovalStore,
  AuditLog,
  AutonomyStore,
  BatchStore,
  Clock,
  GoalStore,
  JournalStore,
  KeyRegistry,
  MemoryStore,
  PasskeyStore,
  MessageStore,
  NonceStore,
  Randomness,
  SecureInputStore,
  SessionStore,
  ConnectionStore,
  SkillStore,
  StopStore,
  StreamStore,
  SuggestionStore,
  TelegramStore,
  ConsultStore,
  TurnStore,
  WorkStore,
} from "#ports";
import { createApprovalStore } from "./approvals/approval-store.ts";
import { createAutonomyStore } from "./autonomy/autonomy-store.ts";
import { createHeadsFile } from "./audit/heads.ts";
import { holdJournal, openHeld, type StoreHold } from "./audit/hold.ts";
import { createAuditLog, type AuditLogParts } from "./audit/log.ts";
import { recordMigrations, type Migrated } from "./audit/migrations.ts";
import { createJournalStore, ensureHostId } from "./journal/store.ts";
import { createKeyRegistry } from "./keys/key-registry.ts";
import { createMemoriesStore } from "./memories/memory-store.ts";
import { createMessageStore } from "./messages/message-store.ts";
import { createNonceStore } from "./nonces/nonce-store.ts";
import { openMigrated } from "./open-store.ts";
import { createSecureInputStore } from "./secrets/secure-input-store.ts";
import { createSessionStore } from "./session-store.ts";
import { createPasskeyStore } from "./passkeys/passkey-store.ts";
import { guardedValue } from "./store-fault.ts";
import type { StartFault } from "./start-fault.ts";
import { createGoalStore } from "./goals/goal-store.ts";
import { createStreamStore } from "./messages/stream-store.ts";
import { createConnectionStore } from "./connections/connection-store.ts";
import { createSkillStore } from "./skills/skill-store.ts";
import { withHeldStop, createStopStore } from "./stops/stop-store.ts";
import { createSuggestionStore } from "./suggestions/suggestion-store.ts";
import { createTelegramStore } from "./telegram/telegram-store.ts";
import { createBatchStore } from "./batches/batch-store.ts";
import { createConsultStore } from "./consults/consult-store.ts";
import { createTurnStore } from "./turns/turn-store.ts";
import { createWorkStore } from "./work/work-store.ts";

export type StoresOptions = {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Randomness;
  /** Where the migrations are read from; the ones shipped with this version by default. */
  readonly migrationsDir?: string;
  /** Told of each copy from before an earlier migration that made room for a newer one. */
  readonly onPruned?: (path: string) => void;
  /** Sees each statement of the journal before it runs; used by the simulation. */
  readonly onStatement?: (sql: string) => void;
  /** Told of every migration a file has, once it is at this version. */
  readonly onMigrated?: (store: "journal" | "runtime", migrations: readonly string[]) => void;
};
/** The runtime's file holds the audit chain, and that needs its rules. */
type RuntimeOptions = StoresOptions & {
  readonly auditRules: AuditRules;
  /** Sees each statement of the runtime's file before it runs; used by the simulation. */
  readonly onRuntimeStatement?: ((sql: string) => void) | undefined;
};

export type RuntimeStores = {
  readonly telegram: TelegramStore;
  readonly autonomy: AutonomyStore;
  readonly batches: BatchStore;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
  readonly keys: KeyRegistry;
  readonly approvals: ApprovalStore;
  readonly messages: MessageStore;
  readonly nonces: NonceStore;
  readonly secureInputs: SecureInputStore;
  readonly passkeys: PasskeyStore;
  readonly work: WorkStore;
  readonly stops: StopStore;
  readonly goals: GoalStore;
  readonly streams: StreamStore;
  readonly turns: TurnStore;
  readonly consults: ConsultStore;
  readonly queue: Queue;
  readonly calls: ModelLedger;
  readonly timers: TimerTable;
  readonly skills: SkillStore;
  readonly connections: ConnectionStore;
  readonly memories: MemoryStore;
  readonly suggestions: SuggestionStore;
  /** Set while the database is not the newest one, as far as anything can tell: then every write is refused. */
  readonly hold: StoreHold;
  /** Enters into the chain every migration that it does not know yet; while it is held, once it is accepted. */
  readonly recordMigrations: (migrated: Migrated) => Result<void, StoreFault>;
  readonly close: () => void;
};

export type Stores = {
  readonly telegram: TelegramStore;
  readonly autonomy: AutonomyStore;
  readonly stops: StopStore;
  readonly journal: JournalStore;
  readonly batches: BatchStore;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
  readonly keys: KeyRegistry;
  readonly approvals: ApprovalStore;
  readonly messages: MessageStore;
  readonly nonces: NonceStore;
  readonly secureInputs: SecureInputStore;
  readonly passkeys: PasskeyStore;
  readonly work: WorkStore;
  readonly goals: GoalStore;
  readonly streams: StreamStore;
  readonly turns: TurnStore;
  readonly consults: ConsultStore;
  readonly queue: Queue;
  readonly calls: ModelLedger;
  readonly timers: TimerTable;
  readonly skills: SkillStore;
  readonly connections: ConnectionStore;
  readonly memories: MemoryStore;
  readonly suggestions: SuggestionStore;
  readonly hold: StoreHold;
  readonly close: () => Promise<void>;
};

export const SHIPPED_MIGRATIONS = fileURLToPath(new URL("migrations", import.meta.url));

/**
 * Opens and migrates every file of the data directory before anything listens. [MIG-07]
 * Counters of the journal are seen by other devices and must never be given out twice, and the runtime file will hold
 * what was approved: both wait for the disk at every commit.
 */
export async function openStores(options: RuntimeOptions): Promise<Result<Stores, StartFault>> {
  const migrated: { journal: readonly string[]; runtime: readonly string[] } = { journal: [], runtime: [] };
  const observed: RuntimeOptions = { ...options, onMigrated: (store, ids) => void (migrated[store] = ids) };
  const journal = await openJournal(observed);
  if (!journal.ok) return journal;
  const runtime = await openRuntime(observed);
  if (!runtime.ok) {
    await journal.value.close();
    return runtime;
  }
  const { passkeys, sessions, audit, keys, approvals, secureInputs, messages, nonces, batches, work, stops, goals } =
    runtime.value;
  const close = async () => {
    await journal.value.close();
    runtime.value.close();
  };
  // What crashed between a migration and its entry is made up for at the next start.
  const recorded = runtime.value.recordMigrations(migrated);
  if (recorded.ok)
    return ok({
      journal: holdJournal(journal.value, runtime.value.hold),
      hold: runtime.value.hold,
      telegram: runtime.value.telegram,
      autonomy: runtime.value.autonomy,
      passkeys,
      sessions,
      audit,
      keys,
      approvals,
      secureInputs,
      messages,
      nonces,
      batches,
      work,
      stops,
      goals,
      streams: runtime.value.streams,
      turns: runtime.value.turns,
      consults: runtime.value.consults,
      queue: runtime.value.queue,
      calls: runtime.value.calls,
      timers: runtime.value.timers,
      skills: runtime.value.skills,
      connections: runtime.value.connections,
      memories: runtime.value.memories,
      suggestions: runtime.value.suggestions,
      close,
    });
  await close();
  const { code, cause } = recorded.error;
  return err({ code, file: join(options.dataDir, RUNTIME_FILE), cause });
}

/** The journal alone: `db.sqlite` needs no other file to be there. [DOM-01] */
export async function openJournal(options: StoresOptions): Promise<Result<JournalStore, StartFault>> {
  const path = join(options.dataDir, "db.sqlite");
  const at = options.clock.now();
  const opened = await openMigrated({
    path,
    synchronous: "FULL",
    migrationsDir: join(options.migrationsDir ?? SHIPPED_MIGRATIONS, "journal"),
    at,
    onPruned: options.onPruned,
    onStatement: options.onStatement,
    onMigrated: (ids) => options.onMigrated?.("journal", ids),
  });
  if (!opened.ok) return opened;
  const db = opened.value;
  const hostId = guardedValue(() => ensureHostId(db, () => newHostId(options.random, at)));
  if (hostId.ok) return ok(createJournalStore(db, hostId.value));
  db.close();
  return { ok: false, error: { code: hostId.error.code, file: path, cause: hostId.error.cause } };
}

const RUNTIME_FILE = "silas.db";

/** The runtime's own file, `silas.db`, alone: what its stores do is recorded in its chain by the same commit. */
export async function openRuntime(options: RuntimeOptions): Promise<Result<RuntimeStores, StartFault>> {
  const opened = await openMigrated({
    path: join(options.dataDir, RUNTIME_FILE),
    synchronous: "FULL",
    migrationsDir: join(options.migrationsDir ?? SHIPPED_MIGRATIONS, "runtime"),
    at: options.clock.now(),
    onPruned: options.onPruned,
    onStatement: options.onRuntimeStatement,
    onMigrated: (ids) => options.onMigrated?.("runtime", ids),
  });
  if (!opened.ok) return opened;
  const { auditRules: rules, clock } = options;
  const runtime = runtimeOn({ db: opened.value, rules, heads: createHeadsFile(options.dataDir), clock });
  if (runtime.ok) return runtime;
  opened.value.close();
  return err({ code: runtime.error.code, file: join(options.dataDir, RUNTIME_FILE), cause: runtime.error.cause });
}

type RuntimeParts = AuditLogParts & { readonly clock: Clock };

/** The stores of a migrated database, held where it is older than what is noted beside it. */
export function runtimeOn({ db, rules, heads, clock }: RuntimeParts): Result<RuntimeStores, StoreFault> {
  const { log, recordAct } = createAuditLog({ db, rules, heads });
  const record = (migrated: Migrated) => recordMigrations({ db, recordAct, migrated, at: clock.now() });
  const placed = guardedValue(() => openHeld({ db, rules, heads, recordAct, recordMigrations: record }));
  if (!placed.ok) return placed;
  const { hold, own, recordOwn, ...held } = placed.value;
  const queue = createQueue({ db, recordAct });
  const timers = createTimerTable({ db, recordAct, queue });
  return ok({
    hold,
    sessions: createSessionStore(own, recordOwn),
    telegram: createTelegramStore({ db, recordAct }),
    audit: log,
    keys: createKeyRegistry({ db, recordAct, rules }),
    passkeys: createPasskeyStore({ db, recordAct }),
    messages: createMessageStore({ db, recordAct, queue }),
    nonces: createNonceStore(db),
    approvals: createApprovalStore({ db, recordAct, queue, clock }),
    secureInputs: createSecureInputStore({ db, recordAct }),
    work: createWorkStore({ db, recordAct, queue }),
    autonomy: createAutonomyStore(db),
    batches: createBatchStore({ db, recordAct, queue }),
    stops: withHeldStop(createStopStore({ db, recordAct })),
    queue,
    calls: createModelLedger({ db, recordAct }),
    timers,
    goals: createGoalStore({ db, recordAct, timers }),
    streams: createStreamStore({ db, recordAct }),
    turns: createTurnStore({ db, recordAct }),
    consults: createConsultStore({ db, recordAct }),
    skills: createSkillStore({ db, recordAct }),
    connections: createConnectionStore({ db, recordAct }),
    memories: createMemoriesStore({ db, recordAct }),
    suggestions: createSuggestionStore({ db, recordAct }),
    ...held,
  });
}

export const newHostId = (random: Randomness, at: Instant): string => uuidV7(at, random.bytes(10));
