import { expect, test } from "vitest";
import type { Instant } from "#base";
import { TAINTS } from "../message/taint.ts";
import { derivedProblem } from "./derived.ts";
import { beginsRun, decidedIdOf, decidedOf } from "./decided.ts";
import { parseQueueMessage, queueMessageText } from "./queue-message.ts";

const AT = "2026-11-16T12:00:00.000Z" as Instant;

const MADE = { requestId: "request-1", kind: "plan_approval", at: AT, actor: { kind: "terminal" } } as const;

test("[BUS-01] [BUS-15] a decision names its request and the run it lets begin, grants nothing, and has an id that follows from them", () => {
  const run = { runId: "run-1", workItemId: "task-1" };
  const message = decidedOf({ ...MADE, run });
  expect(message).toEqual({
    id: decidedIdOf("run-1"),
    kind: "decided",
    sentBy: "runtime",
    scopeId: "owner",
    traceId: "run-1",
    taint: "owner",
    createdAt: AT,
    payload: { requestId: "request-1", kind: "plan_approval", runId: "run-1", workItemId: "task-1" },
  });
  expect(decidedOf({ ...MADE, run, actor: { kind: "system" } }).taint).toBe("external");
  const declined = decidedOf(MADE);
  expect(declined).toMatchObject({ id: decidedIdOf("request-1"), traceId: "request-1" });
  expect(declined.payload).toEqual({ requestId: "request-1", kind: "plan_approval" });
  for (const one of [message, declined]) {
    const text = queueMessageText(one);
    expect(text.ok && parseQueueMessage(JSON.parse(text.value))).toEqual({ ok: true, value: one });
  }
});

const COUNTS = { max_attempts: 1, max_cost_usd: 1, max_planner_calls: 1, max_tokens: 1, max_wall_time_seconds: 1 };
/** As little as a plan holds, in the order of its canonical text. */
const PLAN = {
  budget: COUNTS,
  capabilities: { commands: [], files: [], hosts: [], secret_refs: [] },
  executor_kind: "steps",
  id: "task-1",
  skill_digests: [],
  tasks: [],
  title: "Tidy",
  type: "task",
  verify: [],
};

test.each([
  ["plan_approval", PLAN, true],
  ["plan_approval", { ...PLAN, executor_kind: "model" }, true],
  ["plan_approval", { ...PLAN, executor_kind: null }, false],
  ["plan_approval", { executor_kind: "steps" }, true],
  ["plan_approval", { executor_kind: null }, false],
  ["plan_approval", null, false],
  ["batch_review", { action: "move_files" }, true],
  ["batch_review", { action: "archive" }, false],
  ["memory_promotion", { executor_kind: "steps", action: "move_files" }, false],
] as const)("what approving a %s of %j begins", (kind, projection, isSo) => {
  expect(beginsRun({ kind: kind as "plan_approval", projection: JSON.stringify(projection) })).toBe(isSo);
  expect(beginsRun({ kind: kind as "plan_approval", projection: "{" })).toBe(false);
});

test("[BUS-08] [BUS-09] what follows from a message has its trace, and is trusted at most as far", () => {
  for (const from of TAINTS) {
    for (const made of TAINTS) {
      const isRaised = TAINTS.indexOf(made) < TAINTS.indexOf(from);
      const problem = derivedProblem({ traceId: "t", taint: from }, { traceId: "t", taint: made });
      expect(problem).toEqual(isRaised ? { code: "trust_raised" } : null);
      expect(derivedProblem({ traceId: "t", taint: from }, { traceId: "u", taint: made })).toEqual({
        code: "trace_differs",
      });
    }
  }
});
