import { expect, test } from "vitest";
import { assert, InvariantError, unreachable } from "./result.ts";

test("a broken invariant throws its own kind of error, a kept one nothing", () => {
  expect(() => assert(0, "X-01 holds")).toThrow(new InvariantError("X-01 holds"));
  expect(() => assert("yes", "X-01 holds")).not.toThrow();
  expect(() => unreachable("forged" as never)).toThrow("unhandled variant: forged");
});
