import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { executionEnvelopeSchema, executionResultSchema, type ExecutionResult } from "#model";
import { advanceRun, createRun } from "./machine.ts";
import { sealResult, shownOf } from "./result.ts";
import { artifact, failure, instant, planOf, resultOf, success } from "./world.fixture.ts";

const BODY = {
  execution_id: "run-1.1",
  step_index: 0,
  success: true,
  return_value: "said\n",
  content: [{ type: "text", text: "said\n" }],
  metadata: { exit: { kind: "exit", code: 0 }, artifact_bytes: { someName: 3 } },
  artifacts: { someName: sha256Hex("one") },
  taint: "external",
  error: null,
  duration_seconds: 0.5,
  tokens_used: 0,
  cost_usd: 0,
};

test("[EXEC-04] a result has its fields and no other, each of them given: trust too has no default", () => {
  expect(Object.keys(executionResultSchema.parse(BODY))).toHaveLength(12);
  for (const taint of ["owner", "auth", "external"]) {
    expect(executionResultSchema.parse({ ...BODY, taint })).toMatchObject({ taint });
  }
  for (const field of Object.keys(BODY)) {
    const { [field]: _gone, ...less } = BODY as Record<string, unknown>;
    expect(executionResultSchema.safeParse(less).success, field).toBe(false);
  }
  for (const wrong of [
    { ...BODY, stdout: "x" },
    { ...BODY, taint: "trusted" },
    { ...BODY, content: [{ type: "text", text: "x", secret: "y" }] },
    { ...BODY, metadata: { ...BODY.metadata, note: "x" } },
    { ...BODY, artifacts: { one: "a path" } },
    { ...BODY, duration_seconds: -1 },
    { ...BODY, tokens_used: 0.5 },
    // It cannot have succeeded and failed.
    { ...BODY, error: "no luck" },
    { ...BODY, success: false },
  ]) {
    expect(executionResultSchema.safeParse(wrong).success).toBe(false);
  }
});

const ENVELOPE = executionEnvelopeSchema.parse({
  execution_id: "run-1.3",
  step_index: 2,
  task_description: "",
  action: "shell_exec",
  args: { argv: ["ls"] },
  input_artifacts: {},
  credential_refs: {},
  timeout_seconds: 12.345,
  sandbox_config: { network_access: false, env: {} },
});

test("[EXEC-04] it answers the envelope it was made for, and says what a model may see apart from what only Silas sees", () => {
  const names = ["one"];
  const seen = success({ stdout: "said", artifacts: { one: artifact("one"), other: artifact("other") } });
  const result = sealResult({ envelope: ENVELOPE, names, seen, taint: "auth" });
  expect(result).toMatchObject({ executionId: "run-1.3", stepIndex: 2, success: true, error: null, taint: "auth" });
  expect(result).toMatchObject({ returnValue: "said", durationSeconds: 0.005, tokensUsed: 0, costUsd: 0 });
  expect(result.artifacts).toEqual({ one: sha256Hex("one") });
  expect(result.metadata).toEqual({ exit: { kind: "exit", code: 0 }, artifactBytes: { one: 3 } });
  expect(shownOf(result)).toBe("said");
  const failed = sealResult({ envelope: ENVELOPE, names, seen: failure(3), taint: "external" });
  expect(failed).toMatchObject({ success: false, error: "Ended with code 3: no luck" });
  const late = sealResult({
    envelope: ENVELOPE,
    names,
    seen: success({ end: { kind: "timeout" } }),
    taint: "external",
  });
  expect(late.error).toBe("Timeout after 12.3s");
  const none = sealResult({ envelope: ENVELOPE, names, seen: { end: null, error: "closed" }, taint: "external" });
  expect(none).toMatchObject({ success: false, error: "closed", returnValue: "", content: [], artifacts: {} });
  expect(none).toMatchObject({ durationSeconds: 0, metadata: { exit: null } });
});

const PLAN = planOf(`budget: { max_cost_usd: 2 }
steps:
  - { name: make, run: make, artifacts: { one: one.txt } }
  - { name: send, run: send }
gates:
  - { name: output, on: after_step, after_step: 0, extract: amount, allowed_values: [one] }`);

function atFirstStep() {
  const grant = { plan: PLAN, systemGates: [], runId: "run-1", tokenId: "token-1", planHash: sha256Hex("plan") };
  return [
    { kind: "begin" },
    { kind: "approval_checked", refusal: null },
    { kind: "space_opened", refusal: null },
  ].reduce(
    (state, fact) => advanceRun(state, { ...fact, at: instant(1) } as never).state,
    createRun({ ...grant, at: instant(0) }),
  );
}

test("[EXEC-04] a result that answers another envelope changes nothing; the right one is then taken", () => {
  const state = atFirstStep();
  expect(state.phase).toBe("stepping");
  const told = (result: ExecutionResult) => advanceRun(state, { kind: "step_ended", result, at: instant(2) });
  for (const other of [{ executionId: "run-1.2" }, { executionId: "run-2.1" }, { stepIndex: 1 }]) {
    const { effects, state: after } = told(resultOf(other));
    expect([effects, after.phase, after.pass]).toEqual([[], "stepping", state.pass]);
  }
  expect(told(resultOf()).state.phase).toBe("judging");
});

test("[EXEC-04] [EXEC-12] the ledger and the budget are made of the result; gates see its content and not what is for Silas only", () => {
  const result = resultOf({
    returnValue: "all of it",
    content: [{ type: "text", text: "amount: one" }],
    metadata: { exit: { kind: "exit", code: 0 }, artifactBytes: { one: 3 } },
    artifacts: { one: sha256Hex("one") },
    taint: "auth",
    durationSeconds: 0.0123,
    tokensUsed: 40,
    costUsd: 0.25,
  });
  const asked = advanceRun(atFirstStep(), { kind: "step_ended", result, at: instant(2) });
  expect(asked.effects).toEqual([{ kind: "check_gates", trigger: "after_step", stepIndex: 0, output: "amount: one" }]);
  const outcome = { pass: true, toolArgs: null, output: null } as const;
  const next = advanceRun(asked.state, { kind: "gates_checked", outcome, at: instant(3) });
  expect(next.state.run.budgetUsed).toMatchObject({ tokens: 40, costUsd: 0.25, executorRuns: 2 });
  expect(next.state.pass[0]).toMatchObject({
    state: "ended",
    success: true,
    returnValue: "all of it",
    artifacts: { one: artifact("one") },
    error: null,
    taint: "auth",
    durationMs: 12.3,
    exit: { kind: "exit", code: 0 },
    tokensUsed: 40,
    costUsd: 0.25,
  });
});

test("[BUD-02] what a result cost is used up like anything else: the step after it does not begin", () => {
  const { state } = advanceRun(atFirstStep(), { kind: "step_ended", result: resultOf({ costUsd: 2 }), at: instant(2) });
  const outcome = { pass: true, toolArgs: null, output: null } as const;
  const over = advanceRun(state, { kind: "gates_checked", outcome, at: instant(3) });
  expect(over.state.run).toMatchObject({ status: "stuck", lastError: "The budget of cost is used up" });
  expect(over.effects.map(({ kind }) => kind)).toEqual(["finish", "close_space"]);
});
