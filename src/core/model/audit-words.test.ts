import { expect, test } from "vitest";
import { activitySentence } from "./audit-words.ts";

const KEY = "4128e721afc83859acd45e74dbc7babc";

test("a sentence names a key and an approval by what tells them apart, not by all of their digits", () => {
  const said = (event: string, data: object): string => activitySentence({ event, data: { ...data } } as never);
  expect(said("key_enrolled", { key_id: KEY, key_name: "Tablet" })).toBe("Enrolled the signing key Tablet (4128e721)");
  expect(said("key_used", { key_id: KEY, purpose: "approval" })).toBe("Signed an approval with the key 4128e721");
  expect(said("approval_used", { token_id: `tok_${KEY}`, use_number: 1 })).toBe(
    "Used the approval tok_4128e721 for the 1st time",
  );
  expect(said("undo_kept", { work_item_id: "task-1", key_id: KEY })).toBe(
    "Kept the way back of task-1, signed with key 4128e721",
  );
});

test("what cannot be undone is said as such, and any other risk by its level", () => {
  const asked = (risk: string): string =>
    activitySentence({ event: "approval_requested", data: { work_item_id: "task-1", risk } } as never);
  expect(asked("irreversible")).toBe("Asked for a decision on task-1 (irreversible)");
  expect(asked("low")).toBe("Asked for a decision on task-1 (low risk)");
});

test("one is one, and more are counted", () => {
  const settled = (items: number): string =>
    activitySentence({ event: "batch_outcome", data: { work_item_id: "task-1", outcome: "approved", items } } as never);
  expect(settled(1)).toMatch(/ 1 item of task-1$/);
  expect(settled(2)).toMatch(/ 2 items of task-1$/);
});

test("no sentence shows a code, the name of a file or a moment for machines", () => {
  const said = (event: string, data: object): string => activitySentence({ event, data: { ...data } } as never);
  const goal = { goal_id: "goal-1" };
  const at = "2026-11-16T06:00:00.000Z";
  expect([
    said("migration_applied", { store: "runtime", migration: "021_message_entries" }),
    said("migration_applied", { store: "journal", migration: "001_initial" }),
    said("execution_blocked_no_approval", { work_item_id: "task-1", reason: "approval_key_revoked" }),
    said("egress_refused", {
      work_item_id: "task-1",
      part: "step",
      index: 0,
      host: "a.example:80",
      reason: "unreachable",
    }),
    said("goal_asked", { ...goal, reason: "uses_exhausted" }),
    said("goal_cycle_ended", { ...goal, ended: "failed", reason: "still_failing" }),
    said("goal_checks_skipped", { ...goal, count: 1, since: at, until: at, reason: "missed" }),
    said("started_again", { stopped_at: at }),
    // Whatever is not listed says it in its own words.
    said("passkey_refused", { purpose: "add", reason: "some_other_reason" }),
  ]).toEqual([
    "Brought the runtime database to layout 21, for message entries",
    "Brought the journal database to its first layout",
    "Did not run task-1: its approval does not hold (its key was revoked)",
    "Kept step 1 of task-1 from reaching a.example:80 (nobody answered there)",
    "Asked about a repair of goal-1: the repairs that were approved in advance are used up",
    "goal-1 does not hold: the repair did not help",
    "Left out a check of goal-1, due 2026-11-16 06:00 UTC: Silas could not look then",
    "Started again what was stopped at 2026-11-16 06:00 UTC",
    "Refused a passkey to add another (some other reason)",
  ]);
});
