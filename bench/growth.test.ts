import { expect, test } from "vitest";
import { unmeasuredRoutes } from "./growth.ts";

test("the growth bench has a line for every route that answers GET", () => {
  expect(unmeasuredRoutes()).toEqual([]);
});
