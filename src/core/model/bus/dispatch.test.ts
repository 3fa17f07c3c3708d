import { expect, test } from "vitest";
import type { Instant } from "#base";
import { TAINTS } from "../message/taint.ts";
import { derivedProblem } from "./derived.ts";
import { beginsRun, dispatchIdOf, dispatchOf, runOfDispatch } from "./dispatch.ts";
import { parseQueueMessage, queueMessageText } from "./queue-message.ts";

const AT = "2026-11-16T12:00:00.000Z" as Instant;

test("[BUS-01] [BUS-15] the dispatch of a run names it, grants nothing, and has an id that follows from the run", () => {
  const message = dispatchOf({ runId: "run-1", workItemId: "task-1", at: AT, actor: { kind: "terminal" } });
  expect(message).toEqual({
    id: dispatchIdOf("run-1"),
    kind: "system_event",
    sentBy: "runtime",
    scopeId: "owner",
    traceId: "run-1",
    taint: "owner",
    createdAt: AT,
    payload: { event: "run_granted", runId: "run-1", workItemId: "task-1" },
  });
  expect(dispatchOf({ runId: "run-1", workItemId: "task-1", at: AT, actor: { kind: "system" } }).taint).toBe(
    "external",
  );
  const text = queueMessageText(message);
  expect(text.ok && parseQueueMessage(JSON.parse(text.value))).toEqual({ ok: true, value: message });
  expect(runOfDispatch(dispatchIdOf("run-1"))).toBe("run-1");
  expect(runOfDispatch("wake:run-1")).toBeNull();
});

test.each([
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
