import { err, ok, type Result } from "#base";
import type { PasskeyAskedBody, PasskeyAssertion, PasskeyAttestation, PasskeyBody, PasskeyOptions } from "#model";
import { send, type WireError } from "../wire/http.ts";
import { readSession } from "./enrolment.ts";

/** The browser made or gave no passkey: the person closed its window, took too long, or it cannot. */
export type PasskeyFailure = { readonly code: "passkey_cancelled" | "passkey_known" | "passkey_impossible" };

/** Why passkeys cannot be used here at all; null where they can. */
export function passkeysBlocked(): "needs_name" | "needs_secure" | "unsupported" | null {
  // Browsers refuse an IP address as the name a passkey belongs to.
  if (/^(\d+\.){3}\d+$|^\[/.test(location.hostname)) return "needs_name";
  if (!isSecureContext) return "needs_secure";
  return "PublicKeyCredential" in globalThis ? null : "unsupported";
}

type OwnPasskeys = {
  /** Those of this browser: the ones that are asked when it approves. */
  readonly passkeys: readonly PasskeyBody[];
  readonly elsewhere: readonly PasskeyBody[];
};

export async function readPasskeys(): Promise<Result<OwnPasskeys, WireError>> {
  const session = await readSession();
  if (!session.ok) return session;
  const listed = await send<{ readonly passkeys: readonly PasskeyBody[] }>("/api/keys/passkeys", { method: "GET" });
  if (!listed.ok) return listed;
  const isMine = ({ session_id: id }: PasskeyBody): boolean => id === session.value.session_id;
  const { passkeys } = listed.value;
  return ok({ passkeys: passkeys.filter(isMine), elsewhere: passkeys.filter((each) => !isMine(each)) });
}

/** Asks a passkey of this browser; the person proves to be there, with a finger or a PIN. */
export async function askPasskey({
  challenge,
  credential_ids: ids,
}: PasskeyAskedBody): Promise<Result<PasskeyAssertion, PasskeyFailure>> {
  try {
    const { startAuthentication } = await import("@simplewebauthn/browser");
    const asked = await startAuthentication({
      optionsJSON: {
        challenge,
        rpId: location.hostname,
        allowCredentials: ids.map((id) => ({ id, type: "public-key" })),
        userVerification: "required",
        timeout: TIMEOUT_MS,
      },
    });
    const { id, rawId, type, response } = asked;
    const { clientDataJSON, authenticatorData, signature } = response;
    return ok({
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    });
  } catch (cause) {
    return err(failureOf(cause));
  }
}

/**
 * Adds a passkey to this browser. Where there is one already it must agree first: otherwise whoever took over this page
 * could answer with one of their own.
 */
export async function addPasskey(
  name: string,
  { hasOne }: { readonly hasOne: boolean },
): Promise<Result<PasskeyBody, WireError | PasskeyFailure>> {
  const proof = hasOne ? await proofFor({ purpose: "add" }) : ok(null);
  if (!proof.ok) return proof;
  const begun = await send<PasskeyOptions>("/api/keys/passkeys/begin", {
    method: "POST",
    json: { proof: proof.value },
  });
  if (!begun.ok) return begun;
  const attestation = await makePasskey(begun.value);
  if (!attestation.ok) return attestation;
  return send("/api/keys/passkeys", { method: "POST", json: { name, attestation: attestation.value } });
}

/** Only the passkey itself may take itself away; one that is lost goes by the terminal. */
export async function removePasskey(passkeyId: string): Promise<Result<PasskeyBody, WireError | PasskeyFailure>> {
  const proof = await proofFor({ purpose: "remove", passkey_id: passkeyId });
  if (!proof.ok) return proof;
  return send("/api/keys/passkeys/remove", { method: "POST", json: { passkey_id: passkeyId, proof: proof.value } });
}

const TIMEOUT_MS = 120_000;

type Asking = { readonly purpose: "add" } | { readonly purpose: "remove"; readonly passkey_id: string };

async function proofFor(json: Asking): Promise<Result<PasskeyAssertion, WireError | PasskeyFailure>> {
  const asked = await send<PasskeyAskedBody>("/api/keys/passkeys/ask", { method: "POST", json });
  return asked.ok ? askPasskey(asked.value) : asked;
}

async function makePasskey(optionsJSON: PasskeyOptions): Promise<Result<PasskeyAttestation, PasskeyFailure>> {
  try {
    const { startRegistration } = await import("@simplewebauthn/browser");
    const { id, rawId, type, response } = await startRegistration({ optionsJSON });
    const { clientDataJSON, attestationObject } = response;
    return ok({ id, rawId, type, response: { clientDataJSON, attestationObject } });
  } catch (cause) {
    return err(failureOf(cause));
  }
}

function failureOf(cause: unknown): PasskeyFailure {
  const name = cause instanceof Error ? cause.name : "";
  if (name === "InvalidStateError") return { code: "passkey_known" };
  return { code: name === "NotAllowedError" || name === "AbortError" ? "passkey_cancelled" : "passkey_impossible" };
}
