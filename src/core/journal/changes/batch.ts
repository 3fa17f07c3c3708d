import { assert, err, ok, type Result, type Sha256Hex } from "#base";
import type { ChangeToken, ChangeUnit, NotificationBatch } from "#model";
import { changeUnitKey, logicalChangeKey, sortedUnique } from "./change-unit.ts";
import { parseToken, tokenKey, uniqueTokens } from "./token.ts";

type NewBatch = {
  readonly localBatchId: string;
  /** One record version, as long as no provenance groups several: devices must cut changes alike. [BATCHID-07] */
  readonly units: readonly ChangeUnit[];
  readonly tokens: readonly ChangeToken[];
};

export function createBatch({ localBatchId, units, tokens }: NewBatch): NotificationBatch {
  assert(units.length > 0, "BATCHID-07 a batch has at least one change unit");
  const changeUnitKeys = sortedUnique(units.map(changeUnitKey));
  return {
    localBatchId,
    logicalChangeKey: logicalChangeKey(changeUnitKeys),
    changeUnitKeys,
    typedTokens: uniqueTokens(tokens),
  };
}

type BatchError = {
  readonly code:
    | "missing_batch_field"
    | "change_unit_keys_not_canonical"
    | "logical_change_key_mismatch"
    | "invalid_typed_tokens";
  readonly field: keyof NotificationBatch;
};

/** Checks an envelope from anywhere: its key must recompute from its own list. [BATCHID-01, BATCHID-07] */
export function checkBatch(input: unknown): Result<NotificationBatch, BatchError> {
  const fields = new Map<string, unknown>(typeof input === "object" && input !== null ? Object.entries(input) : []);
  const [localBatchId, key] = [fields.get("localBatchId"), fields.get("logicalChangeKey")];
  const [unitKeys, tokens] = [fields.get("changeUnitKeys"), fields.get("typedTokens")];
  if (typeof localBatchId !== "string" || localBatchId === "") return refuse("missing_batch_field", "localBatchId");
  if (!isDigest(key)) return refuse("missing_batch_field", "logicalChangeKey");
  if (!Array.isArray(unitKeys)) return refuse("missing_batch_field", "changeUnitKeys");
  if (!Array.isArray(tokens)) return refuse("missing_batch_field", "typedTokens");
  const changeUnitKeys = unitKeys.filter(isDigest);
  const isCanonical = unitKeys.length > 0 && sortedUnique(changeUnitKeys).every((each, at) => each === unitKeys[at]);
  if (!isCanonical || sortedUnique(changeUnitKeys).length !== unitKeys.length) {
    return refuse("change_unit_keys_not_canonical", "changeUnitKeys");
  }
  if (logicalChangeKey(changeUnitKeys) !== key) return refuse("logical_change_key_mismatch", "logicalChangeKey");
  const typedTokens = parseTokens(tokens);
  if (typedTokens === null) return refuse("invalid_typed_tokens", "typedTokens");
  return ok({ localBatchId, logicalChangeKey: key, changeUnitKeys, typedTokens });
}

/**
 * Joins envelopes of the same logical change, the first one's id standing for all; different changes stay apart
 * however close in time they are. [BATCHID-10]
 */
export function coalesce(batches: readonly NotificationBatch[]): readonly NotificationBatch[] {
  const byKey = new Map<Sha256Hex, NotificationBatch>();
  for (const batch of batches) {
    const first = byKey.get(batch.logicalChangeKey) ?? batch;
    const typedTokens = uniqueTokens([...first.typedTokens, ...batch.typedTokens]);
    byKey.set(batch.logicalChangeKey, { ...first, typedTokens });
  }
  return [...byKey.values()];
}

/** True when a batch carries this very token: class, namespace and value. [TOKEN-03] */
export function hasToken(batch: NotificationBatch, token: ChangeToken): boolean {
  return batch.typedTokens.some((other) => tokenKey(other) === tokenKey(token));
}

function parseTokens(tokens: readonly unknown[]): readonly ChangeToken[] | null {
  const parsed = tokens.map(parseToken).flatMap((result) => (result.ok ? [result.value] : []));
  return parsed.length === tokens.length && uniqueTokens(parsed).length === tokens.length ? parsed : null;
}

const refuse = (code: BatchError["code"], field: keyof NotificationBatch) => err({ code, field } as const);

const isDigest = (value: unknown): value is Sha256Hex => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
