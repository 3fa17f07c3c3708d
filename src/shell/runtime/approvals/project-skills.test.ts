import { expect, test } from "vitest";
import { ok, sha256Hex, type Instant } from "#base";
import { parseYaml } from "#config";
import { skillFact, type ReadYaml } from "#work";
import { WHOLE_PLAN } from "../../../../test/plan-texts.ts";
import { projectProposal } from "./project-plan.ts";
import { projectWithSkills } from "./project-skills.ts";

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
