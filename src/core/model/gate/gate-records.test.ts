import { describe, expect, test } from "vitest";
import { auditDataSchemas } from "../audit.ts";
import { activitySentence } from "../audit-words.ts";
import { gateAuditSchemas } from "./gate-audit.ts";
import { GATE_ACTIONS, GATE_LANES, gateResultSchema, gateResultToWire, type GateResult } from "./gate-records.ts";

const result: GateResult = {
  gateName: "g",
  lane: "policy",
  action: "continue",
  code: "passed",
  reason: "fine",
  value: 5,
  score: null,
  flags: [],
  modifiedContext: { message: "m" },
};

describe("the result of a gate", () => {
  test("[GATE-03] its names on the wire, and what each may hold", () => {
    expect(gateResultToWire(result)).toEqual({
      gate_name: "g",
      lane: "policy",
      action: "continue",
      code: "passed",
      reason: "fine",
      value: 5,
      score: null,
      flags: [],
      modified_context: { message: "m" },
    });
    const parses = (fields: object) => gateResultSchema.safeParse({ ...gateResultToWire(result), ...fields }).success;
    for (const action of GATE_ACTIONS) expect(parses({ action })).toBe(true);
    for (const lane of GATE_LANES) expect(parses({ lane })).toBe(true);
    for (const action of ["allow", "", null, "Continue", "constructor"]) expect(parses({ action })).toBe(false);
    expect([parses({ lane: "fast" }), parses({ value: {} }), parses({ score: 1.5 }), parses({ more: 1 })]).toEqual(
      Array(4).fill(false),
    );
  });
});

describe("what the chain says about gates", () => {
  const moment = { trigger: "on_tool_call", scope_id: "owner" } as const;

  test("names that are prose are kept out, and so is whatever was checked", () => {
    const fits = (fields: object) =>
      gateAuditSchemas.gate_blocked.safeParse({
        ...moment,
        gate: "size",
        code: "refused",
        on_block: "report",
        escalates: true,
        ...fields,
      }).success;
    expect(fits({})).toBe(true);
    expect([fits({ gate: "Ana's gate" }), fits({ code: "It said no" }), fits({ value: "secret" })]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("every event has its sentence", () => {
    const data = {
      ...moment,
      gate: `sha256:${"a".repeat(64)}`,
      gates: ["a", "b"],
      code: "refused",
      on_block: "report",
      escalates: true,
      key: "message",
      original: null,
      original_chars: 0,
      modified: null,
      modified_chars: 0,
      score: 0.5,
      flags: [],
      tried: "action",
    };
    for (const event of Object.keys(gateAuditSchemas)) {
      expect(Object.hasOwn(auditDataSchemas, event)).toBe(true);
      expect(activitySentence({ event, data })).toMatch(/^[A-Z].+[^.]$/);
    }
    expect(activitySentence({ event: "gates_passed", data })).toBe("Let a tool call pass 2 gates");
  });
});
