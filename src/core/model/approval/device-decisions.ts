import type { Instant, Sha256Hex } from "#base";
import type { UnsignedToken } from "../approvals.ts";
import type { OwnerReply } from "../ask/answers.ts";
import type { Friction } from "../cards.ts";
import type { DecisionDigest } from "../decisions.ts";
import type { KeyId, OwnerKey, PublicKeyHex } from "../keys.ts";
import type { PasskeyAssertion, PasskeyChallenge } from "./passkey-wire.ts";

/** An approval that a signed-in browser wants to sign. The session comes from the connection, never from the body. */
export type DeviceAnswer = {
  readonly requestId: string;
  readonly sessionId: string;
  /** The hash of what was shown, computed in the page. */
  readonly shownHash: Sha256Hex;
  readonly friction: readonly Friction[];
  readonly keyId: KeyId;
  /** What is said to a question of a step. */
  readonly answer?: OwnerReply | undefined;
};

/** What the page is to sign, and the passkey it is to ask for. */
export type PreparedApproval = {
  readonly tokens: readonly UnsignedToken[];
  readonly passkey: PasskeyChallenge | null;
};

export type DeviceSignatures = {
  readonly requestId: string;
  readonly sessionId: string;
  readonly signatures: readonly { readonly tokenId: string; readonly signature: Uint8Array }[];
  readonly assertion: PasskeyAssertion | null;
};

/** Why a browser's approval is not taken. Nothing was approved. */
export type DeviceDecisionRefusal =
  /** The key belongs to another device, or is none of a browser. */
  | { readonly code: "device_key_differs"; readonly keyId: KeyId }
  /** Nothing is held for this device and request: it was restarted, took too long, or was never asked. */
  | { readonly code: "mint_missing"; readonly requestId: string }
  /** The signatures are not for exactly the tokens that were minted. */
  | { readonly code: "signatures_differ"; readonly requestId: string };

/** Whether decisions come faster than anybody reads. A cue and never a delay. [FATIGUE-04] */
export type Fatigue = {
  /** Null before the first decision. */
  readonly medianMs: number | null;
  readonly decisions: number;
  readonly isFast: boolean;
};

export type DecisionsSummary = Omit<DecisionDigest, "weighed"> & {
  readonly fatigue: Fatigue;
  readonly isDense: boolean;
};

/** A key of a browser that waits to be confirmed at the terminal. */
export type WaitingDevice = {
  readonly enrolmentId: string;
  readonly sessionId: string;
  readonly deviceName: string;
  /** What the key is to be called. */
  readonly name: string;
  readonly publicKey: PublicKeyHex;
  readonly nonce: string;
  readonly code: string;
  readonly expiresAt: Instant;
};

export type DeviceOffer = {
  readonly sessionId: string;
  readonly deviceName: string;
  readonly name: string;
  readonly publicKey: PublicKeyHex;
  readonly challenge: string;
  readonly signature: Uint8Array;
};

export type DeviceKeyState =
  | { readonly state: "none"; readonly key: null; readonly enrolment: null }
  | { readonly state: "waiting"; readonly key: OwnerKey | null; readonly enrolment: WaitingDevice }
  | { readonly state: "enrolled" | "revoked"; readonly key: OwnerKey; readonly enrolment: null };

/** Why a device gets no key. Nothing was enrolled. */
export type DeviceKeyRefusal =
  /** Not the challenge this session was given, or too late. */
  | { readonly code: "challenge_unknown" }
  | { readonly code: "proof_invalid" }
  | { readonly code: "public_key_taken" }
  | { readonly code: "no_device_waits" }
  | { readonly code: "device_code_wrong"; readonly triesLeft: number };
