import type { Config } from "#model";
import type {
  ApprovalsDoor,
  ApprovalStore,
  AuditLog,
  Clock,
  FindSecrets,
  KeyRegistry,
  Log,
  MemoryStore,
  MessageStore,
  Randomness,
} from "#ports";

export type MemoryDeps = {
  readonly store: MemoryStore;
  readonly messages: Pick<MessageStore, "find">;
  readonly decisions: Pick<ApprovalStore, "list" | "findApproval">;
  readonly registry: KeyRegistry;
  /** Asks for a decision, and takes one back that is about nothing any more. */
  readonly approvals: Pick<ApprovalsDoor, "proposePayload" | "decide">;
  readonly audit: Pick<AuditLog, "append">;
  readonly findSecrets: FindSecrets;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly config: Pick<Config, "ownerId"> & { readonly personality: Pick<Config["personality"], "constitution"> };
};
