import * as z from "zod/mini";
import { LIMITS } from "#base";
import { unsignedTokenSchema, type PendingDecision } from "../approvals.ts";
import { ownerAnswerSchema } from "../ask/answers.ts";
import { FRICTIONS, type RiskLevel } from "../cards.ts";
import type { KeptRequestBody } from "../decisions.ts";
import { keyIdSchema, publicKeySchema, type OwnerKeyBody } from "../keys.ts";
import { nonce, id, digestSchema as digest, nameSchema, maxLength, minLength } from "../values.ts";
import { signatureSchema } from "./signature.ts";
import { passkeyAssertionSchema } from "./passkey-wire.ts";

/** What a page and the server say to each other about keys and decisions. A *device* is a signed-in browser. */

/** `POST /api/keys/devices/begin` */
export const beginDeviceKeySchema = z.strictObject({});
export type DeviceChallengeBody = { readonly challenge: string; readonly expires_at: string };

/** `POST /api/keys/devices`: the signature is over `deviceProofText`. */
export const offerDeviceKeySchema = z.strictObject({
  name: nameSchema,
  public_key: publicKeySchema,
  challenge: nonce,
  signature: signatureSchema,
});
export type OfferDeviceKeyBody = z.input<typeof offerDeviceKeySchema>;

/** A key that waits to be confirmed at the terminal. The page computes the code itself and shows what it computed. */
export type DeviceWaitingBody = {
  readonly enrolment_id: string;
  readonly nonce: string;
  readonly code: string;
  readonly expires_at: string;
};

/** `GET /api/keys/devices/current`: how it stands with the key of this device. */
export type DeviceKeyBody = {
  readonly state: "none" | "waiting" | "enrolled" | "revoked";
  readonly key: OwnerKeyBody | null;
  readonly enrolment: (DeviceWaitingBody & { readonly public_key: string }) | null;
};

/** `GET /api/keys/devices/waiting`, for the terminal. */
export type WaitingDeviceBody = {
  readonly enrolment_id: string;
  readonly name: string;
  readonly code: string;
  readonly public_key: string;
  readonly session_id: string;
  readonly device_name: string;
  readonly expires_at: string;
};

/** `POST /api/keys/devices/confirm`, for the terminal. */
export const confirmDeviceSchema = z.strictObject({ code: z.string().check(z.regex(/^[0-9]{6}$/)) });

/** `POST /api/approvals/mint` */
export const mintRequestSchema = z.strictObject({
  request_id: id,
  shown_hash: digest,
  friction: z.array(z.enum(FRICTIONS)).check(maxLength(FRICTIONS.length)),
  key_id: keyIdSchema,
  /** What is said to a question of a step; left out for everything else. */
  answer: z.optional(ownerAnswerSchema),
});
export type MintRequestBody = z.input<typeof mintRequestSchema>;

export type UnsignedTokenBody = z.input<typeof unsignedTokenSchema>;
/** Every token is to be signed; the passkey is to be asked when it is not null. */
export type MintedBody = {
  readonly tokens: readonly UnsignedTokenBody[];
  readonly passkey: { readonly challenge: string; readonly credential_ids: readonly string[] } | null;
};

/** `POST /api/approvals/sign`: each signature is over `tokenSigningBytes` of the token it names. */
export const signRequestSchema = z.strictObject({
  request_id: id,
  signatures: z
    .array(z.strictObject({ token_id: id, signature: signatureSchema }))
    .check(minLength(1), maxLength(LIMITS.mintedTokens)),
  passkey_assertion: z.nullable(passkeyAssertionSchema),
});
export type SignRequestBody = z.input<typeof signRequestSchema>;

/** One line of the queue: light, without projection and card. */
export type DecisionRowBody = {
  readonly request_id: string;
  readonly kind: PendingDecision["kind"];
  readonly intent: string;
  readonly risk_level: RiskLevel;
  readonly created_at: string;
  readonly active_since: string | null;
  readonly expires_at: string | null;
  readonly state: PendingDecision["state"];
  readonly decided_at: string | null;
  readonly decided_by: { readonly kind: string; readonly device_name: string | null } | null;
  readonly again_of: string | null;
};

/** `GET /api/approvals/summary`. Looking at it starts no clock. */
export type DecisionsSummaryBody = {
  /** Oldest first. */
  readonly pending: readonly DecisionRowBody[];
  /** Nobody decided, and not proposed again; newest first. */
  readonly missed: readonly DecisionRowBody[];
  /** Newest first. */
  readonly decided: readonly DecisionRowBody[];
  readonly fatigue: { readonly median_ms: number | null; readonly decisions: number; readonly is_fast: boolean };
  readonly is_dense: boolean;
};

/** `POST /api/approvals/show`: the request with the name of the device it was decided on. */
export type ShownRequestBody = KeptRequestBody & {
  readonly decided_by_name: string | null;
  /** For a goal that waits for a decision: when it would be due next if it were approved now. Nothing of it is signed. */
  readonly schedule?: { readonly time_zone: string; readonly next_due: string | null };
};
