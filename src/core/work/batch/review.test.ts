import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex, type Instant } from "#base";
import { batchAfter, batchProposalSchema, grantsOf, payloadProjection, projectBatch, readChoice } from "#model";
import { accepted, goalFile, problems, taskFile } from "../../../../test/plan-texts.ts";
import { compileBatch } from "./compile.ts";
import { reviewItems, type ReviewFacts } from "./review.ts";
import type { FileFact, FolderFacts } from "./tidy.ts";

const AT = "2026-11-16T08:00:00.000Z" as Instant;
const file = (name: string, changedAt = "2026-11-01T00:00:00.000Z"): FileFact => ({
  name,
  size: 1,
  changedAt: changedAt as Instant,
  isExecutable: false,
  sha256: sha256Hex(name),
});
const folderWith = (...files: readonly FileFact[]): FolderFacts => ({
  folder: "/srv/files",
  files,
  folders: ["Code"],
  taken: [],
  at: AT,
});
const KNOWN: ReviewFacts = {
  goalId: "goal.files",
  size: 2,
  mediumMin: 0.5,
  highMin: 0.85,
  isAsked: () => false,
  batches: "none_open",
  questionsMax: 10,
};

describe("what a goal asks about its folder", () => {
  test("[BATCH-03] is sure by batches, and unsure or shared by two kinds as a question each", () => {
    const plan = reviewItems(
      folderWith(file("a.pdf"), file("b.png"), file("c.csv"), file("README"), file("x.ts")),
      KNOWN,
    );
    expect(plan.batches.map(({ items }) => items.map(({ title }) => title))).toEqual([["a.pdf", "b.png"], ["c.csv"]]);
    expect(plan.questions.map(({ params }) => params)).toMatchObject([
      {
        moves: [{ to: "Other/README" }, { to: "Documents/README" }],
        folders_made: ["Other", "Documents"],
      },
      { moves: [{ to: "Code/x.ts" }, { to: "Video/x.ts" }], folders_made: ["Video"] },
    ]);
    for (const question of plan.questions) {
      expect(batchProposalSchema.safeParse(question).success).toBe(true);
      expect(readChoice(projectBatch(question)).ok).toBe(true);
    }
    expect(plan.candidates).toBe(5);
  });

  test("[BATCH-01] leaves out what was asked before and what may not be whole yet, and waits while something is open", () => {
    const files = folderWith(file("a.pdf"), file("README"), file("new.pdf", "2026-11-16T07:30:00.000Z"));
    const titles = (known: Partial<ReviewFacts>) => {
      const { batches, questions } = reviewItems(files, { ...KNOWN, ...known });
      return [...batches, ...questions].map(({ items }) => items[0]?.title);
    };
    expect(titles({})).toEqual(["a.pdf", "README"]);
    expect(titles({ isAsked: ({ name }) => name === "a.pdf" })).toEqual(["README"]);
    expect(titles({ isAsked: ({ sha256 }) => sha256 === sha256Hex("README") })).toEqual(["a.pdf"]);
    expect(titles({ batches: "open" })).toEqual(["README"]);
    expect(titles({ questionsMax: 0 })).toEqual(["a.pdf"]);
  });

  test("[BATCH-03] a question has no token and runs as nothing; one chosen place is a whole batch of one", () => {
    const [question] = reviewItems(folderWith(file("README")), KNOWN).questions;
    if (question === undefined) throw new Error("there is a question");
    expect(grantsOf({ kind: "batch_review", projection: payloadProjection(question) })).toBeNull();
    expect(compileBatch(projectBatch(question), AT).ok).toBe(false);
    const choose = (...ids: readonly string[]) =>
      batchAfter(question, { verdict: "edit_selection", selected_item_ids: [...ids] });
    for (const ids of [[], ["1", "2"], ["3"], ["1", "1"]]) expect(choose(...ids).ok).toBe(false);
    const chosen = choose("2");
    if (!chosen.ok || chosen.value === null) throw new Error("one is chosen");
    expect(chosen.value).toMatchObject({
      action: "move_files",
      params: { moves: [{ from: "README", to: "Documents/README" }], folders_made: ["Documents"] },
    });
    expect(compileBatch(projectBatch(chosen.value), AT).ok).toBe(true);
    // Its own token, and that of its way back.
    expect(grantsOf({ kind: "batch_review", projection: payloadProjection(chosen.value) })).toHaveLength(2);
  });

  test("a question about two files, one place, or too many is none", () => {
    const [question] = reviewItems(folderWith(file("README")), KNOWN).questions;
    if (question === undefined) throw new Error("there is a question");
    const { item_ids } = projectBatch(question);
    const params = question.params as { readonly moves: readonly object[] };
    const [first = {}, second = {}] = params.moves;
    const many = Array.from({ length: LIMITS.batchChoices + 1 }, (_, at) => ({ ...first, to: `P${at}/README` }));
    for (const moves of [[first], [first, first], [first, { ...second, from: "other" }], many, []]) {
      expect(readChoice({ params: { ...params, moves } as never, item_ids }).ok).toBe(false);
    }
  });
});

test("[BATCH-01] only a goal looks for files, and only where it may read", () => {
  const looks = (place: string): string => `reviewed_batches: { folder: ${place} }\nfiles: { read: [/srv/files] }`;
  for (const folder of ["/srv/files", "/srv/files/in"]) {
    expect(accepted(goalFile(looks(folder))).item.reviewedBatches).toEqual({ action: "move_files", folder });
  }
  for (const place of ["/srv", "/srv/files-2", "/srv/files/../other", "files"]) {
    expect(problems(goalFile(looks(place)))).toEqual(["grant_missing 5:21 reviewed_batches.folder"]);
  }
  expect(problems(taskFile(looks("/srv/files")))).toEqual(["not_for_type 5:1 reviewed_batches"]);
});
