import type { Sha256Hex } from "#base";

export const TOKEN_CLASSES = ["semanticKey", "subtypeToken", "entityId"] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];

/** What a change is about, in words that subscriptions are written in. Built only by `#journal`'s token functions. */
export type ChangeToken = {
  readonly tokenClass: TokenClass;
  readonly tokenValue: string;
  readonly tokenNamespace?: string;
};

/** Where one record version comes from. `origin` is `sync` for everything that replicates, also on its author. */
export type ChangeUnit = {
  readonly origin: "sync" | "local";
  readonly hostId: string;
  readonly counter: number;
  readonly payloadType: string;
  readonly payloadId: string;
};

/** One envelope on the change feed. Consumers see only this, never bare tokens. [BATCHID-01] */
export type NotificationBatch = {
  readonly localBatchId: string;
  readonly logicalChangeKey: Sha256Hex;
  readonly changeUnitKeys: readonly Sha256Hex[];
  readonly typedTokens: readonly ChangeToken[];
};
