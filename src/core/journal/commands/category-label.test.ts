import { expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const refusal = (result: { readonly ok: boolean }) => ("error" in result ? result.error : "accepted");

test("[JOURNAL-02] people create, rename, archive and unarchive categories; every version has its times", () => {
  const book = createBook();
  const { subjectId: id } = book.must({ kind: "category.create", name: "Home" }, "2026-11-15T10:00:00.000Z");
  expect(book.one("category", id)).toMatchObject({
    body: { name: "Home", colour: 0, archivedAt: null },
    createdAt: "2026-11-15T10:00:00.000Z",
    deletedAt: null,
  });
  book.must({ kind: "category.update", id, set: { name: "House", colour: 7 } });
  book.must({ kind: "category.archive", id }, "2026-11-15T12:00:00.000Z");
  expect(book.one("category", id)).toMatchObject({
    body: { name: "House", colour: 7, archivedAt: "2026-11-15T12:00:00.000Z" },
    createdAt: "2026-11-15T10:00:00.000Z",
    updatedAt: "2026-11-15T12:00:00.000Z",
  });
  expect(book.must({ kind: "category.archive", id }).writes).toEqual([]);
  book.must({ kind: "category.unarchive", id });
  expect(book.one("category", id).body.archivedAt).toBeNull();
});

test("names are unique without regard to case, outer spaces or composition", () => {
  const book = createBook();
  const cafe = book.must({ kind: "category.create", name: "Café" }).subjectId;
  for (const name of ["café", " CAFÉ ", "Cafe\u0301"]) {
    expect(refusal(book.run({ kind: "category.create", name }))).toMatchObject({
      code: "name_taken",
      what: "category",
    });
  }
  book.must({ kind: "category.update", id: cafe, set: { name: "CAFÉ" } });
  const label = book.must({ kind: "label.create", name: "a" }).subjectId;
  const other = book.must({ kind: "label.create", name: "b" }).subjectId;
  expect(refusal(book.run({ kind: "label.update", id: other, name: "A" }))).toMatchObject({ code: "name_taken" });
  book.must({ kind: "label.delete", id: label });
  book.must({ kind: "label.update", id: other, name: "A" });
});

test("categories move to any place", () => {
  const book = createBook();
  const ids = ["a", "b", "c"].map((name) => book.must({ kind: "category.create", name }).subjectId);
  book.must({ kind: "category.move", id: ids[2], after: null });
  book.must({ kind: "category.move", id: ids[0], after: ids[1] });
  const names = book.live("category").toSorted((one, other) => (one.body.order < other.body.order ? -1 : 1));
  expect(names.map((category) => category.body.name).join("")).toBe("cba");
  expect(refusal(book.run({ kind: "category.move", id: ids[0], after: "gone" }))).toMatchObject({ code: "not_found" });
});
