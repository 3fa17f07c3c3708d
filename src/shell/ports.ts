/**
 * ports: every interface the shell depends on, on one page, and the mutex that its parts share.
 *
 * Runtime and adapters know only this page of each other; `compose.ts` decides what stands behind each port.
 * Every call that may touch the world is asynchronous, so that a second process could stand behind it, and answers
 * with a Result: a Fault is the world's failure, an Outcome is an expected refusal. Nothing here throws for either.
 */
import type { Instant, Result } from "#base";
import type {
  ActivityPage,
  AnswerOf,
  AuditActor,
  AuditCheckpoint,
  AuditDraft,
  AuditEntry,
  AuditHead,
  AuditMark,
  AuditQuery,
  AuditVerdict,
  ChainBroken,
  ChainCheckEnded,
  CommitRefusal,
  HeadKeyNeeded,
  Gate,
  GateContext,
  GateFiring,
  GateOutcome,
  GateResult,
  HostId,
  ImportReport,
  InvalidInput,
  JournalCommit,
  JournalCommitted,
  JournalError,
  JournalFacts,
  JournalOutcome,
  JournalQuery,
  JournalRead,
  JournalRecord,
  JournalRequest,
  NotificationBatch,
  StoreFault,
} from "#model";

export { createMutex, type Mutex } from "./ports/mutex.ts";
export type {
  CustomerContexts,
  MessagesDoor,
  MessageStore,
  NonceStore,
  Sender,
  StreamDoor,
  StreamStore,
} from "./ports/messages.ts";

export type { TimersDoor } from "./ports/timers.ts";

export interface Clock {
  now(): Instant;
}

export interface Randomness {
  bytes(count: number): Uint8Array;
}

/** Runs work later; cancelled by the returned function. The only way the shell waits. */
export interface Timers {
  after(delayMs: number, work: () => void): () => void;
}

/** Structured log. Fields are an allowlist in the adapter; secrets never reach it. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
export type LogFields = { readonly [name: string]: unknown };

/** The owner's journal in `db.sqlite`. Only `commit` and `importRecords` write. */
export interface JournalStore {
  readonly hostId: HostId;
  read(reads: readonly JournalRead[]): Promise<Result<JournalFacts, StoreFault>>;
  /** All writes, their provenance, the operation and its images in one transaction, or nothing. [JOURNAL-10] */
  commit(commit: JournalCommit): Promise<Result<JournalCommitted, CommitRefusal | StoreFault>>;
  answer<Q extends JournalQuery>(query: Q): Promise<Result<AnswerOf<Q>, InvalidInput | StoreFault>>;
  /** Every record, deleted ones included, ordered by id. */
  exportRecords(): AsyncIterable<JournalRecord>;
  /** Writes records with the provenance they carry; each is decided by `#journal` before it gets here. */
  importRecords(records: readonly JournalRecord[]): Promise<Result<JournalCommitted, StoreFault>>;
  close(): Promise<void>;
}

/** Signed-in devices, in `silas.db`. Only digests of tokens are stored; each coming and going is in the audit chain. */
export interface SessionStore {
  /** Commits together with its audit entry. */
  add(session: Session): Promise<Result<void, StoreFault>>;
  findByDigest(tokenDigest: string): Promise<Result<Session | null, StoreFault>>;
  list(): Promise<Result<readonly Session[], StoreFault>>;
  touch(sessionId: string, at: Instant): Promise<Result<void, StoreFault>>;
  /** Commits together with its audit entry and the end of the device's key; one that is gone is not recorded again. */
  revoke(
    sessionId: string,
    by: { readonly at: Instant; readonly actor: AuditActor },
  ): Promise<Result<void, StoreFault>>;
}
export type Session = {
  readonly sessionId: string;
  readonly deviceName: string;
  readonly tokenDigest: string;
  readonly createdAt: Instant;
  readonly lastSeenAt: Instant;
  readonly revokedAt: Instant | null;
};

/** The in-process feed of committed changes. Nothing but the runtime publishes on it. */
export interface ChangeFeed {
  /**
   * A listener that answers with a promise gets the next batch when it settles. One that leaves too many unread loses
   * them and is told so by `lost`, so that it can load afresh; no listener ever waits for another.
   */
  subscribe(listener: (batch: NotificationBatch) => void | Promise<void>, lost?: () => void): () => void;
}

/** What a channel, the terminal and later every tool may do with the journal; the runtime stands behind it. */
export interface JournalDoor {
  submit(request: JournalRequest): Promise<Result<JournalOutcome, JournalError | StoreFault>>;
  ask<Q extends JournalQuery>(query: Q): Promise<Result<AnswerOf<Q>, InvalidInput | StoreFault>>;
  /** JSON lines, each without its line break. */
  exportLines(actor: AuditActor): AsyncIterable<string>;
  importLines(
    lines: AsyncIterable<string>,
    actor: AuditActor,
  ): Promise<Result<ImportReport, ImportRefusal | StoreFault>>;
}
/** The line at fault; nothing of the import was written. */
export type ImportRefusal = { readonly code: "invalid_line"; readonly line: number; readonly reason: string };

export type { FindSecrets, SecretsDoor, SecureInputStore, Vault } from "./ports/secrets.ts";

export type {
  CountersignedKey,
  Countersigning,
  KeyEnrolling,
  KeyRecord,
  KeyRegistry,
  KeyRevocation,
  KeysDoor,
  RecordedUse,
  Signer,
} from "./ports/keys.ts";

/** The audit chain, for reading; it never changes. */
export interface AuditReader {
  head(): Promise<Result<AuditHead, StoreFault>>;
  /** Newest first. */
  entries(query: AuditQuery): Promise<Result<readonly AuditEntry[], StoreFault>>;
  /** Which of these acts have an entry that says how they ended. */
  endedActs(actIds: readonly string[]): Promise<Result<ReadonlySet<string>, StoreFault>>;
  /** From the first entry, or behind a checkpoint: then only what came after it is read. In this thread. [AUD-05] */
  verify(from: "genesis" | "latest" | { readonly checkpointId: string }): Promise<Result<AuditVerdict, StoreFault>>;
  /** JSON lines that can be checked without a database, each without its line break. */
  exportLines(): AsyncIterable<string>;
  close(): Promise<void>;
}

/** The one place every part of Silas records what happened. */
export interface AuditLog extends AuditReader {
  append(draft: AuditDraft): Promise<Result<AuditEntry, InvalidInput | StoreFault>>;
  /** Verifies what came after the last checkpoint, and marks the head as verified, signed where a key is at hand. */
  checkpoint(mark: AuditMark): Promise<Result<AuditCheckpoint, ChainBroken | HeadKeyNeeded | StoreFault>>;
}

type ChainExtent = "since_checkpoint" | "whole";

/** Verifies the whole chain in a thread of its own, so that nobody is held up meanwhile. */
export interface ChainVerifier {
  verify(): Promise<Result<AuditVerdict, ChainCheckEnded | StoreFault>>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** What happened, in sentences; the runtime reads them from the audit chain. */
export interface ActivityDoor {
  read(query: AuditQuery): Promise<Result<ActivityPage, StoreFault>>;
  /** Verifies the entries since the last checkpoint, or all of them on request. */
  chain(extent: ChainExtent): Promise<Result<AuditVerdict, ChainCheckEnded | StoreFault>>;
}

/** Hears of what is refused at the door. Counted and recorded together, so that a flood does not flood the chain. */
export interface RefusalTally {
  enrolmentRefused(reason: "invalid" | "rate_limited"): void;
  callerRefused(reason: "foreign_origin" | "foreign_host" | "unauthenticated_frame"): void;
}

/** Hears of every bug that was caught where it could have ended Silas: logged each, recorded together. Never throws. */
export interface FaultTally {
  caught(part: "telegram" | "process", cause: unknown): void;
}

/**
 * Asks every gate of one moment: those of the configuration, then those of the work. Whatever is absent, late, unknown
 * or fails in the policy lane blocks; each result and rewrite is recorded before the outcome is known. Never rejects.
 */
export interface GateRunner {
  /** `quality` is advice: it never rejects, and nothing may wait for it. */
  run(firing: GateFiring): Promise<GateOutcome & { readonly quality: Promise<readonly GateResult[]> }>;
  /** The same for a part of something that is judged as a whole later: nothing is recorded, and no advice is asked. */
  peek(firing: GateFiring): Promise<GateOutcome>;
}

/** One way to check a gate. It answers whatever it likes, and may throw or never answer: `#policy` judges that. */
export interface GateProvider {
  check(gate: Gate, context: GateContext): unknown;
}

export type {
  AlsoGranted,
  ApprovalStore,
  ApprovalsDoor,
  CheckRefusal,
  DecideRefusal,
  ItemChoice,
  LimitsChanged,
  MadeDecision,
  OwnerAnswer,
  PlanChecked,
  PlanFault,
  PlanRefused,
  ProposeRefusal,
  RequestHeading,
  Proposed,
  ReceiptRefusal,
  RequestLook,
  ReviewFeed,
  Spending,
  WorkTitles,
} from "./ports/approvals.ts";
export type { AskedLimits, AutonomyDoor, AutonomyStore, CurrentLimits, Tightening } from "./ports/autonomy.ts";
export type { DeviceKeysDoor, Passkeys } from "./ports/devices.ts";
export type {
  PasskeyAdding,
  PasskeyBeginning,
  PasskeyDoorRefusal,
  PasskeyRemoval,
  PasskeyRemoving,
  PasskeysDoor,
  PasskeyStore,
  PasskeyUse,
} from "./ports/passkeys.ts";
export type { EgressCredential, EgressFault, EgressGateway, EgressGrant } from "./ports/egress.ts";
export type {
  BatchesDoor,
  BatchSeries,
  BatchStore,
  BatchViews,
  GoalItem,
  GoalItems,
  KeptUndo,
  NewGoalItems,
  NextBatch,
  Tidied,
  Undoing,
} from "./ports/batches.ts";
export type {
  CycleChange,
  CycleNote,
  GoalNote,
  GoalLeaving,
  GoalNoting,
  GoalPausing,
  GoalScheduling,
  GoalsDoor,
  GoalStore,
  TimesOf,
} from "./ports/goals.ts";
export type { DoubtsDoor, Settling } from "./ports/doubts.ts";
export type { MemoryDoor, MemoryStore } from "./ports/memory.ts";
export type {
  AnsweringSuggestion,
  HandledSuggestion,
  RecentSuggestions,
  SaidSuggestion,
  SuggestionsDoor,
  SuggestionStore,
} from "./ports/suggestions.ts";
export type {
  Callback,
  CallbackQuery,
  ConnectingRequest,
  ConnectionActRefusal,
  ConnectionsDoor,
  ConnectionStore,
  EndedWidening,
  ConnectRefusal,
  KeptConnection,
  OpenCallback,
  Recovery,
  WantedConnection,
  WideningOutcome,
} from "./ports/connections.ts";
export type { SandboxCommand, Sandboxes, SandboxInput, SandboxSpace } from "./ports/sandbox.ts";
export type { AcceptedHold, AcceptRefusal, HoldDoor, HoldStore } from "./ports/hold.ts";
export type { StopDoor, StopStore } from "./ports/stops.ts";
export type {
  GrantedRun,
  KeptExecution,
  NetworkUsed,
  RunChange,
  RunFeed,
  RunNetworkStore,
  RunNote,
  SettledRun,
  WorkDoor,
  WorkStore,
} from "./ports/work.ts";
export type { SettledInstall, SkillFolders, SkillRemoval, SkillsDoor, SkillStore, SkillTree } from "./ports/skills.ts";
export type { ConsultStore } from "./ports/consults.ts";
export type { BotCall, BotDoor, BotGateway, BotReply, Pressed, TelegramStore } from "./ports/telegram.ts";
export type { Leaving, ModelAsking, ModelGateway, TalkDoor, TurnFeed, TurnStore } from "./ports/talk.ts";
