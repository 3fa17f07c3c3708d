import type { Instant } from "#base";

/**
 * The key of a nonce in the domain of messages. Uses of approvals are rows of their own under the nonce of their token
 * and share no key with it, so that the same text may be a nonce in both. [NONCE-02]
 */
export const messageNonceKey = (nonce: string): string => `msg:${nonce}`;

/** One spending of a nonce. */
export type NonceSpending = {
  readonly nonce: string;
  readonly at: Instant;
  /** The earliest moment at which it can have been spent before. */
  readonly earliest: Instant;
};
/** `used` also when nonces of that time were forgotten already, and nobody can say that it is new. */
export type NonceAnswer = "fresh" | "used";
