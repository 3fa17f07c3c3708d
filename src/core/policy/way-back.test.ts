import { expect, test } from "vitest";
import { grantsOf, payloadProjection, payloadSchema } from "#model";
import { cardForPayload } from "./card-payload.ts";

const SHA = "ab".repeat(32);
const MOVES = [{ item_id: "a", from: "a.txt", to: "Documents/a.txt", sha256: SHA }];
const SETTINGS = { folder: "/home/ana/Downloads", moves: MOVES, folders_made: ["Documents"], folders_removed: [] };

function asked(action: string) {
  const payload = payloadSchema.parse({
    kind: "batch_review",
    batch_id: "batch-1",
    goal_id: "goal-1",
    action,
    params: action === "move_files" ? SETTINGS : null,
    items: [
      {
        item_id: "a",
        title: "a.txt",
        actor: "tidy",
        occurred_at: "2026-11-01T08:00:00.000Z",
        reason: "By its name",
        confidence: 0.9,
      },
    ],
    reason_summary: "Tidy",
    confidence_min: 0.9,
    created_at: "2026-11-15T08:00:00.000Z",
  });
  const card = cardForPayload(payload, { strongAuth: "available" });
  const grants = grantsOf({ kind: "batch_review", projection: payloadProjection(payload) }) ?? [];
  return {
    risk: card.ok ? card.value.riskLevel : null,
    friction: card.ok ? card.value.friction : [],
    waysBack: grants.filter(({ reverse }) => reverse !== null).length,
  };
}

test("[RISK-09] [UNDO-06] what destroys is labelled irreversible and nothing offers to undo it; what can be taken back is not", () => {
  for (const action of ["delete", "hard_delete", "unsubscribe"]) {
    expect(asked(action), action).toEqual({
      risk: "irreversible",
      friction: ["tap", "slide", "strong_auth"],
      waysBack: 0,
    });
  }
  expect(asked("move_files")).toEqual({ risk: "medium", friction: ["tap", "confirm"], waysBack: 1 });
});
