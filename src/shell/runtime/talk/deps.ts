import type { Config, Gate } from "#model";
import type { ApprovalsDoor, GateRunner, MemoryStore, MessageStore, StreamDoor, TurnStore, WorkStore } from "#ports";
import type { ContextSettings } from "#turn";
import type { ModelCallDeps, ReaderDeps, TurnPublisher } from "#engine";
import type { Gating } from "../messages/gating.ts";
import type { Halting } from "./halting.ts";

export type TalkDeps = ReaderDeps &
  ModelCallDeps & {
    readonly turns: TurnStore;
    readonly messages: Pick<MessageStore, "find" | "list">;
    readonly memories: Pick<MemoryStore, "searchKeyword" | "touch">;
    readonly work: Pick<WorkStore, "list" | "ledger" | "doneBefore">;
    /** Asks the owner about a plan, and does nothing else. */
    readonly approvals: Pick<ApprovalsDoor, "propose" | "all">;
    readonly gates: GateRunner;
    /** Asks the gates about the message itself, at the beginning of its turn. */
    readonly gating: Gating;
    readonly stream: StreamDoor;
    readonly isStopped: () => Promise<boolean>;
    readonly halting: Halting;
    readonly feed: Pick<TurnPublisher, "publish" | "held" | "ended">;
    /** Gates of the configuration. */
    readonly systemGates: readonly Gate[];
    /** Told of every turn that moved on. */
    readonly onChanged: () => void;
    readonly settings: TalkSettings;
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
  readonly gates: { readonly system: readonly Gate[] };
};
