/** Approvals: what keeps them, and what the terminal and a channel may do with them. */
import type { Instant, Result, Sha256Hex } from "#base";
import type {
  ApprovalRefusal,
  ApprovalUse,
  AuditActor,
  DecisionDigest,
  DecisionRefusal,
  DecisionsSummary,
  DeviceAnswer,
  DeviceDecisionRefusal,
  DeviceSignatures,
  DigestLimits,
  Friction,
  KeptApproval,
  KeptRequest,
  KeyError,
  LimitChange,
  LimitValues,
  OwnerReply,
  PasskeyRefusal,
  Payload,
  PayloadRefused,
  PendingDecision,
  ProposalRefused,
  PreparedApproval,
  RequestRefusal,
  SecretRefusal,
  SelectionRefusal,
  SigningError,
  SkillUnusable,
  SpendRefusal,
  StoredToken,
  StoreFault,
} from "#model";

/** What was asked, as it is kept. Looking here starts no time; a request whose time is over reads as expired. */
export interface RequestLook {
  find(requestId: string): Promise<Result<KeptRequest | null, StoreFault>>;
}

/**
 * Requests for a decision, approvals and their uses, in `silas.db`. Each change commits together with its audit entry.
 * INVARIANT: every read and every new request first ends the requests whose time is over, as decided by nobody, so no
 * caller sees an open request that is over. An approval is used at most as often as it says, whoever else uses it at the same moment. [APPR-19]
 */
export interface ApprovalStore extends WorkTitles, RequestLook {
  /** A plan that waits already is not added again: the answer is the request that waits. */
  propose(request: KeptRequest): Promise<Result<Proposed, RequestRefusal | StoreFault>>;
  /** The requests that a list of runs shows, in one read and without their cards; unknown ones are left out. */
  headings(requestIds: readonly string[]): Promise<Result<ReadonlyMap<string, RequestHeading>, StoreFault>>;
  /** Oldest first; the newest of them when there are more than fit. */
  list(states: readonly PendingDecision["state"][]): Promise<Result<readonly KeptRequest[], StoreFault>>;
  /** What a list shows of all of them, read without projections and cards. */
  digest(limits: DigestLimits): Promise<Result<DecisionDigest, StoreFault>>;
  countPending(): Promise<Result<number, StoreFault>>;
  /** Starts the time of a request that waits, once; answers whether it began now. */
  activate(
    requestId: string,
    window: { readonly at: Instant; readonly expiresAt: Instant },
  ): Promise<Result<boolean, StoreFault>>;
  /** Tells the listener, from now on, of each commit that ended requests whose time was over. */
  onExpired(listener: () => void): void;
  decline(decision: MadeDecision): Promise<Result<KeptRequest, RequestRefusal | StoreFault>>;
  /** Ends a request and asks about another in its place, all or nothing. [BATCH-05] */
  replace(decision: MadeDecision, request: KeptRequest): Promise<Result<Proposed, RequestRefusal | StoreFault>>;
  /**
   * Keeps the approval, counts one use of it, begins the attempt and closes the request, all or nothing. Without a
   * request it is a further use of an approval. A key that was revoked before this commit lets nothing begin. What else
   * the decision gave is kept by the same commit, or nothing is.
   */
  spend(spending: Spending): Promise<Result<ApprovalUse, RequestRefusal | SpendRefusal | KeyError | StoreFault>>;
  findApproval(tokenId: string): Promise<Result<KeptApproval | null, StoreFault>>;
  /** Every approval that the decision of a request gave, its own first. */
  approvalsOf(requestId: string): Promise<Result<readonly KeptApproval[], StoreFault>>;
}
export type RequestHeading = Pick<KeptRequest, "kind" | "planHash"> & {
  readonly intent: string;
  /** Of a project alone, whose tasks are named there. */
  readonly projection: string | null;
};
/** What work is called that a decision was asked on. */
export interface WorkTitles {
  /** Of each of these ids that was only ever used under one title, that title. */
  titlesOf(workItemIds: readonly string[]): Promise<Result<ReadonlyMap<string, string>, StoreFault>>;
  /** How the gates are called in what was decided on these runs, in the order of their names. */
  gateNamesOf(runIds: readonly string[]): Promise<Result<readonly string[], StoreFault>>;
}
export type Proposed = { readonly request: KeptRequest; readonly isNew: boolean };
/** A decision about exactly this plan. */
export type MadeDecision = {
  readonly requestId: string;
  readonly planHash: Sha256Hex;
  readonly at: Instant;
  readonly actor: AuditActor;
};
export type Spending = {
  readonly token: StoredToken;
  readonly workItemId: string;
  readonly contentHash: Sha256Hex;
  readonly attemptLineage: string;
  /** What was done to approve, for the record. */
  readonly friction: readonly Friction[];
  readonly at: Instant;
  readonly actor: AuditActor;
  /** The request as it was judged, whose row must still be the same; null for a further use of an approval. */
  readonly judged: KeptRequest | null;
  /** What the same decision gives besides: empty without a request. */
  readonly also: readonly AlsoGranted[];
  /** What is changed by it, for a request about limits of autonomy. */
  readonly limits?: LimitsChanged;
};
/** INVARIANT: all of it, by the commit that uses the approval, or nothing. [AUTO-15] */
export type LimitsChanged = { readonly changes: readonly LimitChange[]; readonly configured: LimitValues };
/** Used once at this moment, or kept for later uses. */
export type AlsoGranted = {
  readonly token: StoredToken;
  readonly workItemId: string;
  readonly use: { readonly contentHash: Sha256Hex; readonly attemptLineage: string } | null;
  /** For the way back of a batch: the canonical text of it, and how long it is offered after the run. */
  readonly undo?: { readonly reverse: string; readonly windowSeconds: number };
};

/** What the terminal and a channel may do with requests and approvals. Whoever decides is named by the caller. */
export interface ApprovalsDoor {
  /** What an approval of this plan would cover, or why proposing it would be refused. Stores and records nothing. */
  check(markdown: string): Promise<Result<PlanChecked, CheckRefusal>>;
  propose(markdown: string, actor: AuditActor): Promise<Result<Proposed, ProposeRefusal>>;
  /** Asks about a batch, a limit of autonomy, the trust in an item or a value at a gate. [APPR-10] */
  proposePayload(payload: Payload, actor: AuditActor): Promise<Result<Proposed, ProposeRefusal>>;
  /** A request that nobody decided, asked once more. */
  proposeAgain(requestId: string, actor: AuditActor): Promise<Result<Proposed, ProposeRefusal>>;
  /** Every request that waits, oldest first; the first is the active one, and its time runs. */
  inbox(): Promise<Result<readonly KeptRequest[], StoreFault>>;
  /** Requests that ended without a decision and were not proposed again. */
  missed(): Promise<Result<readonly KeptRequest[], StoreFault>>;
  /** Whatever was asked, decided or not, oldest first. Looking here starts no time. */
  all(): Promise<Result<readonly KeptRequest[], StoreFault>>;
  /** One request, to be shown: if it waits, its time runs from now on. */
  show(requestId: string): Promise<Result<KeptRequest, RequestRefusal | StoreFault>>;
  /** The lists of a queue, and whether decisions come too fast or too many wait. Looking here starts no time. */
  summary(): Promise<Result<DecisionsSummary, StoreFault>>;
  /** Asks about some of the items of a batch in place of all of them; that needs an approval of its own. [BATCH-05] */
  select(choice: ItemChoice): Promise<Result<Proposed, ProposeRefusal | SelectionRefusal>>;
  /** A decline from anywhere, or an approval at the terminal of this machine. */
  decide(answer: OwnerAnswer): Promise<Result<KeptRequest, DecideRefusal>>;
  /** An approval in a browser, first half: the engine judges the answer and mints what the browser is to sign. */
  prepareApproval(answer: DeviceAnswer): Promise<Result<PreparedApproval, DecideRefusal>>;
  /** Second half: verified and used at once. INVARIANT: only what was minted for this session and is unchanged counts. */
  completeApproval(signed: DeviceSignatures): Promise<Result<KeptRequest, DecideRefusal>>;
  /** The receipt of an approved request, as text that needs nothing else to be checked. */
  receipt(requestId: string): Promise<Result<string, RequestRefusal | ReceiptRefusal | StoreFault>>;
}
export type OwnerAnswer = {
  readonly requestId: string;
  readonly verdict: "approved" | "declined";
  /** The hash of the plan that was shown. */
  readonly shownHash: Sha256Hex;
  readonly friction: readonly Friction[];
  readonly actor: AuditActor;
  /** What is said to a question of a step. */
  readonly answer?: OwnerReply | undefined;
};
export type ItemChoice = {
  readonly requestId: string;
  /** In the order in which they are to be done. */
  readonly itemIds: readonly string[];
  readonly actor: AuditActor;
};
/** The projection that an approval would cover, as canonical JSON, and its hash. */
export type PlanChecked = { readonly projection: string; readonly planHash: Sha256Hex };
export type CheckRefusal = SecretRefusal | PlanRefused | ProposalRefused | SkillUnusable | StoreFault;
export type ProposeRefusal = CheckRefusal | PayloadRefused | RequestRefusal;
/** The first problem of a plan that cannot be used here, and all of them if it was read; nothing was asked. */
export type PlanRefused = {
  readonly code: "plan_refused";
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** Which of the files of a proposal it is: 0 for the plan, then its tasks as they were given. */
  readonly part?: number;
  readonly problems?: readonly PlanFault[];
};
export type PlanFault = {
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly key: string | null;
  readonly expected: string | null;
  readonly nearest: string | null;
  readonly found: readonly string[];
};
export type DecideRefusal =
  | SecretRefusal
  | RequestRefusal
  | DecisionRefusal
  | ApprovalRefusal
  | SpendRefusal
  | DeviceDecisionRefusal
  | PasskeyRefusal
  | SigningError
  | StoreFault;
export type ReceiptRefusal = { readonly code: "not_approved"; readonly requestId: string };

/** Tells that something to be reviewed is not as it was: a request, a decision, an enrolment, an input. */
export interface ReviewFeed {
  changed(): void;
  /** Everything was stopped, or is not stopped any longer. */
  stopChanged(): void;
  /** For a change that only a page shows: no part of Silas acts on it. */
  shownChanged(): void;
  /** A page asks again for what it needs; it is told how many requests wait now. They are counted only for pages. */
  subscribe(listener: (waiting: { readonly pendingCount: number }) => void): () => void;
  /** For a part that waits with a time limit of its own and reads its stores: it is told to read them sooner. */
  onChanged(listener: () => void): () => void;
  onStopChanged(listener: () => void): () => void;
}
