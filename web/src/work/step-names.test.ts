import { expect, test } from "vitest";
import type { ShownTask } from "#model";
import { stepNames } from "./step-names.ts";

test("steps are called what the signed plan calls them; a plan without steps, or with something else there, has none", () => {
  const of = (steps: unknown): readonly string[] => stepNames({ steps } as unknown as ShownTask);
  expect(of([{ name: "write", tool: "node_exec" }, { name: "look" }])).toEqual(["write", "look"]);
  for (const none of [undefined, null, "steps", [1, null, { name: 2 }]]) expect(of(none)).toEqual([]);
});
