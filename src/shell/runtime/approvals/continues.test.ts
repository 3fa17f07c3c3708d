import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import { parseYaml } from "#config";
import { planProposalText, type PlanProposal } from "#model";
import { projectProposal } from "./project-plan.ts";

const AT = "2026-11-16T09:00:00.000Z" as Instant;

const task = (front: string): string => `---
id: second
type: task
title: Go on
${front}steps:
  - { name: look, run: ls inputs }
---

# What to do

Look at what was made.
`;

const readingOf = (proposal: Partial<PlanProposal> & Pick<PlanProposal, "plan">) =>
  projectProposal({
    text: planProposalText({ tasks: [], standing: null, ...proposal }),
    readYaml: parseYaml,
    at: AT,
    standingUsesMax: 1,
  });

function linkOf(proposal: Parameters<typeof readingOf>[0]): object {
  const read = readingOf(proposal);
  if (!read.ok) return read.error;
  const { follow_up_of, input_artifacts_from } = JSON.parse(read.value.projection);
  return { follow_up_of, input_artifacts_from };
}

test("[FLOW-11] what continues other work follows it and takes over all its results, or the fewer the plan names", () => {
  const all = { follow_up_of: "first", input_artifacts_from: ["*"] };
  expect(linkOf({ plan: task(""), continues: "first" })).toEqual(all);
  expect(linkOf({ plan: task("follow_up_of: first\n"), continues: "first" })).toEqual(all);
  const fewer = { follow_up_of: "first", input_artifacts_from: ["page"] };
  expect(linkOf({ plan: task("input_artifacts_from: [page]\n"), continues: "first" })).toEqual(fewer);
  const none = { follow_up_of: "first", input_artifacts_from: [] };
  expect(linkOf({ plan: task("input_artifacts_from: []\n"), continues: "first" })).toEqual(none);
  expect(linkOf({ plan: task("") })).toEqual({ follow_up_of: null, input_artifacts_from: [] });
});

test("[FLOW-11] both are in what is hashed, as if the plan had written them itself", () => {
  const hashOf = (proposal: Parameters<typeof readingOf>[0]): string => {
    const read = readingOf(proposal);
    return read.ok ? sha256Hex(read.value.projection) : read.error.code;
  };
  const written = hashOf({ plan: task('follow_up_of: first\ninput_artifacts_from: ["*"]\n') });
  expect(hashOf({ plan: task(""), continues: "first" })).toBe(written);
  expect(hashOf({ plan: task(""), continues: "another" })).not.toBe(written);
  expect(hashOf({ plan: task("") })).not.toBe(written);
});

test("a plan that follows other work than it is to continue, or itself, or something that is no id, is not asked about", () => {
  const refused = { code: "proposal_refused", reason: "continues_another", itemId: "second" };
  expect(linkOf({ plan: task("follow_up_of: zero\n"), continues: "first" })).toEqual(refused);
  expect(linkOf({ plan: task(""), continues: "second" })).toMatchObject({ reason: "dependency_cycle" });
  expect(linkOf({ plan: task(""), continues: "../first" })).toMatchObject({ reason: "unreadable" });
});
