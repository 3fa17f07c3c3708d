import * as z from "zod/mini";
import { LIMITS, type Instant, type Sha256Hex } from "#base";
import {
  pendingDecisionSchema,
  pendingDecisionToWire,
  type ApprovalUse,
  type PendingDecision,
  type PendingDecisionBody,
} from "./approvals.ts";
import { payloadSchema } from "./approval/payload.ts";
import { ownerAnswerSchema } from "./ask/answers.ts";
import type { AuditActor } from "./audit.ts";
import type { LimitRefused } from "./autonomy/limits.ts";
import { FRICTIONS } from "./cards.ts";
import type { KeyId } from "./keys.ts";
import { digestSchema as digest, maxLength } from "./values.ts";

/** A request for a decision as it is kept: with what is needed to propose it once more. */
export type KeptRequest = PendingDecision & {
  /** What was proposed: a plan file, or the canonical text of a payload. */
  readonly markdown: string;
  /** The missed request that this one repeats. */
  readonly againOf: string | null;
  /** What is asked in its place: itself once more after it was missed, or a selection of its items. */
  readonly replacedBy: string | null;
  readonly proposedBy: AuditActor;
};

/** What a list shows of a request; the whole is loaded when it is looked at. */
export type DecisionRow = Pick<
  KeptRequest,
  | "requestId"
  | "kind"
  | "riskLevel"
  | "createdAt"
  | "activeSince"
  | "expiresAt"
  | "state"
  | "decidedAt"
  | "decidedBy"
  | "againOf"
> & { readonly intent: string };

export type DecisionDigest = {
  /** Oldest first. */
  readonly pending: readonly DecisionRow[];
  /** Nobody decided, and not proposed again; newest first. */
  readonly missed: readonly DecisionRow[];
  /** By a person, newest first. */
  readonly decided: readonly DecisionRow[];
  /** When the last decisions of at least medium risk were shown and made, newest first. */
  readonly weighed: readonly { readonly activeSince: Instant; readonly decidedAt: Instant }[];
};
export type DigestLimits = { readonly missed: number; readonly decided: number; readonly weighed: number };

/** A signed approval as it is kept: its canonical text, and what it is looked up by. */
export type StoredToken = {
  readonly tokenId: string;
  readonly nonce: string;
  readonly planHash: Sha256Hex;
  readonly keyId: KeyId;
  readonly maxExecutions: number;
  readonly text: string;
};

/** An approval with every use of it. */
export type KeptApproval = {
  readonly token: StoredToken;
  readonly uses: readonly ApprovalUse[];
  /** It was given before an older database was accepted or restored, so nothing more happens by it. */
  readonly isVoid: boolean;
};

/** Why nothing was asked or decided. Nothing was changed. */
export type RequestRefusal =
  | { readonly code: "request_unknown"; readonly requestId: string }
  | {
      readonly code: "already_decided";
      readonly requestId: string;
      readonly state: PendingDecision["state"];
      readonly decidedAt: Instant;
      readonly decidedBy: AuditActor | null;
      readonly replacedBy: string | null;
    }
  | { readonly code: "plan_differs"; readonly requestId: string; readonly planHash: Sha256Hex }
  | { readonly code: "not_missed"; readonly requestId: string; readonly state: PendingDecision["state"] }
  | { readonly code: "too_many_pending"; readonly max: number };

/** Why an approval was not used. Nothing was changed. */
export type SpendRefusal =
  | { readonly code: "uses_exhausted"; readonly maxExecutions: number }
  | { readonly code: "token_differs"; readonly tokenId: string }
  /** The request is not what was judged any more. */
  | { readonly code: "decision_changed" }
  /** What it would change is not as it was when it was proposed, or may not be changed so. [AUTO-13] */
  | LimitRefused;

const id = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/));

export const proposePlanSchema = z.strictObject({ markdown: z.string().check(maxLength(LIMITS.planBytes)) });
export const proposePayloadSchema = z.strictObject({ payload: payloadSchema });
export const requestSchema = z.strictObject({ request_id: id });
/** `shown_hash` is that of the plan that was shown: another plan is never decided by it. [T7] */
export const decideRequestSchema = z.strictObject({
  request_id: id,
  verdict: z.enum(["approved", "declined"]),
  shown_hash: digest,
  friction: z.array(z.enum(FRICTIONS)).check(maxLength(FRICTIONS.length)),
  /** What is said to a question of a step; left out for everything else. */
  answer: z.optional(ownerAnswerSchema),
});

/** Everything that waits for the owner, whether or not it asks for a signature: lists, or how long they are. */
type WaitingLists = {
  readonly requests: Counted;
  /** Runs whose end was never seen. */
  readonly doubts: Counted;
  /** Goals that ask about checks they missed. */
  readonly missedChecks: Counted;
  /** Secrets that are asked for. */
  readonly inputs: Counted;
  /** Connections whose setup asks, or that failed. */
  readonly connections: Counted;
};
type Counted = { readonly length: number };

/** The one number of it: the badge, the title, the heading of Review, the socket and the terminal say the same. */
export const countWaiting = ({ requests, doubts, missedChecks, inputs, connections }: WaitingLists): number =>
  requests.length + doubts.length + missedChecks.length + inputs.length + connections.length;

/** A request as programs and the terminal see it. */
export type KeptRequestBody = PendingDecisionBody & {
  readonly markdown: string;
  readonly again_of: string | null;
  readonly replaced_by: string | null;
  readonly proposed_by: AuditActor;
};

export function keptRequestToWire({
  markdown,
  againOf,
  replacedBy,
  proposedBy,
  ...pending
}: KeptRequest): KeptRequestBody {
  const kept = { markdown, again_of: againOf, replaced_by: replacedBy, proposed_by: proposedBy };
  return { ...pendingDecisionToWire(pending), ...kept };
}

/** For bodies that Silas wrote itself; null for anything else. */
export function keptRequestFromWire(body: KeptRequestBody): KeptRequest | null {
  const { markdown, again_of: againOf, replaced_by: replacedBy, proposed_by: proposedBy, ...rest } = body;
  const pending = pendingDecisionSchema.safeParse(rest);
  return pending.success ? { ...pending.data, markdown, againOf, replacedBy, proposedBy } : null;
}
