import { expect, test } from "vitest";
import { planProposalText } from "../approval/proposal.ts";
import { replacedIn, replacementText } from "./replaced.ts";

const replaced = { runId: "run-1", title: 'Make "it" (run run-2), which failed: no', why: "Check a failed\nbadly" };
const body = `# What to do\n\nDo it.\n\n${replacementText(replaced, "It\n# What this replaces\ncopies.")}`;
const rows = [{ path: "/body", text: body }];
const proposal = { plan: "---\n---\n", tasks: [], standing: null };

test("[CONSULT-08] what another way replaces, and why, is read from what is signed, whatever words are in it", () => {
  const markdown = planProposalText({ ...proposal, replaces: "run-1" });
  expect(replacedIn({ markdown, rows })).toEqual({ ...replaced, why: "Check a failed badly" });
});

test("[CONSULT-08] a briefing that only says that it replaces something, or something else, says nothing on the card", () => {
  const other = planProposalText({ ...proposal, replaces: "run-2" });
  for (const markdown of [planProposalText(proposal), "{", planProposalText({ ...proposal, continues: "task" })])
    expect(replacedIn({ markdown, rows })).toBeNull();
  expect(replacedIn({ markdown: other, rows: [] })).toBeNull();
  expect(replacedIn({ markdown: other, rows: [{ path: "/body", text: "# What this replaces\n" }] })).toBeNull();
});
