import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instantFromMs, LIMITS, oneLine, sha256Hex, type Instant } from "#base";
import { batchProposalSchema, projectBatch, readMoveFiles } from "#model";
import { compileBatch } from "./compile.ts";
import { reviewItems } from "./review.ts";
import { tidyBatches, type FileFact, type FolderFacts } from "./tidy.ts";

const moment = (ms: number): Instant => {
  const at = instantFromMs(ms);
  if (!at.ok) throw new Error("a moment");
  return at.value;
};
const AT_MS = Date.UTC(2026, 10, 16, 8);
const file = (name: string, more: Partial<FileFact> = {}): FileFact => ({
  name,
  size: 10,
  changedAt: moment(AT_MS - 86_400_000),
  isExecutable: false,
  sha256: sha256Hex(name),
  ...more,
});
const facts = (files: readonly FileFact[], more: Partial<FolderFacts> = {}): FolderFacts => ({
  folder: "/home/me/Downloads",
  files,
  folders: [],
  taken: [],
  at: moment(AT_MS),
  ...more,
});
const SETTINGS = { size: 10, mediumMin: 0.5, highMin: 0.85 };

const anyName = fc.oneof(
  fc.constantFrom(
    "a.pdf",
    "b.JPG",
    ".hidden",
    "no-ending",
    "x.sh",
    'it\'s "q".txt',
    "a\nb.txt",
    "\u202e.pdf",
    "  .md",
    "~",
  ),
  fc
    .string({ minLength: 1, maxLength: 30, unit: "grapheme" })
    .filter((name) => !name.includes("/") && name.isWellFormed()),
);
const anyFacts = fc
  .uniqueArray(anyName, { maxLength: 60 })
  .chain((names) => fc.tuple(fc.constant(names), fc.subarray(names), fc.integer({ min: 1, max: 30 })))
  .map(([names, taken, size]) => ({
    facts: facts(
      names.map((name) => file(name)),
      { folders: ["Documents"], taken: taken.map((name) => `Documents/${name}`) },
    ),
    size,
  }));

test("[BATCH-02] whatever lies in a folder, batches together are all candidates in order, and only the last is smaller", () => {
  fc.assert(
    fc.property(anyFacts, ({ facts: seen, size }) => {
      const { batches, leftAlone } = tidyBatches(seen, { ...SETTINGS, size });
      const items = batches.flatMap((batch) => batch.items);
      expect(items.map(({ item_id: id }) => id)).toEqual(items.map((_, index) => String(index + 1)));
      expect(items.length + leftAlone.length).toBe(seen.files.length);
      expect(batches.slice(0, -1).every((batch) => batch.items.length === size)).toBe(true);
      expect(batches.every((batch) => batch.items.length <= size)).toBe(true);
      const names = items.map(({ title }) => title);
      expect(names).toEqual(names.toSorted());
    }),
    { numRuns: 200 },
  );
});

test("whatever lies in a folder, each batch can be asked about and compiled, goes nowhere that is taken, and equal facts give equal batches", () => {
  fc.assert(
    fc.property(anyFacts, ({ facts: seen, size }) => {
      const { batches } = tidyBatches(seen, { ...SETTINGS, size });
      expect(tidyBatches(seen, { ...SETTINGS, size }).batches).toEqual(batches);
      const goals: string[] = [];
      for (const batch of batches) {
        expect(batchProposalSchema.safeParse(batch).success).toBe(true);
        const read = readMoveFiles(projectBatch(batch));
        expect(read.ok, JSON.stringify(read)).toBe(true);
        const compiled = compileBatch(projectBatch(batch), seen.at);
        expect(compiled.ok, JSON.stringify(compiled)).toBe(true);
        goals.push(...(read.ok ? read.value.moves.map(({ to }) => to) : []));
      }
      expect(new Set(goals).size).toBe(goals.length);
      expect(goals.filter((goal) => seen.taken.includes(goal))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

describe("what is unusual is marked, and says why", () => {
  test.each<readonly [string, FileFact, Partial<FolderFacts>]>([
    ["hidden", file(".notes.txt"), {}],
    ["executable", file("run.pdf", { isExecutable: true }), {}],
    ["very_large", file("film.mp4", { size: 2 ** 30 }), {}],
    ["changed_recently", file("draft.txt", { changedAt: moment(AT_MS - 60_000) }), {}],
    ["no_extension", file("README"), {}],
    ["unknown_kind", file("a.xyz"), {}],
    ["odd_characters", file("what?.txt"), {}],
    ["same_bytes", file("copy.pdf", { sha256: sha256Hex("a.pdf") }), {}],
    ["name_taken", file("b.pdf"), { folders: ["Documents"], taken: ["Documents/b.pdf"] }],
  ])("%s", (flag, odd, more) => {
    const { batches } = tidyBatches(facts([file("a.pdf"), odd], more), SETTINGS);
    const items = batches.flatMap((batch) => batch.items);
    const marked = items.find(({ title }) => title === odd.name);
    expect(marked?.flags).toContain(flag);
    expect(marked?.confidence).toBeLessThan(0.5);
    expect(oneLine(marked?.reason ?? "")).toBe(marked?.reason);
    const usual = items.find(({ title }) => title === "a.pdf");
    expect(usual?.flags).toEqual(flag === "same_bytes" ? ["same_bytes"] : undefined);
  });

  test("a name that is taken gets one that is free, also among those that move with it", () => {
    const seen = facts([file("a.pdf"), file("a (2).pdf")], { folders: ["Documents"], taken: ["Documents/a.pdf"] });
    const [batch] = tidyBatches(seen, SETTINGS).batches;
    const read = batch === undefined ? null : readMoveFiles(projectBatch(batch));
    expect(read).toMatchObject({ value: { moves: [{ to: "Documents/a (2).pdf" }, { to: "Documents/a (3).pdf" }] } });
  });

  test("a file with the name of a folder that would be made stays, and so does what would go there: neither could come back", () => {
    const { batches, leftAlone } = tidyBatches(
      facts([file("Documents"), file("images"), file("a.pdf"), file("b.zip")]),
      SETTINGS,
    );
    expect(batches.flatMap(({ items }) => items.map(({ title }) => title))).toEqual(["b.zip"]);
    expect(leftAlone).toEqual([
      { name: "Documents", reason: "its name is that of a folder for files of a kind" },
      { name: "a.pdf", reason: "a file has the name of the folder it would be moved to" },
      { name: "images", reason: "its name is that of a folder for files of a kind" },
    ]);
  });

  test("what was asked about before keeps nothing else from being asked about", () => {
    const old = Array.from({ length: LIMITS.batchCandidates }, (_, index) => file(`f${index}.pdf`));
    const known = { goalId: "g.files", ...SETTINGS, batches: "none_open", questionsMax: 1 } as const;
    const found = reviewItems(facts([...old, file("young.pdf")]), {
      ...known,
      isAsked: ({ name }) => name !== "young.pdf",
    });
    expect(found).toMatchObject({ candidates: 1, batches: [{ items: [{ title: "young.pdf" }] }] });
  });

  test("ten thousand files are looked at in one go; what one look does not take up is said", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => file(`f${index}.pdf`));
    const { batches, leftAlone } = tidyBatches(facts(many), SETTINGS);
    expect(batches).toHaveLength(LIMITS.batchCandidates / 10);
    expect(leftAlone).toHaveLength(10_000 - LIMITS.batchCandidates);
  });
});

test("[BATCH-04] a batch of an action nobody knows, or into a place of the system, compiles into nothing", () => {
  const [batch] = tidyBatches(facts([file("a.pdf")]), SETTINGS).batches;
  if (batch === undefined) throw new Error("a batch");
  const whole = projectBatch(batch);
  const at = moment(AT_MS);
  expect(compileBatch({ ...whole, action: "delete_files" }, at)).toMatchObject({ error: { reason: "action_unknown" } });
  for (const folder of ["/etc", "/usr/share", "/tmp/x", "/proc/1", "/workspace"]) {
    const wrong = { ...whole, params: { ...whole.params, folder } };
    expect(compileBatch(wrong, at), folder).toMatchObject({ ok: false });
  }
});
