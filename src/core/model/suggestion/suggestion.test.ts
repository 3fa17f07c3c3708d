import { describe, expect, test } from "vitest";
import {
  activitySentence,
  auditDataSchemas,
  CTA_ROLES,
  placeOfSuggestion,
  suggestionCtas,
  SUGGESTION_OFFERS,
  suggestionProposalSchema,
} from "../index.ts";

const PROPOSAL = {
  suggestion_id: "s-1",
  scope_id: "owner",
  source: "idle_heartbeat",
  intent: "Ask again: a page",
  rationale: "Its time ran out before you decided.",
  risk_level: "medium",
  proposed_work_item_id: "task-a",
  cooldown_key: "ask_again:request-a",
  created_at: "2026-11-10T12:00:00.000Z",
};
const isRead = (over: object): boolean => suggestionProposalSchema.safeParse({ ...PROPOSAL, ...over }).success;

describe("a suggestion", () => {
  test("[SUGG-05] has exactly these nine fields, of these values and no others", () => {
    expect(isRead({})).toBe(true);
    expect(isRead({ proposed_work_item_id: null })).toBe(true);
    for (const source of ["post_execution", "goal_monitor"]) expect(isRead({ source })).toBe(true);
    for (const risk_level of ["low", "high", "irreversible"]) expect(isRead({ risk_level })).toBe(true);
    const { created_at: _at, ...without } = PROPOSAL;
    expect(suggestionProposalSchema.safeParse(without).success).toBe(false);
    for (const wrong of [
      { more: 1 },
      { source: "model" },
      { risk_level: "none" },
      { intent: "" },
      { intent: "two\nlines" },
      { intent: "x".repeat(81) },
      { rationale: " " },
      { cooldown_key: "free words" },
      { created_at: "yesterday" },
    ])
      expect(isRead(wrong), JSON.stringify(wrong)).toBe(false);
  });

  test("[SUGG-04] is answered by do it, not now or a third way, in the order of every card, each with what it does", () => {
    for (const offer of SUGGESTION_OFFERS) {
      const ctas = suggestionCtas(offer);
      expect(ctas.map(({ action }) => action)).toEqual(["do_it", "not_now", "not_again"]);
      expect(ctas.map(({ role }) => role)).toEqual([...CTA_ROLES]);
      for (const { label, consequenceLabel } of ctas) expect(label.length * consequenceLabel.length).toBeGreaterThan(0);
    }
  });

  test("taken up, leads to where the owner goes on", () => {
    expect(placeOfSuggestion({ offer: "next_step", request_id: null })).toBe("/talk");
    expect(placeOfSuggestion({ offer: "add_passkey", request_id: null })).toBe("/settings#passkeys");
    expect(placeOfSuggestion({ offer: "run_again", request_id: "r-1" })).toBe("/review/r-1");
  });

  test("tells in Activity what was suggested, what became of it, and which looks were left out", () => {
    const about = { suggestion_id: "s-1", offer: "run_again", work_item_id: "task-a" };
    const said = (event: keyof typeof auditDataSchemas, data: object): string => {
      expect(auditDataSchemas[event].safeParse(data).success, event).toBe(true);
      return activitySentence({ event, data: data as never }, (id) => `"${id}"`);
    };
    expect(said("suggestion_made", { ...about, source: "post_execution", risk: "medium" })).toBe(
      'Suggested to ask for another run of "task-a"',
    );
    expect(said("suggestion_answered", { ...about, outcome: "deferred", request_id: null })).toMatch(/^Put off/);
    expect(said("suggestion_expired", { ...about, offer: "add_passkey", work_item_id: null })).toMatch(
      /nobody answered/,
    );
    expect(said("suggestion_answered", { ...about, offer: "next_step", outcome: "accepted", request_id: null })).toBe(
      "Took up the suggestion to go on with a next step that a run named",
    );
    const [since, until] = ["2026-11-10T12:00:00.000Z", "2026-11-10T13:00:00.000Z"];
    expect(said("suggestion_looks_skipped", { count: 5, since, until })).toMatch(/^Left out 5 looks/);
  });
});
