import { describe, expect, test } from "vitest";
import { canonicalJson } from "#base";
import { payloadProjection, payloadSchema } from "#model";
import { batchWords } from "../../words/batch-words.ts";
import {
  chosenIds,
  firstChoice,
  idsOf,
  placesOf,
  shareOf,
  shownBatch,
  toggled,
  type ShownBatch,
} from "./shown-batch.ts";

const item = (id: string, flags: readonly string[] = []) => ({
  item_id: id,
  title: `File ${id}`,
  actor: "tidy",
  occurred_at: "2026-11-01T08:00:00.000Z",
  reason: "By its name",
  confidence: 0.9,
  ...(flags.length > 0 && { flags }),
});

function requestOf(items: readonly object[], more: object = {}) {
  const body = {
    kind: "batch_review",
    batch_id: "batch-1",
    goal_id: "goal-1",
    action: "archive",
    params: null,
    items,
    reason_summary: "Nobody reads these",
    confidence_min: 0.9,
    created_at: "2026-11-15T08:00:00.000Z",
    ...more,
  };
  const text = canonicalJson(body);
  const projection = payloadProjection(payloadSchema.parse(body));
  return { kind: "batch_review" as const, markdown: text.ok ? text.value : "", projection };
}

function must(request: ReturnType<typeof requestOf>): ShownBatch {
  const batch = shownBatch(request);
  if (batch === null) throw new Error("no batch");
  return batch;
}

const mixed = must(requestOf([item("a"), item("b", ["hidden"]), item("c"), item("d", ["very_large", "hidden"])]));

describe("a batch on its card", () => {
  test("what is unusual stands apart and is not ticked; the order is that of the batch", () => {
    expect(idsOf(mixed.flagged)).toEqual(["b", "d"]);
    expect([...firstChoice(mixed)]).toEqual(["a", "c"]);
    expect(chosenIds(mixed, new Set(["d", "a"]))).toEqual(["a", "d"]);
  });

  test("three unusual ones stand on the card; of more, two and the way to the others", () => {
    const flagged = (count: number) =>
      placesOf(must(requestOf(Array.from({ length: count }, (_, at) => item(`f${at}`, ["hidden"])))));
    expect(flagged(3).onCard).toHaveLength(3);
    expect(flagged(3).inList).toHaveLength(0);
    expect(idsOf(flagged(5).onCard)).toEqual(["f0", "f1"]);
    expect(idsOf(flagged(5).inList)).toEqual(["f2", "f3", "f4"]);
  });

  test("the row of the usual ones is ticked, unticked, or some of both", () => {
    expect(shareOf(new Set(["a", "c"]), mixed.usual)).toBe("all");
    expect(shareOf(new Set(["a", "d"]), mixed.usual)).toBe("some");
    expect(shareOf(new Set(["d"]), mixed.usual)).toBe("none");
    expect([...toggled(new Set(["a"]), ["a", "c"])]).toEqual(["a", "c"]);
    expect([...toggled(new Set(["a", "c", "d"]), ["a", "c"])]).toEqual(["d"]);
  });

  test("words that are not about what would be signed are not shown as its items", () => {
    const request = requestOf([item("a")]);
    expect(shownBatch({ ...request, markdown: request.markdown.replace('"a"', '"z"') })).toBeNull();
    expect(shownBatch({ ...request, markdown: "{}" })).toBeNull();
    expect(shownBatch({ ...request, kind: "plan_approval" })).toBeNull();
  });

  test("where a file goes is read from what is signed: the folder, or the whole of a name that changes", () => {
    const move = (id: string, from: string, to: string) => ({ item_id: id, from, to, sha256: "ab".repeat(32) });
    const moves = [move("a", "a.jpg", "Pictures/a.jpg"), move("b", "b.jpg", "Pictures/b (2).jpg")];
    const params = { folder: "/home/ana/Downloads", moves, folders_made: ["Pictures"], folders_removed: [] };
    const batch = must(requestOf([item("a"), item("b")], { action: "move_files", params }));
    expect([...batch.destinations]).toEqual([
      ["a", "Pictures/"],
      ["b", "Pictures/b (2).jpg"],
    ]);
  });

  test("[BATCH-03] a question has each of its places on the card, none of them chosen, and says what choosing does", () => {
    const move = (id: string, to: string) => ({ item_id: id, from: "x.ts", to, sha256: "ab".repeat(32) });
    const moves = [move("1", "Code/x.ts"), move("2", "Video/x.ts")];
    const params = { folder: "/home/ana/Downloads", moves, folders_made: [], folders_removed: [] };
    const batch = must(requestOf([item("1"), item("2")], { action: "choose_move", params }));
    expect(batch.isQuestion).toBe(true);
    expect(idsOf(placesOf(batch).onCard)).toEqual(["1", "2"]);
    expect([...firstChoice(batch)]).toEqual([]);
    expect([...batch.destinations.values()]).toEqual(["Code/", "Video/"]);
    expect(batchWords.act("choose_move", { chosen: 1, all: 2 })).toBe("Move it there");
  });

  test("what is unusual is said in words of the page, also when the code is of another domain", () => {
    expect(batchWords.flags(["executable", "changed_recently"])).toBe("A program. Changed within the last hour");
    expect(batchWords.flags(["not_seen_before"])).toBe("not seen before");
  });

  test("the choice says what would be done to how many", () => {
    expect(batchWords.act("move_files", { chosen: 8, all: 10 })).toBe("Move 8 of 10 files");
    expect(batchWords.act("move_files", { chosen: 1, all: 1 })).toBe("Move 1 file");
    expect(batchWords.act("delete", { chosen: 3, all: 3 })).toBe("Approve: delete 3 items");
    expect(batchWords.act("forward", { chosen: 2, all: 3 })).toBe("Approve: forward, 2 of 3 items");
  });
});
