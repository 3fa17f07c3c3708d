import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import { reviewItems } from "./review.ts";
import { tidyBatches, type FolderFacts } from "./tidy.ts";

/** An archive is sure by 0.9, source code by 0.6, and of no known kind by 0.3. */
const FACTS: FolderFacts = {
  folder: "/srv/files",
  files: ["a.zip", "b.py", "c.unknown"].map((name) => ({
    name,
    size: 10,
    changedAt: "2026-11-01T08:00:00.000Z" as Instant,
    isExecutable: false,
    sha256: sha256Hex(name),
  })),
  folders: [],
  taken: [],
  at: "2026-11-16T08:00:00.000Z" as Instant,
};
function asked(highMin: number) {
  const known = { goalId: "g.files", size: 10, mediumMin: 0.5, isAsked: () => false, questionsMax: 10 } as const;
  const { batches, questions } = reviewItems(FACTS, { ...known, highMin, batches: "none_open" });
  return {
    inBatches: batches.flatMap(({ items }) => items.map(({ title }) => title)),
    // A question has an item for each place of its one file.
    alone: questions.flatMap(({ items }) => items[0]?.title ?? []),
  };
}

test("[AUTO-02] what is as sure as high demands joins a batch, and the boundary itself is high", () => {
  expect(asked(0.9)).toEqual({ inBatches: ["a.zip"], alone: ["b.py", "c.unknown"] });
  expect(asked(0.91)).toEqual({ inBatches: [], alone: ["a.zip", "b.py", "c.unknown"] });
});

test("[AUTO-03] what is between medium and high is asked about by itself, and in a batch by hand it starts unticked", () => {
  expect(asked(0.85).alone).toContain("b.py");
  expect(asked(0.6).inBatches).toContain("b.py");
  const [batch] = tidyBatches(FACTS, { size: 10, mediumMin: 0.5, highMin: 0.85 }).batches;
  const flags = new Map(batch?.items.map(({ title, flags: found }) => [title, found ?? []]));
  expect([flags.get("a.zip"), flags.get("b.py")]).toEqual([[], ["medium_confidence"]]);
  expect(flags.get("c.unknown")).toContain("low_confidence");
  expect(batch?.items.find(({ title }) => title === "b.py")?.confidence).toBe(0.6);
});
