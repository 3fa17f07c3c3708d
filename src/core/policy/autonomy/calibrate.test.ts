import { describe, expect, test } from "vitest";
import { instantFromMs, type Instant } from "#base";
import { payloadSchema, type DecidedAction, type LimitValues, type Outcome } from "#model";
import { cardForPayload } from "../card-payload.ts";
import { directionFrom, evidenceWindow, stepChanges } from "./calibrate.ts";
import { limitProposal } from "./limit-proposal.ts";
import { beyondLimits } from "./standing-limits.ts";

const DAY = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 16, 9, 0);
const at = (ms: number): Instant => {
  const made = instantFromMs(ms);
  if (!made.ok) throw new Error("no such moment");
  return made.value;
};
const NOW = at(NOW_MS);
const SETTINGS = { minSamples: 30, windowActions: 50, windowDays: 14, widenBelow: 0.05, tightenAbove: 0.2 };
const BOUNDS = { standingUsesMax: 100, batchSizeMax: 50, highConfidenceMin: 0.7 };
const VALUES: LimitValues = {
  "standing.scope": "repairs",
  "standing.max_executions": "100",
  "standing.expires_at": "none",
  "batch_review.default_size": "10",
  "batch_review.confidence.high_min": "0.85",
};
/** So many of each, a minute apart, the newest a minute ago. */
type Counted = readonly (readonly [Outcome, number])[];
const actions = (...outcomes: Counted): readonly DecidedAction[] =>
  outcomes
    .flatMap(([outcome, count]) => Array.from({ length: count }, () => outcome))
    .map((outcome, index) => ({ outcome, at: at(NOW_MS - (index + 1) * 60_000) }));
const counting = (rest: { readonly since?: Instant } = {}) => ({ at: NOW, since: null, settings: SETTINGS, ...rest });
const directionOf = (...outcomes: Counted) => directionFrom(evidenceWindow(actions(...outcomes), counting()), SETTINGS);

describe("what is counted", () => {
  test("[AUTO-06] corrections are what was chosen from, declined and taken back, of all that was decided", () => {
    const window = evidenceWindow(
      actions(["approved", 30], ["edit_selection", 4], ["declined", 3], ["undo", 3]),
      counting(),
    );
    expect(window).toMatchObject({
      sampleSize: 40,
      correctionRate: 0.25,
      counts: { approved: 30, edit_selection: 4, declined: 3, undo: 3 },
    });
  });

  test("[AUTO-07] only the last 50 count, none older than 14 days, and with 29 of them nothing is proposed", () => {
    expect(evidenceWindow(actions(["approved", 50], ["declined", 20]), counting()).correctionRate).toBe(0);
    const old: readonly DecidedAction[] = [
      { outcome: "declined", at: at(NOW_MS - 14 * DAY - 1) },
      { outcome: "declined", at: at(NOW_MS - 14 * DAY) },
    ];
    expect(evidenceWindow(old, counting()).sampleSize).toBe(1);
    expect([directionOf(["approved", 29]), directionOf(["approved", 30])]).toEqual([null, "widen"]);
    expect([directionOf(["declined", 29]), directionOf(["declined", 30])]).toEqual([null, "tighten"]);
  });

  test("[AUTO-08] below 5 percent argues for wider, above 20 for tighter, and between them nothing does", () => {
    expect(directionOf(["approved", 39], ["declined", 2])).toBe("widen");
    expect(directionOf(["approved", 38], ["declined", 2])).toBeNull();
    expect(directionOf(["approved", 32], ["declined", 8])).toBeNull();
    expect(directionOf(["approved", 31], ["declined", 8])).toBe("tighten");
  });

  test("what was counted for a proposal argues no second time", () => {
    const since = at(NOW_MS - 30 * 60_000);
    expect(evidenceWindow(actions(["approved", 50]), counting({ since })).sampleSize).toBe(29);
  });
});

describe("what is proposed", () => {
  test("[AUTO-09] [AUTO-10] is one step of the limits of its family, and none beyond a cap", () => {
    const steps = (values: Partial<LimitValues>, direction: "widen" | "tighten") =>
      stepChanges({ family: "move_files", direction, values: { ...VALUES, ...values }, bounds: BOUNDS }).map(
        ({ key, current_value: from, proposed_value: to }) => `${key} ${from} ${to}`,
      );
    expect(steps({}, "widen")).toEqual([
      "batch_review.default_size 10 15",
      "batch_review.confidence.high_min 0.85 0.8",
    ]);
    expect(steps({}, "tighten")).toEqual([
      "batch_review.default_size 10 5",
      "batch_review.confidence.high_min 0.85 0.9",
    ]);
    const widest = { "batch_review.default_size": "40", "batch_review.confidence.high_min": "0.72" } as const;
    expect(steps(widest, "widen")).toEqual([
      "batch_review.default_size 40 50",
      "batch_review.confidence.high_min 0.72 0.7",
    ]);
    expect(steps({ "batch_review.default_size": "50", "batch_review.confidence.high_min": "0.7" }, "widen")).toEqual(
      [],
    );
  });

  test("[AUTO-11] [AUTO-12] says each limit before and after, the window, its counts and its rate, and is bound to them", () => {
    const window = evidenceWindow(actions(["approved", 40], ["declined", 1]), counting());
    const payload = limitProposal({
      family: "move_files",
      window,
      values: VALUES,
      bounds: BOUNDS,
      settings: SETTINGS,
      proposalId: "p1",
      at: NOW,
    });
    expect(payloadSchema.safeParse(payload).success).toBe(true);
    if (payload === null) throw new Error("it is proposed");
    expect(payload).toMatchObject({ sample_size: 41, correction_rate: 0.0244, scope_id: "owner", risk_level: "high" });
    expect(payload.evidence_window).toContain("41 decisions on batches of files");
    expect(payload.evidence_window).toContain("40 approved, 0 chosen from, 1 declined, 0 taken back");
    const card = cardForPayload(payload, { strongAuth: "unavailable" });
    if (!card.ok) throw new Error("it has a card");
    expect(card.value).toMatchObject({ riskLevel: "high", friction: ["tap", "slide"] });
    const rows = new Map(card.value.details.rows.map(({ path, text }) => [path, text]));
    expect(rows.get("/changes/0/current_value")).toBe("10");
    expect(rows.get("/changes/0/proposed_value")).toBe("15");
    expect(rows.get("/changes/1/proposed_value")).toBe("0.8");
    expect(rows.get("/sample_size")).toBe("41");
    expect(rows.get("/correction_rate")).toBe("0.0244");
    expect(rows.get("/evidence_window")).toBe(payload.evidence_window);
    expect(card.value.ctas.map(({ action }) => action)).toEqual(["approve", "tighten_now", "decline"]);
  });

  test("[AUTO-16] what only tightens is one tap, by its effect and not by its word", () => {
    const window = evidenceWindow(actions(["declined", 30]), counting());
    const facts = { family: "move_files", window, values: VALUES, bounds: BOUNDS, settings: SETTINGS } as const;
    const payload = limitProposal({ ...facts, proposalId: "p1", at: NOW });
    if (payload === null) throw new Error("it is proposed");
    expect(cardForPayload(payload, { strongAuth: "unavailable" })).toMatchObject({
      value: { riskLevel: "low", friction: ["tap"] },
    });
    const lying = { ...payload, changes: payload.changes.map((one) => ({ ...one, proposed_value: "0.9" })) };
    expect(cardForPayload(lying, { strongAuth: "unavailable" })).toMatchObject({ value: { riskLevel: "high" } });
  });
});

test("[AUTO-09] limits of standing approvals narrow what was signed: what for, how often and how long", () => {
  const use = { issuedAt: at(NOW_MS - 10 * DAY), uses: 5, at: NOW };
  expect(beyondLimits(use, VALUES)).toBeNull();
  expect(beyondLimits(use, { ...VALUES, "standing.scope": "none" })).toBe("standing_limit_scope");
  expect(beyondLimits(use, { ...VALUES, "standing.max_executions": "5" })).toBe("standing_limit_uses");
  expect(beyondLimits(use, { ...VALUES, "standing.max_executions": "6" })).toBeNull();
  expect(beyondLimits(use, { ...VALUES, "standing.expires_at": "P10D" })).toBe("standing_limit_days");
  expect(beyondLimits(use, { ...VALUES, "standing.expires_at": "P11D" })).toBeNull();
});
