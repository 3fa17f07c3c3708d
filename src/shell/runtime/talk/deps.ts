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
import type { ReaderDeps, TurnPublisher } from "#engine";

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
  readonly feed: Pick<TurnPublisher, "publish" | "held" | "ended">;
  /** Told of every turn that moved on. */
  readonly onChanged: () => void;
  readonly settings: TalkSettings;
};
export type Halting = {
  /** Of a question for this message. */
  signal(messageId: string | null): AbortSignal;
  /** Ends whatever is asked at this moment. */
  halt(): void;
  /** The same, because the owner wants no answer to this message. */
  stop(messageId: string): void;
  isStopped(messageId: string): boolean;
};

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
