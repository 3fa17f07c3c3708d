/** Connections: what keeps them, and what a surface may do with them. */
import type { Instant, Result } from "#base";
import type {
  AuditActor,
  AuditDraft,
  ConnectionFailure,
  ConnectionRecord,
  ConnectionRefusal,
  ConnectionView,
  IdentityHint,
  SecureInputRefusal,
  SkillUnusable,
  StepResponse,
  StoreFault,
  VaultFault,
} from "#model";
import type { Proposed, ProposeRefusal } from "./approvals.ts";

/** Opens the page that a service leads a browser back to, for one setup. A sandbox has no such place. */
export type OpenCallback = (onQuery: (query: CallbackQuery) => void) => Promise<Callback>;
export type Callback = {
  /** The address and port, as a script must name them. */
  readonly listeningOn: string;
  readonly uri: string;
  close(): void;
};
export type CallbackQuery = { readonly code: string | null; readonly state: string; readonly error: string };

/** A connection as it is kept. No secret is in it, nor anything made from one. */
export type KeptConnection = {
  readonly record: ConnectionRecord;
  readonly service: string;
  /** The version of its skill that was approved last. */
  readonly treeDigest: string;
  readonly hint: IdentityHint;
  /** The request that asked last. */
  readonly requestId: string | null;
  readonly probe: "probed" | "unprobed";
  readonly summary: string | null;
  /** What went wrong last and waits for an answer. */
  readonly failure: ConnectionFailure | null;
  /** Attempts to repair it since it last worked. */
  readonly attempts: number;
  /** When it was first connected; its initial permissions are fixed from then on. */
  readonly registeredAt: Instant | null;
  /** The request on whose approval a wider sign-in goes on; nothing of what it has changes before that has worked. */
  readonly widens: string | null;
};

/** Connections, in `silas.db`. Each change that is told of commits together with its audit entry. */
export interface ConnectionStore {
  /** In the order of their ids. */
  list(): Promise<Result<readonly KeptConnection[], StoreFault>>;
  find(connectionId: string): Promise<Result<KeptConnection | null, StoreFault>>;
  /**
   * Keeps it as it is now. INVARIANT: what was there at its first registration stays its initial permissions, whatever
   * comes later. [CONN-04]
   */
  keep(connection: KeptConnection, draft: AuditDraft | null): Promise<Result<void, StoreFault>>;
  /** The same for whoever looked at it for a while: false when it is no longer what it was, and then it stays as it is. */
  replace(replacing: ReplacedConnection): Promise<Result<boolean, StoreFault>>;
  /** One decision begins one setup: false when it has begun one already, and for what is no longer there. */
  begin(requestId: string, connection: KeptConnection, draft: AuditDraft): Promise<Result<boolean, StoreFault>>;
  /** What became of a wider sign-in, with the connection after it; in one commit, and once. */
  widened(ended: EndedWidening): Promise<Result<void, StoreFault>>;
  /** What became of the wider sign-in that this request began; null while it has none or has not ended. */
  outcomeOf(requestId: string): Promise<Result<WideningOutcome | null, StoreFault>>;
  /** False when there is none. */
  remove(connectionId: string, draft: AuditDraft): Promise<Result<boolean, StoreFault>>;
}

type ReplacedConnection = {
  readonly before: KeptConnection;
  readonly after: KeptConnection;
  readonly draft: AuditDraft | null;
};
/** `once`: for the call that asked, and the connection is as it was. */
export type WideningOutcome = "granted" | "once" | "failed";
export type EndedWidening = {
  readonly requestId: string;
  readonly outcome: WideningOutcome;
  readonly connection: KeptConnection;
  readonly draft: AuditDraft;
};

export type ConnectRefusal = ConnectionRefusal | SkillUnusable | ProposeRefusal | StoreFault;
export type ConnectionActRefusal = ConnectRefusal | SecureInputRefusal | VaultFault;

/** What the terminal and a channel may do with connections. */
export interface ConnectionsDoor {
  list(domain?: string): Promise<Result<readonly ConnectionView[], StoreFault>>;
  show(connectionId: string): Promise<Result<ConnectionView, ConnectionRefusal | StoreFault>>;
  /** Finds out how, and asks whether. Nothing is connected before that is decided. [SETUP-09] */
  connect(wanted: WantedConnection): Promise<Result<ConnectingRequest, ConnectRefusal>>;
  /** Answers the step that is shown. */
  answer(connectionId: string, response: StepResponse): Promise<Result<ConnectionView, ConnectionActRefusal>>;
  /** Ends a setup wherever it is; its secrets are removed. [SETUP-16] */
  cancel(connectionId: string): Promise<Result<ConnectionView, ConnectionActRefusal>>;
  /** Looks at it now, renews or repairs it where that is due. */
  check(connectionId: string): Promise<Result<ConnectionView, ConnectionActRefusal>>;
  /** One of the ways on that its failure card offers. */
  recover(connectionId: string, by: Recovery): Promise<Result<ConnectionView, ConnectionActRefusal>>;
  /** Removes it with its secrets. */
  remove(connectionId: string, actor: AuditActor): Promise<Result<void, ConnectionActRefusal>>;
}
export type WantedConnection = {
  readonly skill: string;
  readonly hint: IdentityHint;
  readonly actor: AuditActor;
};
export type ConnectingRequest = Proposed & { readonly connectionId: string };
export type Recovery = { readonly action: string; readonly actor: AuditActor };
