import { err, instantFromMs, ok, type Instant, type Result } from "#base";
import {
  signatureToBase64,
  tokenSigningBytes,
  type Friction,
  type MintedBody,
  type MintRequestBody,
  type OwnerReply,
  type ShownRequestBody,
  type SignRequestBody,
  type UnsignedToken,
} from "#model";
import { send, type WireError } from "../wire/http.ts";
import { loadDeviceKey, signText, type DeviceKey } from "./device-key.ts";
import type { DeviceState } from "./device-state.ts";
import { judgeMinted, judgeShown, type ShownRequest, type SigningRefusal } from "./judge-minted.ts";
import { askPasskey, type PasskeyFailure } from "./passkeys.ts";
import { readDevice } from "./use-device-key.ts";

/** Why nothing was approved. What the server refused has its own code and sentence. */
export type SignFailure =
  | SigningRefusal
  | PasskeyFailure
  | { readonly code: "device_cannot_sign"; readonly state: DeviceState["kind"] }
  | WireError;

type SignOptions = {
  readonly request: ShownRequest;
  /** What the owner did in this page, in order: `tap`, `confirm`, `slide`. A passkey is asked for here, not claimed. */
  readonly friction: readonly Friction[];
  /** What the owner says to a question of a step. */
  readonly answer?: OwnerReply | undefined;
};

/**
 * Approves one request with the key of this browser. The hash is computed again from the text that is shown, the tokens
 * are compared with the card field by field, and only then does the key sign. The answer is the request as it is now.
 */
export async function signRequest({
  request,
  friction,
  answer,
}: SignOptions): Promise<Result<ShownRequestBody, SignFailure>> {
  const shown = judgeShown(request);
  if (!shown.ok) return shown;
  const key = await signingKey();
  if (!key.ok) return key;
  const asked: MintRequestBody = {
    request_id: request.request_id,
    shown_hash: request.plan_hash,
    friction: [...friction],
    key_id: key.value.keyId,
    ...(answer === undefined ? {} : { answer }),
  };
  const minted = await send<MintedBody>("/api/approvals/mint", { method: "POST", json: asked });
  if (!minted.ok) return minted;
  const { keyId } = key.value;
  const tokens = judgeMinted({ request, friction, answer, keyId, at: now() }, minted.value);
  if (!tokens.ok) return tokens;
  const { passkey } = minted.value;
  const assertion = passkey === null ? ok(null) : await askPasskey(passkey);
  if (!assertion.ok) return assertion;
  const json: SignRequestBody = {
    request_id: request.request_id,
    signatures: await signAll(key.value, tokens.value),
    passkey_assertion: assertion.value,
  };
  return send("/api/approvals/sign", { method: "POST", json });
}

export async function signingKey(): Promise<Result<DeviceKey, SignFailure>> {
  const device = await readDevice();
  if (!device.ok) return device;
  const { sessionId, state } = device.value;
  const key = state.kind === "enrolled" ? await loadDeviceKey(sessionId) : null;
  return key === null ? err({ code: "device_cannot_sign", state: state.kind }) : ok(key);
}

async function signAll(key: DeviceKey, tokens: readonly UnsignedToken[]): Promise<SignRequestBody["signatures"]> {
  return Promise.all(
    tokens.map(async (token) => ({
      token_id: token.tokenId,
      signature: signatureToBase64(await signText(key, tokenSigningBytes(token))),
    })),
  );
}

function now(): Instant {
  const instant = instantFromMs(Date.now());
  if (!instant.ok) throw new Error("the clock of this browser shows no moment");
  return instant.value;
}
