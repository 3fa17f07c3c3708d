import { enrolmentStatement, type EnrolledKey, type EnrolmentFacts } from "#model";
import { isIdOf, type CheckSignature } from "./audit-head.ts";

/**
 * Whether the owner's own keys vouch for a key: each enrolment is signed by a key that was in use then, back to the first
 * one, which signed for itself. The vault vouches for the key it holds. INVARIANT: a row and an entry that somebody
 * wrote into the database are not enough for a key to count. [KEY-01] [KEY-03]
 */
export function isVouchedFor(
  enrolled: EnrolledKey,
  { check, ...facts }: EnrolmentFacts & { readonly check: CheckSignature },
): boolean {
  let current = enrolled;
  // Ends because every signer was enrolled by an earlier entry than the key it signed for.
  for (;;) {
    const { key, signed } = current;
    if (!isIdOf(key.keyId, key.publicKey)) return false;
    if (key.keyId === facts.vaultKeyId) return true;
    if (signed === null) return false;
    const signer = signed.keyId === key.keyId ? current : facts.find(signed.keyId);
    if (signer === null || !isIdOf(signed.keyId, signer.key.publicKey)) return false;
    const claim = { publicKey: signer.key.publicKey, text: enrolmentStatement(key), signature: signed.signature };
    if (!check(claim)) return false;
    if (signer === current) return key.keyId === facts.rootKeyId;
    if (!wasInUse(signer, signed.seq)) return false;
    current = signer;
  }
}

const wasInUse = ({ signed, revokedSeq }: EnrolledKey, seq: number): boolean =>
  signed !== null && signed.seq < seq && (revokedSeq === null || revokedSeq > seq);
