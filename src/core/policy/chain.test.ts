import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { AUDIT_GENESIS, judgeRow } from "./chain.ts";

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
