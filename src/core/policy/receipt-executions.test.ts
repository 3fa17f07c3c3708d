import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant, type JsonValue } from "#base";
import { executionText, type AuditDraft, type AuditRow } from "#model";
import { holds, KEY_ID, NONCE, pendingFor, RECEIPT_KEY, textOf, tokenFor } from "./approval.fixture.ts";
import { AUDIT_GENESIS, sealEntry } from "./chain.ts";
import { isProven, renderReceipt, verifyReceipt, type ReceiptParts } from "./receipt.ts";

const pending = pendingFor(undefined, { usesMax: 2 });
const token = tokenFor(pending, { maxExecutions: 2 });
const AT = "2026-11-15T21:10:00.000Z" as Instant;
const RUN = "attempt-1";

const recordOf = (runId = RUN): { run: Record<string, JsonValue>; ledger: Record<string, JsonValue>[] } => ({
  run: {
    run_id: runId,
    work_item_id: token.workItemId,
    token_id: token.tokenId,
    plan_hash: token.planHash,
    status: "done",
    is_verified: true,
    attempts: 1,
    results: [{ name: "page is there", passed: true, reason: "Passed", output: "1\n", exit_code: 0 }],
    budget_used: { wall_time_seconds: 1.5 },
  },
  ledger: ["write", "close"].map((name, index) => ({
    execution_id: `${runId}.${index + 1}`,
    run_id: runId,
    step_name: name,
    state: "ended",
    success: true,
    return_value: index === 0 ? "x".repeat(5_000) : "made",
  })),
});

const SETTLEMENT = textOf({ run_id: RUN, choice: "leave", at: AT });
const ended = (record: ReturnType<typeof recordOf>): AuditDraft => ({
  event: "run_ended",
  data: {
    run_id: String(record.run["run_id"]),
    work_item_id: token.workItemId,
    status: "done",
    is_verified: true,
    attempts: 1,
    checks: 1,
    checks_passed: 1,
    execution_hash: sha256Hex(executionText(record)),
  },
  at: AT,
  actor: { kind: "system" },
});
const settled: AuditDraft = {
  event: "run_settled",
  data: {
    run_id: RUN,
    work_item_id: token.workItemId,
    choice: "leave",
    is_verified: false,
    checks: 0,
    checks_passed: 0,
    settlement_hash: sha256Hex(SETTLEMENT),
  },
  at: AT,
  actor: { kind: "terminal" },
};
const USED: AuditDraft = {
  event: "approval_used",
  data: {
    token_id: token.tokenId,
    plan_hash: token.planHash,
    content_hash: token.planHash,
    key_id: KEY_ID,
    use_number: 1,
    lineage_id: RUN,
  },
  at: AT,
  actor: { kind: "terminal" },
};

function chainOf(drafts: readonly AuditDraft[]): readonly AuditRow[] {
  const rows: AuditRow[] = [];
  for (const draft of drafts) {
    const sealed = sealEntry({ head: rows.at(-1) ?? AUDIT_GENESIS, draft, hash: sha256Hex, isMoment: () => true });
    if (!sealed.ok) throw new Error(sealed.error.reason);
    rows.push(sealed.value);
  }
  return rows;
}

const spent = (useNumber: number) => ({
  nonce: NONCE,
  useNumber,
  contentHash: pending.planHash,
  attemptLineage: `attempt-${useNumber}`,
  at: AT,
});
const parts: ReceiptParts = {
  token,
  projection: pending.projection,
  key: RECEIPT_KEY,
  uses: [spent(1), spent(2)],
  also: [],
  audit: chainOf([USED, ended(recordOf())]),
  executions: [{ record: executionText(recordOf()), settlement: null }],
};
const tools = { verifySignature: holds };
const failuresOf = (file: string): readonly string[] =>
  verifyReceipt(file, tools).flatMap(({ name, outcome, reason }) =>
    outcome === "failed" ? [`${name}: ${reason}`] : [],
  );
const failuresWith = (change: Partial<ReceiptParts>) => failuresOf(renderReceipt({ ...parts, ...change }));

/** The record of the run with one thing changed; its digest in the receipt is made anew. */
function failuresOfRecord(change: (record: ReturnType<typeof recordOf>) => void): readonly string[] {
  const record = recordOf();
  change(record);
  return failuresWith({ executions: [{ record: executionText(record), settlement: null }] });
}

test("a receipt shows what was run on an approval, and the chain holds it; long output stands there by its digest", () => {
  const receipt = renderReceipt(parts);
  expect(failuresOf(receipt)).toEqual([]);
  expect(verifyReceipt(receipt, tools).at(-1)).toEqual({ name: "execution", outcome: "ok", reason: null });
  expect(receipt).not.toContain("x".repeat(1_001));
  expect(receipt).toContain(sha256Hex("x".repeat(5_000)));
});

test("several runs of one decision stand beside each other, and what was decided about a doubt with its run", () => {
  const both = chainOf([USED, ended(recordOf()), ended(recordOf("attempt-2")), settled]);
  const executions = [
    { record: executionText(recordOf()), settlement: SETTLEMENT },
    { record: executionText(recordOf("attempt-2")), settlement: null },
  ];
  expect(failuresWith({ audit: both, executions })).toEqual([]);
  expect(failuresWith({ audit: both, executions: executions.slice(1) })).toEqual(["execution: run_missing"]);
  expect(failuresWith({ audit: both, executions: [...executions, ...executions.slice(1)] })).toEqual([
    "execution: run_repeated",
  ]);
});

test("a receipt of an older Silas, whose runs left no hash, proves the approval as before", () => {
  const { execution_hash: _none, ...data } = ended(recordOf()).data as Record<string, JsonValue>;
  const old = { ...ended(recordOf()), data } as AuditDraft;
  const checks = verifyReceipt(renderReceipt({ ...parts, audit: chainOf([USED, old]), executions: [] }), tools);
  expect([checks.at(-1)?.outcome, isProven(checks)]).toEqual(["absent", true]);
});

test("whichever byte of what was run is changed, put in or taken out, the receipt fails and says where", () => {
  const receipt = renderReceipt(parts);
  const bytes = Buffer.from(receipt);
  const from = bytes.indexOf('"executions"');
  const to = bytes.indexOf('"format"');
  const damage = fc.record({
    at: fc.integer({ min: from, max: to - 1 }),
    bit: fc.nat(7),
    how: fc.constantFrom("change", "insert", "remove"),
  });
  fc.assert(
    fc.property(damage, ({ at, bit, how }) => {
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
      const byte = Buffer.from([(bytes[at] ?? 0) ^ (1 << bit)]);
      const damaged = {
        change: [before, byte, after],
        insert: [before, byte, bytes.subarray(at)],
        remove: [before, after],
      };
      const text = Buffer.concat(damaged[how]).toString("utf8");
      expect(failuresOf(text)).not.toEqual([]);
    }),
    { numRuns: 400 },
  );
});

/** Every string, number and truth of the record, one at a time, in a receipt whose digest was mended. */
test("whatever is changed in a record, the hash in the chain names it, also when the digest was mended", () => {
  const paths: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value !== "object" || value === null) return void paths.push(path);
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(recordOf(), []);
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) {
    const failures = failuresOfRecord((record) => {
      const holder = path
        .slice(0, -1)
        .reduce<Record<string, JsonValue>>((at, key) => at[key] as never, record as never);
      const last = String(path.at(-1));
      holder[last] = changed(holder[last] ?? null);
    });
    expect(failures, path.join(".")).toHaveLength(1);
    expect(failures[0], path.join(".")).toMatch(/^execution: /);
  }
});

function changed(value: JsonValue): JsonValue {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  return value === "done" ? "stuck" : `${String(value)}x`;
}

describe("a record is refused by name", () => {
  test("when it is of another token, use, plan or item, or its steps are of another run", () => {
    expect(failuresOfRecord(({ run }) => (run["token_id"] = "tok_other"))).toEqual(["execution: run_of_another_token"]);
    expect(failuresOfRecord(({ run }) => (run["run_id"] = "attempt-9"))).toEqual(["execution: run_without_use"]);
    expect(failuresOfRecord(({ run }) => (run["plan_hash"] = "ab".repeat(32)))).toEqual([
      "execution: run_of_another_plan",
    ]);
    expect(failuresOfRecord(({ run }) => (run["work_item_id"] = "task-9"))).toEqual(["execution: run_of_another_item"]);
    expect(failuresOfRecord(({ ledger }) => ledger.push(...ledger))).toEqual(["execution: ledger_differs"]);
    expect(failuresOfRecord(({ ledger }) => void ledger.pop())).toEqual(["execution: execution_changed"]);
    expect(failuresOfRecord(({ run }) => (run["results"] = []))).toEqual(["execution: execution_changed"]);
    expect(failuresWith({ executions: [{ record: "{}", settlement: null }] })).toEqual([
      "execution: execution_unreadable",
    ]);
  });

  test("when the chain does not tell of its end, tells it twice, tells another one, or the lines are gone", () => {
    const record = recordOf();
    const end = ended(record);
    expect(failuresWith({ audit: chainOf([USED]) })).toEqual(["execution: run_end_not_recorded"]);
    expect(failuresWith({ audit: chainOf([USED, end, end]) })).toEqual(["execution: run_end_not_recorded"]);
    expect(failuresWith({ audit: null })).toEqual(["execution: run_end_not_recorded"]);
    for (const change of [
      { status: "stuck" },
      { is_verified: false },
      { attempts: 2 },
      { checks: 2 },
      { checks_passed: 0 },
    ]) {
      const other = { ...end, data: { ...end.data, ...change } } as AuditDraft;
      expect(failuresWith({ audit: chainOf([USED, other]) }), JSON.stringify(change)).toEqual([
        "execution: run_end_differs",
      ]);
    }
    expect(failuresWith({ executions: [] })).toEqual(["execution: run_missing"]);
  });

  test("when what was decided about a doubt is missing, changed or made up", () => {
    const record = executionText(recordOf());
    const audit = chainOf([USED, ended(recordOf()), settled]);
    expect(failuresWith({ audit, executions: [{ record, settlement: SETTLEMENT }] })).toEqual([]);
    expect(failuresWith({ audit, executions: [{ record, settlement: null }] })).toEqual([
      "execution: settlement_missing",
    ]);
    for (const made of [{ audit }, {}]) {
      const settlement = made.audit === undefined ? SETTLEMENT : SETTLEMENT.replace("leave", "happened");
      expect(failuresWith({ ...made, executions: [{ record, settlement }] })).toEqual([
        "execution: settlement_changed",
      ]);
    }
  });
});
