import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import { batchAfter, projectBatch, type BatchProjection, type BatchProposal } from "../approval/batch.ts";
import { grantsOf } from "../approval/grants.ts";
import { payloadProjection } from "../approval/payload.ts";
import { instantSchema } from "../values.ts";
import { batchBytes, readChoice, readMoveFiles, reverseMoves, type FileMove } from "./move-files.ts";

const AT = instantSchema.parse("2026-11-16T02:00:00.000Z");
const way = (id: string, from: string, to: string): FileMove => ({ item_id: id, from, to, sha256: sha256Hex(id) });
const WAYS = [way("1", "a.pdf", "Documents/a.pdf"), way("2", 'b\'s "b".png', 'Images/b\'s "b".png')];

const proposal = (moves: readonly FileMove[] = WAYS): BatchProposal => ({
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "tidy-1",
  action: "move_files",
  params: {
    folder: "/home/me/Downloads",
    moves: moves.map((move) => ({ ...move })),
    folders_made: ["Documents", "Images"],
    folders_removed: [],
  },
  items: moves.map(({ item_id, from }) => ({
    item_id,
    title: from,
    actor: "rules",
    occurred_at: AT,
    reason: "A document",
    confidence: 0.95,
  })),
  reason_summary: "By kind",
  confidence_min: 0.95,
  created_at: AT,
});
const projection = (moves?: readonly FileMove[]): BatchProjection => projectBatch(proposal(moves));
const changed = (params: object): BatchProjection => {
  const whole = projection();
  return { ...whole, params: { ...whole.params, ...params } };
};

test("[UNDO-01] the way back follows from what was signed: every item turned round, in place, and back again it is the same", () => {
  const back = reverseMoves(projection());
  expect(back.ok && readMoveFiles(back.value)).toMatchObject({
    value: {
      folder: "/home/me/Downloads",
      moves: [
        { item_id: "1", from: "Documents/a.pdf", to: "a.pdf", sha256: sha256Hex("1") },
        { item_id: "2", from: WAYS[1]?.to, to: WAYS[1]?.from },
      ],
      folders_made: [],
      folders_removed: ["Documents", "Images"],
    },
  });
  const again = back.ok ? reverseMoves(back.value) : back;
  expect(again.ok && batchBytes(again.value)).toBe(batchBytes(projection()));
});

test("[BATCH-04] [UNDO-03] an approval is two tokens: one for the batch, used now, and one for its way back, for later and once", () => {
  const text = payloadProjection(proposal());
  const grants = grantsOf({ kind: "batch_review", projection: text }) ?? [];
  const back = reverseMoves(projection());
  const reverse = back.ok ? batchBytes(back.value) : "";
  expect(grants).toMatchObject([
    { use: "now", planHash: sha256Hex(text), usesMax: 1, laterMs: 0, workItemId: "tidy-1" },
    {
      use: "later",
      planHash: sha256Hex(reverse),
      reverse,
      usesMax: 1,
      laterMs: LIMITS.undoLaterMs,
      conditions: { undo_of: sha256Hex(text) },
    },
  ]);
  // Nothing else has a way back.
  const other = payloadProjection({ ...proposal(), action: "archive", params: null });
  expect(grantsOf({ kind: "batch_review", projection: other })).toHaveLength(1);
});

describe("settings that are not whole are neither approved nor run", () => {
  test.each<readonly [string, BatchProjection]>([
    ["no settings", { ...projection(), params: null }],
    ["a folder that is no place", changed({ folder: "Downloads" })],
    ["a folder that climbs", changed({ folder: "/home/../etc" })],
    ["a way for another item", changed({ moves: [WAYS[0]] })],
    ["ways in another order", changed({ moves: WAYS.toReversed() })],
    ["a way out of the folder", changed({ moves: [way("1", "a.pdf", "../a.pdf"), WAYS[1]] })],
    ["an absolute way", changed({ moves: [way("1", "a.pdf", "/etc/a.pdf"), WAYS[1]] })],
    ["a name that acts on a screen", changed({ moves: [way("1", "a\u202e.pdf", "b.pdf"), WAYS[1]] })],
    ["a name of two lines", changed({ moves: [way("1", "a\nb.pdf", "b.pdf"), WAYS[1]] })],
    ["two files at one place", changed({ moves: [way("1", "a.pdf", "x"), way("2", "b.png", "x")] })],
    ["a file into the place of another", changed({ moves: [way("1", "a", "b"), way("2", "b", "c")] })],
    ["no digest", changed({ moves: [{ ...WAYS[0], sha256: "" }, WAYS[1]] })],
    ["a setting nobody knows", changed({ overwrite: true })],
  ])("%s", (_name, wrong) => {
    expect(readMoveFiles(wrong)).toMatchObject({ ok: false, error: { code: "payload_refused" } });
    expect(reverseMoves(wrong).ok).toBe(false);
    expect(grantsOf({ kind: "batch_review", projection: batchBytes(wrong) })).toBeNull();
  });

  test("more than one card can show", () => {
    const many = Array.from({ length: LIMITS.batchMoves + 1 }, (_, index) =>
      way(`${index}`, `f${index}`, `d/${index}`),
    );
    expect(readMoveFiles(projection(many))).toMatchObject({ error: { reason: "too_many_items" } });
    const long = Array.from({ length: 60 }, (_, index) => way(`${index}`, `f${index}`, `${"x".repeat(900)}/${index}`));
    expect(readMoveFiles(projection(long))).toMatchObject({ error: { reason: "paths_too_long" } });
    expect(readMoveFiles(projection(many.slice(1))).ok).toBe(true);
    const paths = (chars: number) => {
      const ways = Array.from({ length: 40 }, (_, index) => way(`${index}`, `f${index + 10}`, `d/${index + 10}`));
      const [first = way("0", "a", "b"), ...rest] = ways.map((one) => ({ ...one, to: one.to.padEnd(997, "x") }));
      const used = [first, ...rest].reduce((sum, { from, to }) => sum + from.length + to.length, 0);
      return readMoveFiles(projection([{ ...first, to: first.to.slice(0, first.to.length - used + chars) }, ...rest]));
    };
    expect(paths(LIMITS.batchPathsChars - 1).ok).toBe(true);
    expect(paths(LIMITS.batchPathsChars).ok).toBe(true);
  });
});

test("[BATCH-05] a choice takes the ways of the chosen items with it, and nothing of the others stays in what is signed", () => {
  const after = batchAfter(proposal(), { verdict: "edit_selection", selected_item_ids: ["2"] });
  const chosen = after.ok && after.value !== null ? projectBatch(after.value) : projection();
  expect(chosen).toMatchObject({ item_ids: ["2"], count: 1 });
  expect(readMoveFiles(chosen)).toMatchObject({ value: { moves: [WAYS[1]], folders_made: ["Images"] } });
  expect(batchBytes(chosen)).not.toContain("a.pdf");
  for (const ids of [[], ["1", "2"], ["2", "2"], ["3"], ["1", "3"]]) {
    const refused = batchAfter(proposal(), { verdict: "edit_selection", selected_item_ids: ids });
    expect(refused).toMatchObject({ error: { code: "selection_refused" } });
  }
});

test("a question has from two ways to as many as the limit, to different places", () => {
  const ways = (count: number): readonly FileMove[] =>
    Array.from({ length: count }, (_, index) => ({
      ...way(`${index}`, "a.pdf", `d${index}/a.pdf`),
      sha256: sha256Hex("a"),
    }));
  const read = (moves: readonly FileMove[]) => {
    const choice = readChoice({
      params: {
        folder: "/home/me/Downloads",
        moves: moves.map((one) => ({ ...one })),
        folders_made: [],
        folders_removed: [],
      },
      item_ids: moves.map(({ item_id }) => item_id),
    });
    return choice.ok ? null : choice.error.reason;
  };
  expect([1, 2, LIMITS.batchChoices, LIMITS.batchChoices + 1].map((count) => read(ways(count)))).toEqual([
    "too_few_ways",
    null,
    null,
    "too_few_ways",
  ]);
  expect(read(ways(2).map((one) => ({ ...one, to: "d/a.pdf" })))).toBe("ways_meet");
});
