import { assert, err, ok, sha256Hex, type Result, type Sha256Hex } from "#base";
import type { ChangeUnit, JournalRecord } from "#model";

type ChangeUnitError = {
  readonly code: "missing_change_provenance";
  readonly field: keyof ChangeUnit;
};

/**
 * Checks that a unit names everything it must, with no delimiter inside a part. [BATCHID-03]
 */
export function parseChangeUnit(input: unknown): Result<ChangeUnit, ChangeUnitError> {
  const given = new Map<string, unknown>(typeof input === "object" && input !== null ? Object.entries(input) : []);
  const [origin, counter] = [given.get("origin"), given.get("counter")];
  if (origin !== "sync" && origin !== "local") return missing("origin");
  if (typeof counter !== "number" || !Number.isSafeInteger(counter) || counter < 1) return missing("counter");
  const [hostId, payloadType, payloadId] = [given.get("hostId"), given.get("payloadType"), given.get("payloadId")];
  if (!isPart(hostId)) return missing("hostId");
  if (!isPart(payloadType)) return missing("payloadType");
  return isPart(payloadId) ? ok({ origin, hostId, counter, payloadType, payloadId }) : missing("payloadId");
}

/**
 * Where this version of a record comes from: its author, and the counter of the commit that wrote it. The journal
 * replicates, so the origin is `sync` on the author's device too; otherwise two devices would give one change two keys.
 */
export function changeUnitOf(record: Pick<JournalRecord, "id" | "kind" | "hostId" | "counter">): ChangeUnit {
  return {
    origin: "sync",
    hostId: record.hostId,
    counter: record.counter,
    payloadType: record.kind === "link" ? "entryLink" : "journalEntity",
    payloadId: record.id,
  };
}

export function canonicalChangeUnit(unit: ChangeUnit): string {
  const { origin, hostId, counter, payloadType, payloadId } = unit;
  assert(parseChangeUnit(unit).ok, "BATCHID-03 a change unit names all of its parts");
  return `v1|${origin}|${hostId}|${counter}|${payloadType}|${payloadId}`;
}

/** One record version's key, the same on every device. [BATCHID-06] */
export function changeUnitKey(unit: ChangeUnit): Sha256Hex {
  return sha256Hex(canonicalChangeUnit(unit));
}

/** The key of a set of units: order and repetition do not matter. [BATCHID-08] */
export function logicalChangeKey(changeUnitKeys: readonly Sha256Hex[]): Sha256Hex {
  return sha256Hex(`v1|${sortedUnique(changeUnitKeys).join(",")}`);
}

export function sortedUnique<T extends string>(keys: readonly T[]): readonly T[] {
  return [...new Set(keys)].toSorted();
}

const missing = (field: keyof ChangeUnit) => err({ code: "missing_change_provenance", field } as const);

const isPart = (value: unknown): value is string => typeof value === "string" && value !== "" && !value.includes("|");
