import { expect, test } from "vitest";
import { matching } from "./matching.ts";

const ALL = [{ name: "Manage categories" }, { name: "Tasks: Today" }, { name: "Theme: Dark" }];
const named = (text: string): readonly string[] => matching(ALL, text).map(({ name }) => name);

test("a word finds the actions in whose names a word begins with it, and none by its middle", () => {
  expect(named("ana")).toEqual([]);
  expect(named("man")).toEqual(["Manage categories"]);
  expect(named("CAT man")).toEqual(["Manage categories"]);
  expect(named("t")).toEqual(["Tasks: Today", "Theme: Dark"]);
  expect(named("tasks: today")).toEqual(["Tasks: Today"]);
});

test("nothing written finds all of them", () => {
  expect(named(" ")).toHaveLength(ALL.length);
});
