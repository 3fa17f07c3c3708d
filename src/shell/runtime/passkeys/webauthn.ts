import { err, ok, parseStrictJson, type Result } from "#base";
import type { Passkey, PasskeyAssertion, PasskeyAttestation, PasskeyKeepRefusal, PasskeyRefusal } from "#model";

/** Where an answer must come from. */
export type Expected = {
  readonly challenge: string;
  readonly rpId: string;
  readonly isOwnOrigin: (origin: string) => boolean;
};
type Reason = Extract<PasskeyRefusal, { readonly code: "passkey_refused" }>["reason"];
type NotMadeReason = Extract<PasskeyKeepRefusal, { readonly code: "passkey_not_made" }>["reason"];

/**
 * Checks what a passkey answered. Challenge, origin and the person's presence are looked at here, each with a reason of
 * its own; the signature, the name it is made for and the shape of everything are checked by the library.
 */
export async function verifyAssertion(
  passkey: Passkey,
  { assertion, expected }: { readonly assertion: PasskeyAssertion; readonly expected: Expected },
): Promise<Result<{ readonly counter: number }, Reason>> {
  const { response } = assertion;
  const client = readClient(response.clientDataJSON, { ...expected, type: "webauthn.get" });
  if (!client.ok) return client;
  const flags = readFlags(Buffer.from(response.authenticatorData, "base64url"));
  if (flags === null) return err("malformed");
  if (!flags.isVerified) return err("user_not_verified");
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: signedPart(assertion),
      expectedChallenge: expected.challenge,
      expectedOrigin: client.value.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: true,
      // The count is compared where it is kept, so that two answers at once cannot both be the next.
      credential: { id: passkey.credentialId, publicKey: Buffer.from(passkey.publicKey, "base64url"), counter: 0 },
    });
    return verified ? ok({ counter: flags.counter }) : err("signature_invalid");
  } catch {
    return err("malformed");
  }
}

/** What the browser says beside it is not signed, and decides nothing. */
function signedPart({ id, rawId, type, response }: PasskeyAssertion) {
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature }, clientExtensionResults: {} };
}

type MadePasskey = Pick<Passkey, "credentialId" | "publicKey" | "counter">;

/** Checks what a browser made, and answers with what is kept of it. */
export async function verifyAttestation(
  attestation: PasskeyAttestation,
  expected: Expected,
): Promise<Result<MadePasskey, NotMadeReason>> {
  const client = readClient(attestation.response.clientDataJSON, { ...expected, type: "webauthn.create" });
  if (!client.ok) return client;
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: client.value.origin,
      expectedRPID: expected.rpId,
      // Looked at below, with a reason of its own.
      requireUserVerification: false,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!verified) return err("malformed");
    if (!registrationInfo.userVerified) return err("user_not_verified");
    const { id, publicKey, counter } = registrationInfo.credential;
    return ok({ credentialId: id, publicKey: Buffer.from(publicKey).toString("base64url"), counter });
  } catch {
    return err("malformed");
  }
}

/** Ed25519, ECDSA with P-256, RSA: what authenticators can do, the best first. */
export const ALGORITHMS = [-8, -7, -257] as const;

type Client = { readonly origin: string };

function readClient(
  encoded: string,
  { challenge, rpId, isOwnOrigin, type }: Expected & { readonly type: "webauthn.get" | "webauthn.create" },
): Result<Client, "malformed" | "challenge_differs" | "origin_differs"> {
  const parsed = parseStrictJson(Buffer.from(encoded, "base64url").toString("utf8"));
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null || Array.isArray(parsed.value)) {
    return err("malformed");
  }
  const client = parsed.value as { readonly [field: string]: unknown };
  if (client["type"] !== type) return err("malformed");
  if (client["challenge"] !== challenge) return err("challenge_differs");
  const { origin, crossOrigin } = client;
  if (typeof origin !== "string" || crossOrigin === true || !isOwnOrigin(origin)) return err("origin_differs");
  return hostOf(origin) === rpId ? ok({ origin }) : err("origin_differs");
}

/** The host name of an origin that was found to be one of Silas's own. */
export const hostOf = (origin: string): string => new URL(origin).hostname;

/** 32 bytes of the name's hash, one of flags, four of the count. */
function readFlags(data: Buffer): { readonly isVerified: boolean; readonly counter: number } | null {
  if (data.length < 37) return null;
  const PRESENT_AND_VERIFIED = 0x05;
  return {
    isVerified: (data.readUInt8(32) & PRESENT_AND_VERIFIED) === PRESENT_AND_VERIFIED,
    counter: data.readUInt32BE(33),
  };
}
