import type { Gate } from "#model";
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
  StreamDoor,
  SuggestionStore,
} from "#ports";

import type { Talk } from "../talk/create.ts";

export type MessagesDeps = {
  readonly store: MessageStore;
  readonly gates: GateRunner;
  /** The gates of the configuration, in order. */
  readonly systemGates: readonly Gate[];
  readonly approvals: Pick<ApprovalsDoor, "proposePayload">;
  readonly decisions: Pick<ApprovalStore, "findApproval">;
  readonly registry: KeyRegistry;
  readonly signer: Signer;
  readonly audit: Pick<AuditLog, "append">;
  readonly customers: CustomerContexts;
  readonly suggestions: Pick<SuggestionStore, "saying">;
  /** What an approved goal adds to the configuration. */
  readonly stream: StreamDoor;
  /** Who answers, if anybody does. */
  readonly talk: Pick<Talk, "setting">;
  /** Told of every message that came or was judged. */
  readonly onChanged: () => void;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly settings: MessageSettings;
};
type MessageSettings = {
  readonly ownerId: string;
  readonly window: NonceWindow;
};
