import type { Config } from "#model";
import type {
  ApprovalsDoor,
  AuditLog,
  GateRunner,
  MemoryStore,
  MessageStore,
  ModelGateway,
  Randomness,
  StreamDoor,
  TurnStore,
  WorkStore,
} from "#ports";
import type { ContextSettings } from "#turn";
import type { DayTokens } from "./day-tokens.ts";
import type { ReaderDeps } from "#engine";

export type TalkDeps = ReaderDeps & {
  readonly models: ModelGateway;
  readonly turns: TurnStore;
  /** Everything that uses tokens of the day. */
  readonly counts: DayTokens["counts"];
  readonly messages: Pick<MessageStore, "find" | "list">;
  readonly memories: Pick<MemoryStore, "searchKeyword" | "touch">;
  readonly work: Pick<WorkStore, "list" | "ledger" | "doneBefore" | "tokensSince">;
  /** Asks the owner about a plan, and does nothing else. */
  readonly approvals: Pick<ApprovalsDoor, "propose" | "all">;
  readonly gates: GateRunner;
  readonly stream: StreamDoor;
  readonly audit: Pick<AuditLog, "append">;
  readonly randomness: Randomness;
  readonly isStopped: () => Promise<boolean>;
  readonly halting: Halting;
  /** Told of every turn that moved on. */
  readonly onChanged: () => void;
  readonly settings: TalkSettings;
};
/** Ends whatever is asked at this moment. */
export type Halting = { readonly signal: () => AbortSignal; readonly halt: () => void };

type TalkSettings = {
  readonly ownerId: string;
  readonly constitution: readonly string[];
  readonly context: ContextSettings;
  readonly memoriesMax: number;
  readonly outputTokensMax: number;
  readonly tokensPerDay: number;
};

export type TalkConfig = Pick<Config, "ownerId" | "bus"> & {
  readonly models: Pick<Config["models"], "maxOutputTokens" | "tokensPerDay">;
  readonly context: Pick<Config["context"], "totalTokens" | "systemMax" | "defaultProfile" | "profiles">;
  readonly memory: Pick<Config["memory"], "retrievalMaxResults">;
  readonly personality: Pick<Config["personality"], "constitution">;
};
