import * as fc from "fast-check";
import { expect, test } from "vitest";
import { APPROVAL_SCOPES, FRICTIONS, RISK_LEVELS, type ApprovalScope, type Friction, type RiskLevel } from "#model";
import { PROJECTION, textOf } from "./approval.fixture.ts";
import { cardForPlan } from "./card-plan.ts";
import { frictionFor, frictionOfPage, judgeFriction, riskOf, type Reversibility, type RiskAction } from "./risk.ts";

test("[RISK-04] the reference acts have their reference levels", () => {
  const acts: readonly [ApprovalScope, RiskAction, Reversibility, RiskLevel][] = [
    ["single_step", "acknowledge_status", "reversible", "low"],
    ["single_step", "fix_formatting", "reversible", "low"],
    ["connection_act", "archive_item", "reversible", "low"],
    ["connection_act", "send_draft", "lasting", "medium"],
    ["connection_act", "approve_batch", "reversible", "medium"],
    ["skill_install", "install_known_skill", "reversible", "medium"],
    ["connection_manage", "modify_connection_permissions", "reversible", "high"],
    ["full_plan", "migrate", "lasting", "high"],
    ["self_update", "self_update", "reversible", "high"],
    ["single_step", "drop_data", "destructive", "irreversible"],
    ["connection_manage", "revoke_connection", "reversible", "irreversible"],
    ["connection_act", "hard_delete", "destructive", "irreversible"],
  ];
  for (const [scope, action, reversibility, level] of acts) {
    expect(riskOf({ scope, actions: [action], reversibility }), action).toBe(level);
  }
});

test("[RISK-03] nothing a plan says about itself moves its risk", () => {
  const claims = fc.record({
    title: fc.stringMatching(/^[a-z]{1,20}( low risk)?$/),
    body: fc.string(),
    risk_level: fc.constantFrom("low", "irreversible", null),
    needs_approval: fc.boolean(),
    failure_context: fc.option(fc.string()),
    domain: fc.constantFrom(null, "low", "safe"),
  });
  const plain = riskOfText(textOf(PROJECTION));
  fc.assert(
    fc.property(claims, (claim) => {
      expect(riskOfText(textOf({ ...PROJECTION, ...claim }))).toBe(plain);
    }),
    { numRuns: 100 },
  );
});

test("[RISK-03] more effect never weighs less, and an unknown word weighs most", () => {
  const scope = fc.constantFrom(...APPROVAL_SCOPES);
  const actions = fc.subarray<RiskAction>(["archive_item", "send_draft", "use_secret", "drop_data"]);
  const ladder = ["reversible", "lasting", "unknown", "destructive"] as const;
  const place = (level: RiskLevel) => RISK_LEVELS.indexOf(level);
  fc.assert(
    fc.property(scope, actions, fc.nat({ max: 2 }), (someScope, some, step) => {
      const before = ladder[step] ?? "unknown";
      const facts = { scope: someScope, actions: some, reversibility: before };
      const level = place(riskOf(facts));
      expect(place(riskOf({ ...facts, actions: [...some, "migrate"] }))).toBeGreaterThanOrEqual(level);
      expect(place(riskOf({ ...facts, reversibility: ladder[step + 1] ?? before }))).toBeGreaterThanOrEqual(level);
      expect(riskOf({ ...facts, actions: [...some, "constructor" as RiskAction] })).toBe("irreversible");
      expect(riskOf({ ...facts, scope: "everything" as ApprovalScope })).toBe("irreversible");
      expect(riskOf({ ...facts, reversibility: "harmless" as Reversibility })).toBe("irreversible");
    }),
    { numRuns: 100 },
  );
});

test("a plan weighs by what it reaches: the sandbox, the network, a secret, a skill without a digest, no end", () => {
  const { capabilities } = PROJECTION;
  const [command] = capabilities.commands;
  const reaching = { ...capabilities, commands: [{ ...command, network: true }] };
  expect(riskOfText(textOf(PROJECTION))).toBe("medium");
  expect(riskOfText(textOf({ ...PROJECTION, capabilities: reaching }))).toBe("medium");
  const reading = { ...reaching, files_read: ["/home/me/notes"] };
  expect(riskOfText(textOf({ ...PROJECTION, capabilities: reading }))).toBe("high");
  expect(riskOfText(textOf({ ...PROJECTION, capabilities: { ...reading, commands: [command] } }))).toBe("medium");
  expect(riskOfText(textOf({ ...PROJECTION, capabilities: { ...capabilities, secret_refs: ["mail"] } }))).toBe("high");
  expect(riskOfText(textOf({ ...PROJECTION, type: "goal" }))).toBe("high");
  const skill = (sha256: string | null) => ({ ...PROJECTION, skill_digests: [{ name: "web", sha256 }] });
  expect(riskOfText(textOf(skill(null)))).toBe("high");
  expect(riskOfText(textOf(skill("ab".repeat(32))))).toBe("medium");
});

test("friction grows with risk, and a missing means of proof leaves the slide", () => {
  expect(RISK_LEVELS.map((risk) => frictionFor(risk, "available").join("+"))).toEqual([
    "tap",
    "tap+confirm",
    "tap+slide",
    "tap+slide+strong_auth",
  ]);
  expect(frictionFor("irreversible", "unavailable")).toEqual(["tap", "slide"]);
  expect(frictionFor("harmless" as RiskLevel, "available")).toEqual([...FRICTIONS]);
});

const performance = fc.record({
  some: fc.subarray([...FRICTIONS]),
  risk: fc.constantFrom(...RISK_LEVELS),
  strongAuth: fc.constantFrom("available" as const, "unavailable" as const),
});

test("[APPR-08] friction is accepted exactly when all that is demanded was performed, and more never hurts but a claim of strong proof that nothing here proves", () => {
  fc.assert(
    fc.property(performance, ({ some, risk, strongAuth }) => {
      const demanded = frictionFor(risk, strongAuth);
      const isForged = strongAuth === "unavailable" && some.includes("strong_auth");
      const judged = judgeFriction({ performed: some, risk, strongAuth });
      expect(judged.ok).toBe(demanded.every((friction) => some.includes(friction)) && !isForged);
      if (judged.ok) return;
      const missing = judged.error.code === "decision_friction_missing" ? judged.error.missing : [];
      expect(missing.length > 0 || isForged).toBe(true);
      const performed = [...some, ...missing].filter((friction) => !isForged || friction !== "strong_auth");
      expect(judgeFriction({ performed, risk, strongAuth }).ok).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("a passkey that can be asked is demanded of irreversible acts whatever the page says, and a claim of one that cannot is forged", () => {
  const page = (performed: readonly Friction[], strongAuth: "available" | "unavailable", risk: RiskLevel) =>
    frictionOfPage({ performed, risk, strongAuth });
  expect(page(["slide", "tap", "tap"], "available", "irreversible")).toEqual(["tap", "slide", "strong_auth"]);
  expect(page(["tap", "slide"], "unavailable", "irreversible")).toEqual(["tap", "slide"]);
  expect(page(["tap", "confirm"], "available", "medium")).toEqual(["tap", "confirm"]);
  const claimed = page(["tap", "slide", "strong_auth"], "unavailable", "irreversible");
  expect(judgeFriction({ performed: claimed, risk: "irreversible", strongAuth: "unavailable" })).toEqual({
    ok: false,
    error: { code: "decision_strong_auth_unproven" },
  });
  expect(judgeFriction({ performed: ["tap"], risk: "irreversible", strongAuth: "unavailable" })).toMatchObject({
    error: { code: "decision_friction_missing", missing: ["slide"] },
  });
});

function riskOfText(projection: string): RiskLevel {
  const card = cardForPlan({ projection, usesMax: 1, strongAuth: "unavailable" });
  if (!card.ok) throw new Error(card.error.reason);
  return card.value.riskLevel;
}
