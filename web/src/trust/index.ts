/**
 * trust: what this browser does with keys of its own.
 *
 * `useDeviceKey` says whether this browser can sign, waits or cannot, and why. `signRequest` approves one shown request:
 * it computes the hash again, compares every minted token with what the card says, asks for a passkey where the server
 * does, signs with the device key and sends. `passkeysBlocked` says where passkeys cannot be used at all.
 * Invariants: the private key never leaves the browser's own store and nothing here can read it; nothing is signed that
 * differs in any field from what is shown (KEY-06, T7); a refusal decides nothing, and the request waits on.
 * A failure's `code` is one of `SignFailure`; what the server refused brings its own sentence in `message`.
 */
export { judgeShown } from "./judge-minted.ts";
export { addPasskey, passkeysBlocked, readPasskeys, removePasskey, type PasskeyFailure } from "./passkeys.ts";
export { offerDeviceKey } from "./enrolment.ts";
export { acceptHold } from "./accept-hold.ts";
export { signRequest, type SignFailure } from "./sign-request.ts";
export type { DeviceState } from "./device-state.ts";
export { readDeviceKeyAgain, useDeviceKey, type Device } from "./use-device-key.ts";
