import { expect, test } from "vitest";
import { journalCommandSchema } from "#model";
import { createBook } from "../../../test/journal-book.ts";
import { furtherReadsOf, readsOf } from "./decide.ts";

const command = (input: object) => journalCommandSchema.parse(input);

test("nothing is read for ids that a command does not name", () => {
  const create = (given: object) => readsOf(command({ kind: "task.create", title: "t", ...given }));
  expect(create({}).filter(({ kind }) => kind === "ids")).toEqual([]);
  expect(create({ categoryId: "home" })).toContainEqual({ kind: "ids", ids: ["home"] });
});

test("nothing more is read when the first facts name no further ids", () => {
  const book = createBook();
  const planDate = "2026-11-16";
  book.must({ kind: "plan.note", planDate, note: "calm" });
  const taskId = book.must({ kind: "task.create", title: "t" }).subjectId;
  const pin = command({ kind: "plan.pin", planDate, taskIds: [taskId] });
  expect(furtherReadsOf(pin, book)).toEqual([]);
  book.must(pin);
  expect(furtherReadsOf(pin, book)).toEqual([{ kind: "ids", ids: [taskId] }]);
});
