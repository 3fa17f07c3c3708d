import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { type RunQuestion, type StepReply, executionEnvelopeSchema } from "#model";
import type { QuestionReady, RunEffect } from "./facts.ts";
import { callsOf, CHECKS, kindsOf, live, newWorld, planOf, type Answers, type World } from "./world.fixture.ts";
import { sandboxCallOf, callOf } from "../steps/tool-call.ts";
import { callIn } from "./start-step.ts";

const PLAN = planOf(`steps:
  - { name: first, tool: file_write, args: { path: one.txt, content: one } }
  - { name: choose, tool: ask_owner, args: { question: Which?, freetext: true, file: way.txt } }
  - { name: last, tool: file_write, args: { path: two.txt, content: two } }
${CHECKS}`);

const QUESTION: RunQuestion = {
  requestId: "request-1",
  operationId: "run-1.a",
  stepIndex: 1,
  gate: "ask_owner",
  contentHash: sha256Hex("which"),
};
const READY: QuestionReady = { ready: true, question: QUESTION };
const TEXT: StepReply = { kind: "text", text: "this" };
const ANSWERED: Answers = { question: () => READY, verdict: () => "approved", reply: () => TEXT };
const written = (world: World) => callsOf(world).map(({ stdin }) => JSON.parse(stdin ?? "").args.content as string);

test("[CARD-16] the run rests at the question, and nothing of the steps after it begins without an answer", () => {
  const world = newWorld();
  const state = live(world, { plan: PLAN, answers: { question: () => READY } });
  expect(state).toMatchObject({ phase: "waiting", run: { status: "waiting", question: QUESTION } });
  expect(written(world)).toEqual(["one"]);
  expect(kindsOf(world).slice(-2)).toEqual(["prepare_question", "ask"]);
  expect(world.kept.ledger).toHaveLength(1);
});

test("[CARD-16] wherever the process ends, the next one goes on: nothing comes after the question without its answer", () => {
  const whole = newWorld();
  live(whole, { plan: PLAN, answers: ANSWERED });
  expect(written(whole)).toEqual(["one", "this", "two"]);
  for (let at = 0; at < whole.effects.length; at += 1) {
    const world = newWorld();
    let count = 0;
    const isCrash = (_effect: RunEffect): boolean => count++ === at;
    live(world, { plan: PLAN, answers: { ...ANSWERED, isCrash } });
    const state = live(world, { plan: PLAN, answers: ANSWERED });
    expect(state.run, `ended before effect ${at}`).toMatchObject({ status: "done", isVerified: true });
    const all = written(world);
    expect(all.slice(-3), `ended before effect ${at}`).toEqual(["one", "this", "two"]);
    const before = all.flatMap((content, index) => (content === "two" ? [all[index - 1]] : []));
    expect(before.every((content) => content === "this")).toBe(true);
  }
});

test("a stop while it is made ready, a pause while it waits, and a refusal of its approval are heard", () => {
  const stopped = newWorld();
  const isCancel = ({ kind }: RunEffect) => kind === "prepare_question";
  expect(live(stopped, { plan: PLAN, answers: { ...ANSWERED, isCancel } }).run.status).toBe("cancelled");
  expect(written(stopped)).toEqual(["one"]);
  const held = newWorld();
  const isPause = ({ kind }: RunEffect) => kind === "ask";
  expect(live(held, { plan: PLAN, answers: { ...ANSWERED, isPause, pauseMs: 5 } }).run.status).toBe("done");
  expect(written(held)).toEqual(["one", "this", "two"]);
  const refused = newWorld();
  const decision = () => "answer_refused";
  expect(live(refused, { plan: PLAN, answers: { ...ANSWERED, decision } }).run).toMatchObject({
    status: "blocked",
    lastError: "Step choose was not run: its own approval does not hold: answer refused",
  });
});

const BODY = {
  execution_id: "run-1.1",
  step_index: 0,
  task_description: "Make it.",
  action: "shell_exec",
  args: { argv: ["ls"] },
  input_artifacts: {},
  credential_refs: { API: "mail.token" },
  sandbox_config: { network_access: false, env: {} },
};

test("[EXEC-01] an envelope has its fields and no other, with the usual time and size where it names none", () => {
  const sealed = executionEnvelopeSchema.parse(BODY);
  expect(sealed).toMatchObject({ timeoutSeconds: 300, maxOutputBytes: 100_000 });
  expect(Object.keys(sealed)).toHaveLength(10);
  for (const extra of ["history", "memory", "context", "approval_token", "messages", "session", "secret"]) {
    expect(executionEnvelopeSchema.safeParse({ ...BODY, [extra]: "x" }).success).toBe(false);
    const config = { ...BODY.sandbox_config, [extra]: "x" };
    expect(executionEnvelopeSchema.safeParse({ ...BODY, sandbox_config: config }).success).toBe(false);
  }
  for (const field of Object.keys(BODY)) {
    expect(executionEnvelopeSchema.safeParse({ ...BODY, [field]: undefined }).success, field).toBe(false);
  }
});

const envelopesOf = (lines: string) => {
  const world = newWorld();
  live(world, { plan: planOf(lines) });
  return world.effects.flatMap((effect: RunEffect) => (effect.kind === "run_step" ? [effect.envelope] : []));
};

test("[EXEC-01] a step is run from its envelope: the approved call, its time, network, secrets by name, and what was left", () => {
  const lines = `hosts: [api.example.org]
budget: { max_wall_time_seconds: 40 }
steps:
  - { name: make, run: "cp 'a b' out.txt", artifacts: { one: out.txt }, timeout: 20 }
  - { name: send, tool: python_exec, args: { script: "pass" }, network: true, timeout: 600, credentials: { API: { ref: mail.token, host: api.example.org } } }`;
  const plan = planOf(lines);
  const [make, send] = envelopesOf(lines);
  expect(make).toMatchObject({ stepIndex: 0, action: "shell_exec", timeoutSeconds: 20, inputArtifacts: {} });
  expect(make).toMatchObject({ credentialRefs: {}, taskDescription: plan.body, maxOutputBytes: 100_000 });
  expect(send).toMatchObject({
    stepIndex: 1,
    inputArtifacts: { one: "out.txt" },
    credentialRefs: { API: "mail.token" },
  });
  expect(send?.sandboxConfig).toEqual({ networkAccess: true, env: { SILAS_ATTEMPT: "1", SILAS_LAST_FAILURE: "" } });
  expect(send?.timeoutSeconds).toBeLessThanOrEqual(40);
  const calls = plan.steps.map((step) => sandboxCallOf(callOf(step)));
  expect([make, send].map((one) => (one === undefined ? null : callIn(one)))).toEqual(calls);
});

test("[EXEC-03] [SECRET-04] whatever secrets a step names, its envelope holds their names and nothing that is none", () => {
  const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
  const ref = fc.stringMatching(/^[a-z]{1,6}(?:[._-][a-z]{1,6}){0,2}$/).filter((one) => !/^(?:owner|silas)-/.test(one));
  fc.assert(
    fc.property(fc.dictionary(name, ref, { minKeys: 1, maxKeys: 4, noNullPrototype: true }), (refs) => {
      const credentials = Object.fromEntries(Object.entries(refs).map(([key, one]) => [key, { ref: one, as: "pipe" }]));
      const [sealed] = envelopesOf(`steps:\n  - { name: a, run: ls, credentials: ${JSON.stringify(credentials)} }`);
      expect(sealed?.credentialRefs).toEqual(refs);
    }),
    { numRuns: 100 },
  );
  for (const value of ["Hunter2!", "ghp_ABCdef", "a b", "owner-signing-key", "", { value: "x" }, 7]) {
    expect(executionEnvelopeSchema.safeParse({ ...BODY, credential_refs: { API: value } }).success).toBe(false);
  }
});
