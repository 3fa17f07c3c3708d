import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import { payloadSchema } from "./approval/payload.ts";
import { readPlanProposal } from "./approval/proposal.ts";
import { signatureToBase64 } from "./approval/signature.ts";
import { approvalDecisionSchema } from "./approvals.ts";
import { holdSentence } from "./audit/hold.ts";
import { consultLine } from "./consult/consult-words.ts";
import { parseHostRule } from "./egress/host-rule.ts";
import { gateSchemas } from "./gate/gate-settings.ts";
import { cycleLine } from "./goal/goal-lines.ts";
import { isSkillPath } from "./skill/skill-tree.ts";
import { modelSetting, type ModelConfig } from "./talk/model-place.ts";
import { recordIdSchema } from "./values.ts";
import { executionText } from "./work/execution-records.ts";
import { runLine } from "./work/run-words.ts";
import { outside, parameters, range } from "./work/work-kinds.ts";

describe("records and words at the edge of what they may hold", () => {
  test("trust rises by a promotion, and staying as it was is none", () => {
    const promotes = (from: string, to: string) =>
      payloadSchema.safeParse({
        kind: "memory_promotion",
        item_id: "message-1",
        item_digest: sha256Hex("words"),
        content: "words",
        from,
        to,
      }).success;
    expect([promotes("external", "auth"), promotes("auth", "auth"), promotes("auth", "external")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("a proposal is as long as a plan file at most", () => {
    expect(readPlanProposal("x".repeat(LIMITS.planBytes)).ok).toBe(true);
    expect(readPlanProposal("x".repeat(LIMITS.planBytes + 1))).toMatchObject({ error: { reason: "too_large" } });
  });

  test("bytes of any number have one spelling in base64", () => {
    const spelt = (...bytes: readonly number[]) => signatureToBase64(Uint8Array.from(bytes));
    expect([spelt(), spelt(1), spelt(1, 2), spelt(1, 2, 3)]).toEqual(["", "AQ==", "AQI=", "AQID"]);
  });

  test("what was agreed besides has a text of limited length", () => {
    const conditions = (chars: number) => {
      const agreed = { note: "x".repeat(chars - '{"note":""}'.length) };
      const read = approvalDecisionSchema.safeParse({ conditions: agreed });
      return read.error?.issues.some(({ path }) => path[0] === "conditions") ?? false;
    };
    expect(conditions(LIMITS.planFrontMatterChars)).toBe(false);
    expect(conditions(LIMITS.planFrontMatterChars + 1)).toBe(true);
  });

  test("advice is cut only when it is longer than a line of it", () => {
    const line = (chars: number) => {
      const told = { kind: "advice", number: 1, numberMax: 3, state: "ended", guidance: "x".repeat(chars) };
      return consultLine({ ...told, failure: null, requestId: null, otherRunId: null } as never);
    };
    expect(line(400)).toMatch(/: x{400}$/);
    expect(line(401)).toMatch(/: x{400}…$/);
  });

  test("ports are from 1 to 65535, and names have at most 253 characters", () => {
    const ports = ["0", "1", "65535", "65536"];
    expect(ports.map((port) => parseHostRule(`a.example:${port}`) !== null)).toEqual([false, true, true, false]);
    const placed = (port: string) => {
      const providers = { compatible: { baseUrl: `http://127.0.0.1:${port}`, apiKeyRef: null } };
      const config = { models: { planner: "compatible:m" }, providers: { ...providers, openrouter: { apiKey: null } } };
      return modelSetting(config as never as ModelConfig).kind === "set";
    };
    expect(ports.map(placed)).toEqual([false, true, true, false]);
    const named = (chars: number) =>
      parseHostRule(
        "a."
          .repeat(130)
          .slice(-(chars - 2))
          .replace(/^\./, "b") + "bc",
      );
    expect([named(253), named(254)].map((rule) => rule?.host.length)).toEqual([253, undefined]);
  });

  test("two bounds may be one", () => {
    const taken = (min: number, max: number) => [
      gateSchemas.normalise.safeParse({ clamp: { min, max } }).success,
      range().schema.safeParse({ min, max }).success,
      outside().schema.safeParse({ outside: [min, max] }).success,
    ];
    expect(taken(1, 1)).toEqual([true, true, true]);
    expect(taken(2, 1)).toEqual([false, false, false]);
  });

  test("parameters of others have a text of limited length", () => {
    const taken = (chars: number) =>
      parameters().schema.safeParse({ note: "x".repeat(chars - '{"note":""}'.length) }).success;
    expect([taken(LIMITS.planFrontMatterChars), taken(LIMITS.planFrontMatterChars + 1)]).toEqual([true, false]);
  });

  test("a database that lacks nothing is another one, and one that lacks acts is older", () => {
    const said = (missing: number) => holdSentence({ reason: "database_older", missing } as never);
    expect(said(0)).toContain("not the database");
    expect(said(1)).toContain("1 act is missing");
  });

  test("a cycle without checks does not speak of checks that cannot fail", () => {
    const line = (results: readonly object[]) => {
      const cycle = { state: "ended", ended: "healthy", reason: null, repair: null, found: null, recheck: null };
      return cycleLine({ ...cycle, results, isVerified: false } as never);
    };
    expect(line([])).toBe("Well, 0 of 0 passed");
    expect(line([{ passed: true }])).toBe("Well, 1 of 1 passed, none of which can fail");
  });

  test("a path in a skill and an id are as long as their limits at most", () => {
    const path = (chars: number) => isSkillPath(`${"a".repeat(100)}/${"b".repeat(100)}/${"c".repeat(chars - 202)}`);
    expect([path(256), path(257)]).toEqual([true, false]);
    const id = (chars: number) => recordIdSchema.safeParse("a".repeat(chars)).success;
    expect([id(LIMITS.idChars), id(LIMITS.idChars + 1)]).toEqual([true, false]);
  });

  test("output stands in a receipt whole as long as it is short", () => {
    const text = (chars: number) => executionText({ run: {}, ledger: [{ return_value: "x".repeat(chars) }] });
    expect(text(1000)).toContain("x".repeat(1000));
    expect(text(1001)).toContain('"chars":1001');
  });

  test("only an attempt after the first is counted", () => {
    const line = (attempts: number) =>
      runLine({ run: { status: "verifying", attempts }, progress: null, settlement: null } as never);
    expect([line(1), line(2)]).toEqual(["Checking", "Checking (attempt 2)"]);
  });
});
