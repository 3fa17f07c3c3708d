import { expect, test } from "vitest";
import { ok, sha256Hex, type Instant } from "#base";
import { parseYaml } from "#config";
import { skillFact, type ReadYaml } from "#work";
import { WHOLE_PLAN } from "../../../../test/plan-texts.ts";
import { createDecidedPlans, projectProposal, projectWithSkills, type PlanRead } from "./project-plan.ts";

const read = (markdown: string): PlanRead => ({ markdown, projection: "", projected: {} as PlanRead["projected"] });

test("a plan that was read is given once, and only for the request it was read for", () => {
  const decided = createDecidedPlans(10);
  decided.keep("one", read("abc"));
  expect(decided.take("other")).toBeUndefined();
  expect(decided.take("one")).toEqual(read("abc"));
  expect(decided.take("one")).toBeUndefined();
});

test("the oldest go when the texts do not fit together, and one that is too long is not kept", () => {
  const decided = createDecidedPlans(10);
  for (const name of ["one", "two", "three"]) decided.keep(name, read("abcd"));
  decided.keep("long", read("abcdefghijk"));
  expect(["one", "two", "three", "long"].map((name) => decided.take(name) !== undefined)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  decided.keep("two", read("abcdefghij"));
  expect(decided.take("two")).toBeDefined();
});

test("[SKILL-10] a plan with skills is parsed once, and projected with the versions that are installed", async () => {
  const skills = [skillFact("http-check", sha256Hex("its files"))];
  let parses = 0;
  const readYaml: ReadYaml = (text) => ((parses += 1), parseYaml(text));
  const reading = { text: WHOLE_PLAN, at: "2026-11-16T09:00:00.000Z" as Instant, standingUsesMax: 0, readYaml };
  const projected = await projectWithSkills({ factsFor: async () => ok(skills) }, reading);
  expect(parses).toBe(1);
  expect(projected).toEqual(projectProposal({ ...reading, skills }));
  expect(projected.ok && projected.value.projection).toContain(sha256Hex("its files"));
});
