import { createHash } from "node:crypto";

/** A question about where one file belongs: two places, and nobody is sure. */
export const whereTo = (folder: string): object => ({
  kind: "batch_review",
  batch_id: "where",
  goal_id: "goal-where.files",
  action: "choose_move",
  params: {
    folder,
    moves: ["Code/x.ts", "Video/x.ts"].map((to, index) => ({
      item_id: String(index + 1),
      from: "x.ts",
      to,
      sha256: createHash("sha256").update("film or code").digest("hex"),
    })),
    folders_made: ["Code", "Video"],
    folders_removed: [],
  },
  items: ["1", "2"].map((item_id) => ({
    item_id,
    title: "x.ts",
    actor: "rules",
    occurred_at: "2026-11-01T08:00:00.000Z",
    reason: "Two kinds have this ending",
    confidence: 0.6,
  })),
  reason_summary: "No rule is sure",
  confidence_min: 0.6,
  created_at: "2026-11-16T08:00:00.000Z",
});

/** A batch of so many; the last ones are flagged. */
export const manyItems = (count: number, flagged: number): object => ({
  kind: "batch_review",
  batch_id: "many",
  goal_id: "goal-many",
  action: "archive",
  params: null,
  items: Array.from({ length: count }, (_, index) => ({
    item_id: `mail-${index}`,
    title: `Newsletter ${index}`,
    actor: "news@letters.example",
    occurred_at: "2026-11-01T08:00:00.000Z",
    reason: "Not opened in a year",
    confidence: 0.9,
    ...(index >= count - flagged && { flags: ["not_seen_before"] }),
  })),
  reason_summary: "Nobody reads these",
  confidence_min: 0.9,
  created_at: "2026-11-15T08:00:00.000Z",
});
