import { err, ok, type Result } from "#base";
import {
  deviceProofText,
  signatureToBase64,
  type DeviceChallengeBody,
  type DeviceKeyBody,
  type DeviceWaitingBody,
  type OfferDeviceKeyBody,
} from "#model";
import { send, type WireError } from "../wire/http.ts";
import { dropDeviceKey, ensureDeviceKey, signText } from "./device-key.ts";
import { codeOf } from "./device-state.ts";

/** The six digits the server says are not those of this browser's own key: somebody else's key would be confirmed. */
type CodeDiffers = { readonly code: "code_differs" };

export const readCurrentKey = (): Promise<Result<DeviceKeyBody, WireError>> =>
  send("/api/keys/devices/current", { method: "GET" });

/** The session of this browser, as the server knows it. */
export const readSession = (): Promise<
  Result<{ readonly session_id: string; readonly device_name: string; readonly kind: string }, WireError>
> => send("/session", { method: "GET" });

type Offer = {
  readonly sessionId: string;
  readonly name: string;
  /** `fresh` where the key that is there can never be enrolled again. */
  readonly key: "kept" | "fresh";
};

/** Offers this browser's public key, with proof that the private half is here. It waits until the terminal confirms. */
export async function offerDeviceKey({ sessionId, name, key }: Offer): Promise<Result<void, WireError | CodeDiffers>> {
  if (key === "fresh") await dropDeviceKey(sessionId);
  const mine = await ensureDeviceKey(sessionId);
  const begun = await send<DeviceChallengeBody>("/api/keys/devices/begin", { method: "POST", json: {} });
  if (!begun.ok) return begun;
  const { publicKey } = mine;
  const { challenge } = begun.value;
  const proof = await signText(mine, deviceProofText({ challenge, name, publicKey, sessionId }));
  const json: OfferDeviceKeyBody = { name, public_key: publicKey, challenge, signature: signatureToBase64(proof) };
  const offered = await send<DeviceWaitingBody>("/api/keys/devices", { method: "POST", json });
  if (!offered.ok) return offered;
  return codeOf(mine, offered.value) === offered.value.code ? ok() : err({ code: "code_differs" });
}
