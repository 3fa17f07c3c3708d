import * as fc from "fast-check";
import { expect, test } from "vitest";
import { executionEnvelopeSchema } from "#model";
import { sandboxCallOf, callOf } from "../steps/tool-call.ts";
import { callIn } from "./envelope.ts";
import type { RunEffect } from "./facts.ts";
import { live, newWorld, planOf } from "./world.fixture.ts";

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
