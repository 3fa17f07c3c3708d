import { sha256Hex } from "#base";
import { headStatement, type AuditBreak, type AuditHeadKey, type SignedHead } from "#model";

/** Ed25519 over the UTF-8 bytes of a text; the shell gives its native one. */
export type CheckSignature = (claim: {
  readonly publicKey: string;
  readonly text: string;
  readonly signature: string;
}) => boolean;

/** Without a way to check signatures none holds. */
export const NO_SIGNATURE_HOLDS: CheckSignature = () => false;

export type HeadSigner = Pick<AuditHeadKey, "keyId" | "publicKey" | "revokedAt">;

/**
 * What is wrong with a signed head; null when a key that counted at its time signed exactly this. The id of a key is a
 * digest of it, so an exchanged public key is no key that is known. [AUD-04]
 */
export function judgeSignedHead(
  { signature, ...statement }: SignedHead,
  { keys, check }: { readonly keys: readonly HeadSigner[]; readonly check: CheckSignature },
): AuditBreak | null {
  const { seq, keyId, at } = statement;
  const key = keys.find((one) => one.keyId === keyId);
  const isKnown = key !== undefined && isIdOf(keyId, key.publicKey) && (key.revokedAt === null || at <= key.revokedAt);
  if (!isKnown) return { code: "head_key_unknown", seq, keyId };
  const holds = check({ publicKey: key.publicKey, text: headStatement(statement), signature });
  return holds ? null : { code: "head_signature_invalid", seq };
}

export function isIdOf(keyId: string, publicKey: string): boolean {
  const bytes = Uint8Array.from(publicKey.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return sha256Hex(bytes).slice(0, keyId.length) === keyId;
}
