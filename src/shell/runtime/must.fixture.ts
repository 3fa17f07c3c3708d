import type { Result } from "#base";
import type { AuditActor, OwnerKey, SignatureHex } from "#model";
import type { KeyEnrolling } from "#ports";

/** The value of what has to succeed. */
export function must<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(`expected ok, got ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The refusal of what has to fail. */
export function mustFail<T, E>(result: Result<T, E>): E {
  if (result.ok) throw new Error("expected an error");
  return result.error;
}

/** For rules that take every signature for good. The first key signs for itself, each other one needs one that counts. */
export const enrolledBy = (actor: AuditActor, { keyId }: Pick<OwnerKey, "keyId">): KeyEnrolling => ({
  actor,
  signed: { keyId, signature: "0".repeat(128) as SignatureHex },
});
