import { expect, test } from "vitest";
import { cutApprovals, failApproval } from "./approval-cuts.ts";
import { spendFromProcesses, TRIALS } from "./approval-spend.ts";

test("[APPR-17] propose, show, approve, decline and expire, cut at any write boundary, are there whole or not at all, and nothing is used twice", async () => {
  const { states } = await cutApprovals(1);
  expect(states).toBeGreaterThan(100);
}, 120_000);

test("[APPR-18] an approval whose disk fails at any statement keeps nothing, says so, and succeeds when tried again", async () => {
  const { states } = await failApproval(2);
  expect(states).toBeGreaterThan(15);
}, 60_000);

test("[NONCE-07] [APPR-19] of twenty uses from two processes at once exactly one succeeds, twenty times over", async () => {
  const { successes } = await spendFromProcesses(1);
  expect(successes).toEqual(Array.from({ length: TRIALS }, () => 1));
}, 60_000);
