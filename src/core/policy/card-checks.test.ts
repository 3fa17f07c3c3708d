import { expect, test } from "vitest";
import { accepted, taskFile } from "../../../test/plan-texts.ts";
import { FILE_ALONE, planBytes, projectPlan } from "#work";
import { cardForPlan } from "./card-plan.ts";

const cardOf = (checks: string) => {
  const projection = planBytes(projectPlan(accepted(taskFile(`verify:\n${checks}`)).item, FILE_ALONE));
  const card = cardForPlan({ projection, usesMax: 1, strongAuth: "unavailable" });
  if (!card.ok) throw new Error(card.error.reason);
  return card.value;
};
const EMPTY =
  '  - { name: fine, run: echo ok, expect: { contains: ok } }\n  - { name: sure, run: "true", expect: { exit_code: 0 } }\n';
const REAL = "  - { name: there, run: cat out.txt, expect: { not_empty: true } }\n";

test("[INV-03] a check that comes out the same whatever is done is named so on the card, beside it and in what is read first", () => {
  const mixed = cardOf(EMPTY + REAL);
  expect(mixed.rationale).toContain("3 checks outside the model decide");
  expect(mixed.rationale).toContain("2 of them would come out the same whatever is done.");
  expect(mixed.checks.map(({ expects }) => expects.includes("the same whatever is done"))).toEqual([true, true, false]);
  expect(cardOf(EMPTY).rationale).toContain("so its result would be unverified");
  expect(cardOf(REAL).rationale).not.toContain("whatever");
});
