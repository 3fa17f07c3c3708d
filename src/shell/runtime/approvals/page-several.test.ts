import { expect, test } from "vitest";
import { planProposalText } from "#model";
import { isProven, verifyReceipt } from "#policy";
import { answerOf, createPageWorld, signaturesOf, TERMINAL } from "./page.fixture.ts";
import { receiptTools } from "./receipt.ts";
import { must } from "../must.fixture.ts";

const file = (id: string, lines: string): string =>
  `---\nid: ${id}\ntitle: About ${id}\n${lines}\n---\n\n# What to do\n\nOnly ${id}.\n`;
const TASK = 'type: task\nsteps: [{ name: look, run: "true" }]';
const PROJECT = planProposalText({
  plan: file("project-1", "type: project\ntasks: [task-a, task-b]"),
  tasks: [file("task-a", TASK), file("task-b", TASK)],
  standing: null,
});
const GOAL = planProposalText({
  plan: file("goal-1", 'type: goal\nschedule: "0 * * * *"\non_failure: spawn_task'),
  tasks: [],
  standing: { max_executions: 5, expires_at: "2090-01-01T00:00:00.000Z" },
});

async function minted(text: string) {
  const world = createPageWorld();
  const phone = await world.signIn("phone");
  const { request } = must(await world.door.propose(text, TERMINAL));
  const answer = { ...answerOf(phone, request), friction: ["tap", "confirm", "slide"] as const };
  const prepared = must(await world.door.prepareApproval(answer));
  const signed = signaturesOf(phone, request.requestId, prepared);
  return { ...world, phone, request, prepared, signed };
}

test.each([
  ["a project", PROJECT, ["project-1 full_plan", "task-a full_plan", "task-b full_plan"], [1, 1, 1]],
  ["a goal that stands", GOAL, ["goal-1 full_plan", "goal-1 standing"], [1, 0]],
])("[APPR-06] a browser signs every token of %s, and its receipt shows them all", async (_name, text, tokens, uses) => {
  const { door, store, request, prepared, signed } = await minted(text);
  expect(prepared.tokens.map(({ workItemId, scope }) => `${workItemId} ${scope}`)).toEqual(tokens);
  must(await door.completeApproval(signed));
  const kept = must(await store.approvalsOf(request.requestId));
  expect(kept.map((approval) => approval.uses.length)).toEqual(uses);
  expect(isProven(verifyReceipt(must(await door.receipt(request.requestId)), receiptTools))).toBe(true);
});

test.each([
  ["one signature left out", "signatures_differ"],
  ["one signature twice", "signatures_differ"],
  ["two signatures exchanged", "approval_signature_invalid"],
  ["one more signature", "signatures_differ"],
])("[INV-02] with %s nothing of a project is approved", async (how, code) => {
  const { door, store, request, signed } = await minted(PROJECT);
  const [one, two, three] = signed.signatures;
  if (one === undefined || two === undefined || three === undefined) throw new Error("three signatures");
  const others: Record<string, typeof signed.signatures> = {
    "one signature left out": [one, two],
    "one signature twice": [one, two, two],
    "two signatures exchanged": [one, { ...two, signature: three.signature }, { ...three, signature: two.signature }],
    "one more signature": [one, two, three, { ...three, tokenId: "tok_other" }],
  };
  const signatures = others[how] ?? [];
  expect(await door.completeApproval({ ...signed, signatures })).toMatchObject({ error: { code } });
  expect(must(await store.find(request.requestId))).toMatchObject({ state: "pending", tokenId: null });
  expect(must(await store.approvalsOf(request.requestId))).toEqual([]);
});
