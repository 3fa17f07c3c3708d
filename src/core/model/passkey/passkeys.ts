import * as z from "zod/mini";
import { sha256Hex, type Brand, type Instant } from "#base";
import { passkeyAssertionSchema } from "../approval/passkey-wire.ts";
import { signatureToBase64 } from "../approval/signature.ts";
import { branded, nameSchema, maxLength } from "../values.ts";

/** The first 16 bytes of the SHA-256 of a credential id, as lower-case hex: short enough to type and to record. */
export type PasskeyId = Brand<string, "PasskeyId">;

/** A passkey as it is kept. It counts for the signed-in browser that made it, and for no other. */
export type Passkey = {
  readonly passkeyId: PasskeyId;
  /** As the authenticator names it, base64url. */
  readonly credentialId: string;
  /** A COSE key, base64url. */
  readonly publicKey: string;
  /** How often the authenticator says it was used; 0 for ever where it does not count. */
  readonly counter: number;
  readonly sessionId: string;
  /** The host name of the page it was made on. */
  readonly rpId: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
};

export const PASSKEY_PURPOSES = ["approval", "add", "remove"] as const;
/** What an answer of a passkey is for: one that was asked for one purpose counts for no other. */
export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number];

/** Why a passkey was not added or removed. Nothing was changed. */
export type PasskeyKeepRefusal =
  | { readonly code: "passkey_unknown"; readonly passkeyId: string }
  | { readonly code: "passkey_proof_needed"; readonly passkeyId: string }
  | { readonly code: "passkey_needs_name"; readonly host: string }
  | { readonly code: "passkey_known" }
  | { readonly code: "passkeys_full"; readonly max: number }
  | {
      readonly code: "passkey_not_made";
      readonly reason: "challenge_differs" | "origin_differs" | "user_not_verified" | "malformed";
    };

/**
 * What a passkey is asked about an approval, from the signing text of its first token: an answer fits that token, with
 * its plan and its nonce, and no other.
 */
export const passkeyChallenge = (signingText: string): string =>
  base64urlOfHex(sha256Hex(`silas-passkey-v1\n${signingText}`));

export const passkeyIdOf = (credentialId: string): PasskeyId => sha256Hex(credentialId).slice(0, 32) as PasskeyId;

function base64urlOfHex(hex: string): string {
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
  return signatureToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const base64url = (charsMax: number) => z.string().check(maxLength(charsMax), z.regex(/^[A-Za-z0-9_-]+$/));
const passkeyId = branded<PasskeyId>(/^[0-9a-f]{32}$/);

/** What a browser answers when it made a passkey, reduced to what is checked. */
const passkeyAttestationSchema = z.strictObject({
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal("public-key"),
  response: z.strictObject({ clientDataJSON: base64url(8_192), attestationObject: base64url(32_768) }),
});
export type PasskeyAttestation = z.infer<typeof passkeyAttestationSchema>;

/** `POST /api/keys/passkeys/ask`: a challenge for the proof before another is added, or this one removed. */
export const askPasskeySchema = z.discriminatedUnion("purpose", [
  z.strictObject({ purpose: z.literal("add") }),
  z.strictObject({ purpose: z.literal("remove"), passkey_id: passkeyId }),
]);
export type PasskeyAskedBody = { readonly challenge: string; readonly credential_ids: readonly string[] };

/** `POST /api/keys/passkeys/begin`: the proof is needed where this browser has a passkey already. */
export const beginPasskeySchema = z.strictObject({ proof: z.nullable(passkeyAssertionSchema) });
/** What the browser is asked to make, with the names WebAuthn gave it. */
export type PasskeyOptions = {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: { readonly type: "public-key"; readonly alg: number }[];
  readonly timeout: number;
  readonly attestation: "none";
  readonly excludeCredentials: { readonly type: "public-key"; readonly id: string }[];
  readonly authenticatorSelection: { readonly residentKey: "discouraged"; readonly userVerification: "required" };
};

/** `POST /api/keys/passkeys` */
export const addPasskeySchema = z.strictObject({ name: nameSchema, attestation: passkeyAttestationSchema });

/** `POST /api/keys/passkeys/remove`: without a proof for the terminal alone. */
export const removePasskeySchema = z.strictObject({
  passkey_id: passkeyId,
  proof: z.nullable(passkeyAssertionSchema),
});

/** A passkey as programs and the page see it. */
export type PasskeyBody = {
  readonly passkey_id: string;
  readonly name: string;
  readonly session_id: string;
  readonly rp_id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
};

export const passkeyToWire = (passkey: Passkey): PasskeyBody => ({
  passkey_id: passkey.passkeyId,
  name: passkey.name,
  session_id: passkey.sessionId,
  rp_id: passkey.rpId,
  created_at: passkey.createdAt,
  last_used_at: passkey.lastUsedAt,
});
