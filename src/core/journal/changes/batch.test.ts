import { describe, expect, test } from "vitest";
import type { ChangeUnit } from "#model";
import { createBook } from "../../../../test/journal-book.ts";
import { checkBatch, createBatch } from "./batch.ts";
import { canonicalChangeUnit, changeUnitKey, changeUnitOf, logicalChangeKey, parseChangeUnit } from "./change-unit.ts";

const unit: ChangeUnit = {
  origin: "sync",
  hostId: "host-b",
  counter: 12,
  payloadType: "entryLink",
  payloadId: "link-9",
};
const tokens = [{ tokenClass: "semanticKey", tokenValue: "LINK" }] as const;
const batch = createBatch({ localBatchId: "b-1", units: [unit], tokens });
const code = (result: { readonly ok: boolean }) =>
  "error" in result ? (result.error as { readonly code: string }).code : "accepted";

describe("change units", () => {
  test("[BATCHID-03] a unit names origin, host, counter, type and id, and no part holds a delimiter", () => {
    expect(parseChangeUnit(unit)).toEqual({ ok: true, value: unit });
    for (const field of Object.keys(unit)) {
      const { [field as keyof ChangeUnit]: _, ...rest } = unit;
      expect(parseChangeUnit(rest)).toEqual({ ok: false, error: { code: "missing_change_provenance", field } });
    }
    const wrong = [
      { origin: "remote" },
      { counter: 0 },
      { counter: 1.5 },
      { counter: "12" },
      { hostId: "a|b" },
      { payloadType: "a|b" },
      { payloadId: "a|b" },
      { payloadId: "" },
    ];
    for (const part of wrong) expect(code(parseChangeUnit({ ...unit, ...part }))).toBe("missing_change_provenance");
    expect(code(parseChangeUnit(null))).toBe("missing_change_provenance");
  });

  test("[BATCHID-03] journal records replicate, so their origin is sync on their author too", () => {
    const book = createBook();
    const [a, b] = ["a", "b"].map((title) => book.must({ kind: "task.create", title }).subjectId);
    book.must({ kind: "link.add", fromId: a, toId: b, relation: "blocks" });
    const units = [...book.records.values()].map(changeUnitOf);
    expect(units.map(({ origin, counter, payloadType }) => [origin, counter, payloadType])).toEqual([
      ["sync", 1, "journalEntity"],
      ["sync", 2, "journalEntity"],
      ["sync", 3, "entryLink"],
    ]);
  });

  test("[BATCHID-06] the canonical text and the keys are those of the golden vectors", () => {
    const local: ChangeUnit = {
      origin: "local",
      hostId: "host-a",
      counter: 7,
      payloadType: "journalEntity",
      payloadId: "task-1",
    };
    expect(canonicalChangeUnit(local)).toBe("v1|local|host-a|7|journalEntity|task-1");
    expect(canonicalChangeUnit(unit)).toBe("v1|sync|host-b|12|entryLink|link-9");
    const [one, two] = [changeUnitKey(local), changeUnitKey(unit)];
    expect(one).toBe("b220ea95515ddb45061e2c6f86b30a0083149fc49425f2dc000f5688b8918975");
    expect(two).toBe("e5e74ffc1c51da5b7689b3824f3e4c56b8e3e7d8188a524340c527037655e25f");
    expect(logicalChangeKey([one])).toBe("10d29f2c3dd1596742c6e9c69f9dcf1c0a5952380891c4860c0f86ab0a7406b0");
    expect(logicalChangeKey([one, two])).toBe("92c1cdaf7de6506915798b6610f4039b4de123de6132e2cd95dda96fe9b38c82");
  });
});

describe("batches", () => {
  test("[BATCHID-01] an envelope has an id, a key, unit keys and typed tokens; bare tokens are no envelope", () => {
    expect(checkBatch(batch)).toEqual({ ok: true, value: batch });
    for (const field of Object.keys(batch)) {
      expect(checkBatch({ ...batch, [field]: undefined })).toEqual({
        ok: false,
        error: { code: "missing_batch_field", field },
      });
    }
    for (const bare of [tokens, null, "k:LINK", {}]) expect(code(checkBatch(bare))).toBe("missing_batch_field");
    const optional = { ...batch, affectedTokens: ["k:LINK"], sourceCursor: "7" };
    expect(checkBatch(optional)).toEqual({ ok: true, value: batch });
  });

  test("[BATCHID-07] unit keys are unique, sorted and not empty, and the key recomputes from them", () => {
    const units = [unit, { ...unit, counter: 13 }, unit];
    const made = createBatch({ localBatchId: "b", units, tokens: [...tokens, ...tokens] });
    expect(made.changeUnitKeys).toEqual([...new Set(units.map(changeUnitKey))].toSorted());
    expect(made.logicalChangeKey).toBe(logicalChangeKey(made.changeUnitKeys));
    expect(made.typedTokens).toEqual(tokens);
    expect(() => createBatch({ localBatchId: "b", units: [], tokens })).toThrow("BATCHID-07");
    const keys = made.changeUnitKeys;
    for (const changeUnitKeys of [[], keys.toReversed(), [...keys, keys[1]], ["x"]]) {
      expect(code(checkBatch({ ...made, changeUnitKeys }))).toBe("change_unit_keys_not_canonical");
    }
    expect(code(checkBatch({ ...made, changeUnitKeys: [keys[0]] }))).toBe("logical_change_key_mismatch");
    expect(code(checkBatch({ ...made, logicalChangeKey: batch.logicalChangeKey }))).toBe("logical_change_key_mismatch");
    expect(code(checkBatch({ ...made, typedTokens: [{ tokenClass: "x" }] }))).toBe("invalid_typed_tokens");
    expect(code(checkBatch({ ...made, typedTokens: [...tokens, ...tokens] }))).toBe("invalid_typed_tokens");
  });
});
