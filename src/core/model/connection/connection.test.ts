import { describe, expect, test } from "vitest";
import { connectionFailureSchema, FAILURE_TYPES } from "./connection-failure.ts";
import { connectionRecordSchema, healthCheckSchema } from "./connection-record.ts";
import { scriptLineSchema, setupStepSchema, stepResponseSchema } from "./setup-step.ts";

const RECORD = {
  connection_id: "conn-0123456789abcdef",
  name: "Notes of Ada",
  domain: "personal",
  skill_name: "notes",
  auth_strategy: "device_code",
  permissions: ["observe"],
  permissions_granted: ["notes.read"],
  permissions_available: ["notes.read", "notes.write"],
  initial_permissions: ["notes.read"],
  status: "active",
  health_check: "*/30 * * * *",
  token_expires_at: "2026-11-16T10:00:00.000Z",
  refresh_token_expires_at: null,
  last_health_check: null,
  last_refresh: null,
};
const isRecord = (over: object): boolean => connectionRecordSchema.safeParse({ ...RECORD, ...over }).success;

describe("the record of a connection", () => {
  test("[CONN-01] has exactly these fields, with moments in UTC", () => {
    expect(isRecord({})).toBe(true);
    for (const field of Object.keys(RECORD)) expect(isRecord({ [field]: undefined }), field).toBe(false);
    expect(isRecord({ access_token: "x" })).toBe(false);
    expect(isRecord({ token_expires_at: "2026-11-16T10:00:00" })).toBe(false);
  });

  test("[CONN-02] has one of five states and no other", () => {
    for (const status of ["proposed", "connecting", "active", "paused", "failed"]) {
      expect(isRecord({ status })).toBe(true);
    }
    for (const status of ["", "ACTIVE", "revoked", null]) expect(isRecord({ status })).toBe(false);
  });

  test("[CONN-03] is called as no session of a channel is", () => {
    for (const id of ["owner", "web-1", "conn-1", "0192f0c4-7c3e-7b6a-9b2e-000000000001", "conn-0123456789ABCDEF"]) {
      expect(isRecord({ connection_id: id }), id).toBe(false);
    }
  });

  test("[SETUP-01] is made by one of three ways in", () => {
    for (const way of ["device_code", "browser_redirect", "secure_input"]) {
      expect(isRecord({ auth_strategy: way })).toBe(true);
    }
    for (const way of ["password", "oauth", ""]) expect(isRecord({ auth_strategy: way })).toBe(false);
  });
});

test("[CONN-13] a look at a connection says whether it is healthy, how long it took, and what expires when", () => {
  expect(healthCheckSchema.parse({ healthy: true, latency_ms: 12 })).toEqual({
    healthy: true,
    latency_ms: 12,
    token_expires_at: null,
    refresh_token_expires_at: null,
    error: null,
    warnings: [],
  });
  for (const wrong of [
    { healthy: "yes", latency_ms: 1 },
    { healthy: true },
    { healthy: true, latency_ms: 1, token: "x" },
  ]) {
    expect(healthCheckSchema.safeParse(wrong).success).toBe(false);
  }
});

test("[CONN-14] a failure is of a known type and offers ways on with a known risk", () => {
  const option = { action: "skip", label: "Skip", description: "Leave it.", risk_level: "low" };
  const failure = {
    failure_type: "unknown",
    service: "Notes",
    message: "It did not work.",
    recovery_options: [option],
  };
  const isFailure = (over: object): boolean => connectionFailureSchema.safeParse({ ...failure, ...over }).success;
  expect(FAILURE_TYPES.every((failure_type) => isFailure({ failure_type }))).toBe(true);
  expect(isFailure({ failure_type: "gone" })).toBe(false);
  expect(isFailure({ recovery_options: [{ ...option, risk_level: "irreversible" }] })).toBe(false);
  expect(isFailure({ message: "a\u202eb" })).toBe(false);
});

describe("what a setup script says", () => {
  const steps = [
    {
      type: "device_code",
      verification_url: "https://notes.example/go",
      user_code: "AB-12",
      expires_in: 60,
      poll_interval: 5,
    },
    { type: "browser_redirect", auth_url: "https://notes.example/auth?x=1", listening_on: "127.0.0.1:4000" },
    { type: "secure_input", request: { ref_id: "token", label: "Token", guidance: { instructions: "Make one." } } },
    { type: "progress", message: "Waiting" },
    { type: "completion", success: true, summary: "Connected", permissions_granted: ["notes.read"] },
    {
      type: "failure",
      failure: { failure_type: "unknown", service: "Notes", message: "No.", recovery_options: [] },
    },
  ];

  test("[SETUP-08] is one of six steps; any other is refused, and an answer names the step it is for", () => {
    for (const step of steps) expect(setupStepSchema.safeParse(step).success, step.type).toBe(true);
    for (const wrong of [
      { ...steps[3], type: "password" },
      { ...steps[0], expires_in: "60" },
      { ...steps[0], verification_url: "http://notes.example/go" },
      { ...steps[0], verification_url: "javascript:alert(1)" },
      { ...steps[0], token: "x" },
      { ...steps[2], request: { ref_id: "owner-signing-key", label: "x", guidance: { instructions: "x" } } },
    ]) {
      expect(setupStepSchema.safeParse(wrong).success).toBe(false);
    }
    const answer = { step_id: "s1", step_type: "device_code", action: "done" };
    expect(
      ["done", "cancel", "trouble", "retry"].every(
        (action) => stepResponseSchema.safeParse({ ...answer, action }).success,
      ),
    ).toBe(true);
    expect(stepResponseSchema.safeParse({ ...answer, action: "approve" }).success).toBe(false);
  });

  test("[SETUP-06] comes in five kinds of line", () => {
    const lines = [
      { type: "setup_step", step_id: "s1", step: steps[3] },
      { type: "await_input", step_id: "s1" },
      { type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: [] } },
      { type: "failure", failure: { failure_type: "unknown", service: "Notes", message: "No.", recovery_options: [] } },
      { type: "log", level: "info", message: "hello" },
    ];
    for (const line of lines) expect(scriptLineSchema.safeParse(line).success, line.type).toBe(true);
    for (const wrong of [{ type: "start" }, { type: "log", level: "error", message: "x" }, { type: "await_input" }]) {
      expect(scriptLineSchema.safeParse(wrong).success).toBe(false);
    }
    const leaking = {
      type: "completion",
      connection_payload: { name: "x", permissions_granted: [], access_token: "x" },
    };
    expect(scriptLineSchema.safeParse(leaking).success).toBe(false);
  });
});
