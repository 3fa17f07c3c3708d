import type { AccessLadder, Gate } from "#model";
import type { NonceWindow } from "#policy";
import type {
  ApprovalsDoor,
  ApprovalStore,
  AuditLog,
  Clock,
  CustomerContexts,
  GateRunner,
  KeyRegistry,
  MessageStore,
  Randomness,
  Signer,
} from "#ports";

export type MessagesDeps = {
  readonly store: MessageStore;
  readonly gates: GateRunner;
  /** The gates of the configuration, in order. */
  readonly systemGates: readonly Gate[];
  readonly approvals: Pick<ApprovalsDoor, "proposePayload">;
  readonly decisions: Pick<ApprovalStore, "list" | "findApproval">;
  readonly registry: KeyRegistry;
  readonly signer: Signer;
  readonly audit: Pick<AuditLog, "append">;
  readonly customers: CustomerContexts;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly settings: MessageSettings;
};
export type MessageSettings = {
  readonly ownerId: string;
  readonly window: NonceWindow;
  /** Levels of the goal that is active; empty while there is none. */
  readonly ladder: AccessLadder;
};
