import type { Instant } from "#base";
import { deviceCode, type DeviceKeyBody, type DeviceWaitingBody, type KeyId, type OwnerKeyBody } from "#model";
import type { DeviceKey } from "./device-key.ts";

/** What is known of a key without being able to sign with it. */
export type KnownKey = Omit<DeviceKey, "pair">;

/** How it stands with signing in this browser. */
export type DeviceState =
  /** This browser cannot make such keys, or this is not the page of a signed-in browser. */
  | { readonly kind: "unsupported" }
  | { readonly kind: "none" }
  /** `code` is computed here; the terminal shows the same one or the key is another. */
  | { readonly kind: "waiting"; readonly code: string; readonly expiresAt: Instant }
  | { readonly kind: "enrolled"; readonly key: OwnerKeyBody; readonly keyId: KeyId }
  /** The key that was enrolled for this session is not the one in this browser: its storage was cleared. */
  | { readonly kind: "lost"; readonly key: OwnerKeyBody | null }
  | { readonly kind: "revoked"; readonly key: OwnerKeyBody | null }
  /** The server's code is not that of this browser's key. */
  | { readonly kind: "code_differs" };

/** From what the server says and what this browser holds; where the two disagree, nothing is signed. */
export function deriveDeviceState(current: DeviceKeyBody, mine: KnownKey | null): DeviceState {
  switch (current.state) {
    case "none":
      return { kind: "none" };
    case "revoked":
      return { kind: "revoked", key: current.key };
    case "waiting":
      return waiting(current, mine);
    case "enrolled":
      return current.key !== null && mine !== null && current.key.key_id === mine.keyId
        ? { kind: "enrolled", key: current.key, keyId: mine.keyId }
        : { kind: "lost", key: current.key };
  }
}

function waiting({ enrolment, key }: DeviceKeyBody, mine: KnownKey | null): DeviceState {
  if (enrolment === null || mine === null || enrolment.public_key !== mine.publicKey) return { kind: "lost", key };
  const code = codeOf(mine, enrolment);
  if (code !== enrolment.code) return { kind: "code_differs" };
  return { kind: "waiting", code, expiresAt: enrolment.expires_at as Instant };
}

/** What the terminal must show for exactly this key; computed here and never taken from the server. */
export const codeOf = (
  { publicKey, sessionId }: Pick<KnownKey, "publicKey" | "sessionId">,
  { nonce }: Pick<DeviceWaitingBody, "nonce">,
): string => deviceCode({ nonce, publicKey, sessionId });
