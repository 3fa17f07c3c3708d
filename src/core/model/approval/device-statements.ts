import { assert, canonicalJson, sha256Hex } from "#base";
import type { PublicKeyHex } from "../keys.ts";

/** What a device signs to show that it holds the private half of the key it offers. */
type DeviceProof = {
  /** What the server asked with; it is good for one proof of one session. */
  readonly challenge: string;
  readonly name: string;
  readonly publicKey: PublicKeyHex;
  readonly sessionId: string;
};

/** The text whose UTF-8 bytes a device signs when its key is enrolled. It can be taken for no other statement. */
export function deviceProofText({ challenge, name, publicKey, sessionId }: DeviceProof): string {
  return `silas-device-key-v1\n${canonical({ challenge, name, public_key: publicKey, session_id: sessionId })}`;
}

type DeviceCodeParts = {
  readonly nonce: string;
  readonly publicKey: PublicKeyHex;
  readonly sessionId: string;
};

/**
 * Six digits that the device and the terminal each compute for themselves. The nonce is chosen by the server after the
 * key is known, so nobody can search for a key that gives the digits of another.
 */
export function deviceCode({ nonce, publicKey, sessionId }: DeviceCodeParts): string {
  const digest = sha256Hex(
    `silas-device-code-v1\n${canonical({ nonce, public_key: publicKey, session_id: sessionId })}`,
  );
  const number = Number.parseInt(digest.slice(0, 12), 16) % 1_000_000;
  return String(number).padStart(6, "0");
}

function canonical(value: { readonly [field: string]: string }): string {
  const text = canonicalJson(value);
  assert(text.ok, "a device statement has canonical bytes");
  return text.value;
}
