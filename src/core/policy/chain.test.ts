import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import type { AuditDraft } from "#model";
import { AUDIT_GENESIS, createMomentCheck, judgeRow, parseRow, sealEntry } from "./chain.ts";

const DRAFT: AuditDraft = {
  event: "memory_exported",
  at: "2026-11-15T08:00:00.000Z" as Instant,
  actor: { kind: "terminal" },
  data: { items: 5 },
};
const seal = (draft: object) =>
  sealEntry({
    head: AUDIT_GENESIS,
    hash: sha256Hex,
    draft: { ...DRAFT, ...draft } as AuditDraft,
    isMoment: createMomentCheck(),
  });

test("[AUD-01] what is sealed follows its head and is read back as it was written", () => {
  const sealed = seal({});
  if (!sealed.ok) throw new Error("the draft is sound");
  expect(judgeRow({ head: AUDIT_GENESIS, hash: sha256Hex, row: sealed.value })).toEqual({
    ok: true,
    value: { seq: 1, hash: sealed.value.hash },
  });
  const entry = { ...DRAFT, seq: 1, prev_hash: AUDIT_GENESIS.hash, hash: sealed.value.hash };
  expect(parseRow(sealed.value)).toEqual({ ok: true, value: entry });
});

test.each([
  [{ event: "no_such_event" }, "event"],
  [{ event: "toString" }, "event"],
  [{ data: { items: "five" } }, "data.items"],
  [{ data: { items: 5, more: 1 } }, "data"],
  [{ at: "yesterday" }, "at"],
  [{ actor: { kind: "somebody" } }, "actor.kind"],
])("[AUD-08] a draft with %j is refused and names %s", (draft, path) => {
  expect(seal(draft)).toMatchObject({ ok: false, error: { code: "invalid_input", path } });
});

test("a row is an entry only when every part of it is there", () => {
  const whole = { actor: { kind: "terminal" }, at: DRAFT.at, data: {}, event: "x", prev_hash: "00", seq: 1 };
  const read = (text: string) => parseRow({ seq: 1, text, hash: "00" });
  expect(read(JSON.stringify(whole))).toMatchObject({ ok: true });
  const broken = ["actor", "at", "data", "event", "prev_hash"].flatMap((name) => [
    { ...whole, [name]: undefined },
    { ...whole, [name]: null },
    { ...whole, [name]: 7 },
  ]);
  for (const text of [...broken.map((entry) => JSON.stringify(entry)), "null", "7", "{", '"entry"'])
    expect(read(text), text).toEqual({ ok: false, error: { code: "not_an_entry" } });
});

test("a row that is not what was written is named by what is wrong with it", () => {
  const sealed = seal({});
  if (!sealed.ok) throw new Error("the draft is sound");
  const judge = (change: object) =>
    judgeRow({ head: AUDIT_GENESIS, hash: sha256Hex, row: { ...sealed.value, ...change } });
  const rewritten = (text: string) => judge({ text, hash: sha256Hex(text) });
  expect(judge({ text: sealed.value.text.replace("5", "6") })).toMatchObject({ error: { code: "entry_changed" } });
  expect(rewritten(sealed.value.text.replace(AUDIT_GENESIS.hash, "ab".repeat(32)))).toMatchObject({
    error: { code: "previous_differs" },
  });
  expect(rewritten(sealed.value.text.replace('"seq":1}', '"seq":2}'))).toMatchObject({
    error: { code: "entry_moved" },
  });
});

test("a row is the one behind the head; a later one shows a gap, and an earlier one was moved", () => {
  const head = { seq: 4, hash: AUDIT_GENESIS.hash };
  const judge = (seq: number) => {
    const text = `{"at":"now","prev_hash":"${head.hash}","seq":${seq}}`;
    return judgeRow({ head, hash: sha256Hex, row: { seq, text, hash: sha256Hex(text) } });
  };
  expect(judge(4)).toEqual({ ok: false, error: { code: "entry_moved", seq: 5 } });
  expect(judge(5)).toMatchObject({ ok: true, value: { seq: 5 } });
  expect(judge(6)).toEqual({ ok: false, error: { code: "entry_missing", seq: 5 } });
});
