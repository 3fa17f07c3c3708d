import { expect, test } from "vitest";
import { sampleOf } from "../test/depth.ts";
import { cutApprovals, failApproval } from "./approval-cuts.ts";
import { GOAL, PROJECT } from "./approval-world.ts";
import { spendFromProcesses, TRIALS } from "./approval-spend.ts";
import { cutDevices } from "./device-cuts.ts";

test("[APPR-17] propose, show, approve, decline and expire, cut at any write boundary, are there whole or not at all, and nothing is used twice", async () => {
  const { states } = await cutApprovals(1, (all) => sampleOf(all, 8));
  expect(states).toBeGreaterThan(50);
});

test("[APPR-17] [FLOW-04] a browser's enrolment, approval and end, cut at any write boundary, are there whole or not at all", async () => {
  const { states } = await cutDevices(1, (all) => sampleOf(all, 8));
  expect(states).toBeGreaterThan(60);
});

test("[APPR-18] an approval whose disk fails at any statement keeps nothing, says so, and succeeds when tried again", async () => {
  const { states } = await failApproval(2);
  expect(states).toBeGreaterThan(15);
});

test.each([
  ["a project with its tasks", PROJECT, 30],
  ["a goal that stands", GOAL, 20],
])("[APPR-18] so does %s: every token of the decision is kept, or none", async (_name, text, statements) => {
  const { states } = await failApproval(3, text);
  expect(states).toBeGreaterThan(statements);
});

test("[NONCE-07] [APPR-19] of twenty uses from two processes at once exactly one succeeds, twenty times over", async () => {
  const { successes } = await spendFromProcesses(1);
  expect(successes).toEqual(Array.from({ length: TRIALS }, () => 1));
});
