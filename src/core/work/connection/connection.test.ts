import { describe, expect, test } from "vitest";
import { parseYaml } from "#config";
import { connectionCardSchema, FAILURE_TYPES, type ConnectionFailure, type ScriptLine, type SetupStep } from "#model";
import { parsePlan } from "../parse-plan.ts";
import { checkFiles, DOCUMENT, problemsOf } from "../skill/skill.fixture.ts";
import { planCare } from "./care.ts";
import { chooseStrategy } from "./discovery.ts";
import { failureCard, recoveryOptions } from "./failure-card.ts";
import { itRequestPlan } from "./it-request.ts";
import { advanceSetup, SETUP_BEGINS, type SetupFact, type SetupTurn } from "./setup-machine.ts";
import { cardOfStep } from "./step-card.ts";

const KEYS = `type: connection
service: Notes
auth_strategy: device_code
initial_permissions: [notes.read]
available_permissions: [notes.read, notes.write]
hosts: [notes.example.com]
credentials: { access: { host: notes.example.com } }`;
const NAMES = ["discover", "setup", "refresh_token", "health_check", "recover"];
const files = (keys: string, ending = "mjs"): Record<string, string> => ({
  "SKILL.md": DOCUMENT.replace(/^description.*$/m, (line) => `${line}\n${keys}`)
    .replace("`scripts/count.mjs`", "it")
    .replace("[the rules](references/rules.md)", "it"),
  ...Object.fromEntries(NAMES.map((name) => [`scripts/${name}.${ending}`, "console.log(1);\n"])),
});

describe("a skill that connects", () => {
  test("[CONN-11] says its way in and its permissions, and has five scripts; the probe may be left out", () => {
    expect(problemsOf(files(KEYS))).toEqual([]);
    expect(problemsOf(files(KEYS, "py"))).toEqual([]);
    expect(checkFiles(files(KEYS)).manifest?.connection).toMatchObject({
      service: "Notes",
      authStrategy: "device_code",
    });
    expect(checkFiles(files("license: MIT")).manifest?.connection).toBeNull();
    for (const key of ["service", "auth_strategy", "initial_permissions", "available_permissions"]) {
      expect(problemsOf(files(KEYS.replace(new RegExp(`^${key}.*\\n`, "m"), ""))), key).toEqual(["key_missing"]);
    }
    for (const name of NAMES) {
      const { [`scripts/${name}.mjs`]: _left, ...rest } = files(KEYS);
      expect(problemsOf(rest), name).toEqual(["connection_script_missing"]);
    }
    expect(problemsOf(files(KEYS.replace("type: connection", "type: plugin")))).toEqual(["key_wrong"]);
    expect(problemsOf(files(KEYS.replace("device_code", "password")))).toEqual(["key_wrong"]);
    expect(problemsOf(files(KEYS.replace("{ host: notes", "{ host: other")))).toEqual(["key_wrong"]);
  });

  test("[SECRET-13] is entered by a code or a page of the service wherever that is possible, and by a typed secret last", () => {
    const found = { provider: "Notes", identity_match: true, tenant_type: null, initial_permissions: [] };
    const setup_requirements = { browser: false, secure_input: false, app_registration: false };
    const chosen = (said: "device_code" | "browser_redirect" | "secure_input", others: (typeof said)[]) =>
      chooseStrategy({ ...found, setup_requirements, auth_strategy: said, supported_strategies: others });
    expect(chosen("secure_input", ["device_code"])).toBe("device_code");
    expect(chosen("secure_input", ["browser_redirect", "secure_input"])).toBe("browser_redirect");
    expect(chosen("browser_redirect", ["device_code"])).toBe("device_code");
    expect(chosen("secure_input", [])).toBe("secure_input");
  });
});

const CODE: SetupStep = {
  type: "device_code",
  verification_url: "https://notes.example/go",
  user_code: "AB-12",
  expires_in: 60,
  poll_interval: 5,
};
const line = (said: ScriptLine): SetupFact => ({ kind: "line", line: said });
const after = (facts: readonly SetupFact[]): SetupTurn =>
  facts.reduce((turn, fact) => advanceSetup(turn.state, fact), { state: SETUP_BEGINS, effects: [] } as SetupTurn);
const answer = (stepId: string): SetupFact => ({ kind: "answer", stepId, payload: { action: "done" } });

describe("the conversation of a setup", () => {
  const shown = line({ type: "setup_step", step_id: "a", step: CODE });
  const awaits = line({ type: "await_input", step_id: "a" });

  test("[SETUP-07] an answer reaches the script only when it waits for that very step, and only once", () => {
    const said = { kind: "say", line: { type: "step_result", step_id: "a", payload: { action: "done" } } };
    expect(after([shown, awaits, answer("b")]).effects).toEqual([]);
    expect(after([shown, awaits, answer("a")]).effects).toEqual([said]);
    expect(after([shown, awaits, answer("a"), answer("a")]).effects).toEqual([]);
    // One that comes too early waits; one for a step that is no longer shown is nobody's.
    expect(after([shown, answer("a")]).effects).toEqual([]);
    expect(after([shown, answer("a"), awaits]).effects).toEqual([said]);
    const next = line({ type: "setup_step", step_id: "b", step: CODE });
    expect(after([shown, next, answer("a"), line({ type: "await_input", step_id: "b" })]).effects).toEqual([]);
  });

  test("[SETUP-06] a remark changes nothing, and what ends it ends it", () => {
    const remark = after([shown, line({ type: "log", level: "warning", message: "x" })]);
    expect(remark.state).toEqual(after([shown]).state);
    const connection_payload = {
      name: "Notes",
      permissions_granted: [],
      token_expires_at: null,
      refresh_token_expires_at: null,
    };
    const completed = after([shown, line({ type: "completion", connection_payload }), awaits, answer("a")]);
    expect(completed.state).toMatchObject({ phase: "completed", completion: connection_payload });
    expect(completed.effects).toEqual([]);
    const failure: ConnectionFailure = {
      failure_type: "consent_denied",
      service: "Notes",
      message: "No.",
      recovery_options: [],
    };
    const step: SetupStep = { type: "failure", failure };
    for (const last of [line({ type: "failure", failure }), line({ type: "setup_step", step_id: "z", step })]) {
      expect(after([shown, last, line({ type: "completion", connection_payload })]).state).toMatchObject({
        phase: "failed",
        failure,
      });
    }
  });
});

describe("the cards of a connection", () => {
  const facts = { service: "Notes", vaultRefOf: (name: string) => `conn-1.${name}`, isWider: false };

  test("[CARD-07] [CARD-08] [CARD-11] [FLOW-20] a step has what every card has, what it is about, and its actions", () => {
    const labels = (step: SetupStep): readonly string[] => {
      const card = connectionCardSchema.parse(cardOfStep(step, facts));
      expect([card.intent, card.rationale, card.risk_level].every((text) => text !== "")).toBe(true);
      expect(card.ctas.every(({ consequence_label }) => consequence_label !== "")).toBe(true);
      return card.ctas.map(({ label }) => label);
    };
    expect(labels(CODE)).toEqual(["I've done it", "Having trouble", "Cancel"]);
    expect(cardOfStep(CODE, facts)).toMatchObject({ user_code: "AB-12", expires_in: 60, poll_interval: 5 });
    const redirect: SetupStep = {
      type: "browser_redirect",
      auth_url: "https://notes.example/a",
      listening_on: "127.0.0.1:4000",
    };
    expect(labels(redirect)).toEqual(["Having trouble", "Cancel"]);
    expect(cardOfStep(redirect, facts)).toMatchObject({
      auth_url: "https://notes.example/a",
      listening_on: "127.0.0.1:4000",
    });
    expect(labels({ type: "progress", message: "Wait", progress_pct: null })).toEqual(["Cancel"]);
    const request = {
      ref_id: "token",
      label: "Token",
      input_hint: null,
      guidance: { instructions: "x", help_url: null },
    };
    expect(cardOfStep({ type: "secure_input", request }, facts)).toMatchObject({ vault_ref: "conn-1.token" });
  });

  test("[PERM-04] cancelling says what it leaves: nothing of a setup, and the connection that was to be given more", () => {
    const cancels = (isWider: boolean) => cardOfStep(CODE, { ...facts, isWider }).ctas.at(-1)?.consequence_label;
    expect(cancels(false)).toBe("End the setup; nothing is connected and its secrets are removed.");
    expect(cancels(true)).toBe("End it; the connection stays as it was, and the run ends.");
  });

  const failed = (over: Partial<ConnectionFailure>): ConnectionFailure => ({
    failure_type: "unknown",
    service: "Notes",
    message: "It did not work; again in 20 minutes.",
    recovery_options: [],
    ...over,
  });
  const chips = (over: Partial<ConnectionFailure>, attempts = 0): readonly string[] =>
    recoveryOptions({ failure: failed(over), attempts, attemptsMax: 3 }).map(({ label }) => label);

  test("[RECOV-01] [CARD-10] [FLOW-20] a failure offers the ways on of its type, and names the service in plain words", () => {
    expect(chips({ failure_type: "enterprise_policy_block" })).toEqual([
      "Draft IT request",
      "Use personal account",
      "Skip",
    ]);
    expect(chips({ failure_type: "consent_denied" })).toEqual(["Retry", "Retry with fewer permissions", "Skip"]);
    expect(chips({ failure_type: "mfa_required" })).toEqual(["Retry", "Skip"]);
    expect(chips({ failure_type: "token_revoked" })).toEqual(["Reconnect", "Skip"]);
    expect(chips({ failure_type: "rate_limited" })).toEqual(["Retry in 20 minutes", "Skip"]);
    expect(chips({ failure_type: "service_unavailable" })).toEqual(["Retry later", "Skip"]);
    for (const failure_type of FAILURE_TYPES) {
      const card = connectionCardSchema.parse(
        failureCard({ failure: failed({ failure_type }), attempts: 0, attemptsMax: 3 }),
      );
      expect(card).toMatchObject({ card_type: "connection_failure", failure_type, service: "Notes" });
      expect(card.rationale).toContain(failure_type === "unknown" ? "did not work" : "Notes");
      expect(card.ctas.at(-1)).toMatchObject({ action: "skip", role: "decline" });
    }
    const limited = { failure: failed({ failure_type: "rate_limited" }), attempts: 0, attemptsMax: 3 };
    expect(failureCard(limited).rationale).toContain("20 minutes");
    // When nothing has helped, what is left is to begin anew.
    expect(chips({ failure_type: "service_unavailable" }, 3)).toEqual(["Reconnect", "Skip"]);
  });

  test("[RECOV-08] [CARD-10] a failure of no known type offers what the script says, and always to skip", () => {
    const own = { action: "wait_a_day", label: "Wait a day", description: "Then try.", risk_level: "low" as const };
    expect(chips({})).toEqual(["Retry", "Skip"]);
    expect(chips({ recovery_options: [own] })).toEqual(["Wait a day", "Skip"]);
    expect(chips({ recovery_options: [own, { ...own, action: "skip", label: "Never mind" }] })).toEqual([
      "Wait a day",
      "Skip",
    ]);
  });
});

describe("looking after a connection", () => {
  const at = "2026-11-16T08:00:00.000Z" as never;
  const aheadMs = 600_000;
  const plan = (over: object) =>
    planCare({
      health: {
        healthy: true,
        token_expires_at: null,
        refresh_token_expires_at: null,
        latency_ms: 1,
        error: null,
        warnings: [],
        ...over,
      },
      at,
      aheadMs,
    });

  test("[REFRESH-01] [REFRESH-02] [REFRESH-06] a token is renewed ten minutes before it expires, and one without an end never", () => {
    expect(plan({})).toEqual({ kind: "nothing" });
    expect(plan({ token_expires_at: "2026-11-16T08:09:00.000Z" })).toEqual({ kind: "refresh_now" });
    expect(plan({ token_expires_at: "2026-11-16T08:10:00.000Z" })).toEqual({ kind: "refresh_now" });
    expect(plan({ token_expires_at: "2026-11-16T09:00:00.000Z" })).toEqual({
      kind: "refresh_at",
      at: "2026-11-16T08:50:00.000Z",
    });
  });

  test("[RECOV-03] [RECOV-04] an error about the token is met by renewing it first, any other by repairing", () => {
    expect(plan({ healthy: false, error: "The token expired" })).toEqual({ kind: "refresh_then_recover" });
    expect(plan({ healthy: false, error: "No such mailbox" })).toEqual({ kind: "recover" });
    expect(plan({ healthy: false })).toEqual({ kind: "recover" });
  });
});

test("[RECOV-02] a letter to IT is a plan like any other, with everything they ask for, and sends nothing", () => {
  const markdown = itRequestPlan({
    record: { connectionId: "conn-0123456789abcdef", initialPermissions: ["Mail.Read"] },
    manifest: {
      service: 'Mail: of "Acme"',
      clientId: "app-1",
      adminConsentUrl: "https://login.example.com/adminconsent",
      permissionReasons: { "Mail.Read": "to read what is new" },
    },
  });
  const parsed = parsePlan({ markdown, readYaml: parseYaml, at: "2026-11-16T08:00:00.000Z" as never });
  expect(parsed).toMatchObject({ ok: true });
  for (const part of [
    "app-1",
    "127.0.0.1",
    "Mail.Read: to read what is new",
    "https://login.example.com/adminconsent",
  ]) {
    expect(markdown).toContain(part);
  }
});
