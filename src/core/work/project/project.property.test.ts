import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import type { BudgetUsed, RunRecord, RunStatus } from "#model";
import { mergeBudgets } from "./budget.ts";
import { decideProject, usedBy, type ProjectFacts, type ProjectPlan, type ProjectTurn } from "./decide.ts";
import { orderTasks, type TaskNode } from "./order.ts";

const AT = "2026-11-16T02:00:00.000Z" as Instant;
const BUDGET = { maxTokens: 1e9, maxCostUsd: 1e9, maxWallTimeSeconds: 1e9, maxAttempts: 5, maxPlannerCalls: 3 };
const NONE: BudgetUsed = { tokens: 0, costUsd: 0, wallTimeSeconds: 0, attempts: 0, plannerCalls: 0, executorRuns: 0 };

/** Tasks that depend on earlier ones only, then listed in any order. */
const withoutCircle = fc
  .array(fc.record({ on: fc.array(fc.nat(20), { maxLength: 3 }), after: fc.option(fc.nat(20)) }), { maxLength: 8 })
  .chain((shapes) => {
    const tasks = shapes.map(({ on, after }, at): TaskNode => {
      const earlier = (index: number): readonly string[] => (at === 0 ? [] : [`task-${index % at}`]);
      const dependsOn = [...new Set(on.flatMap(earlier))];
      return { id: `task-${at}`, dependsOn, followUpOf: after === null ? null : (earlier(after)[0] ?? "elsewhere") };
    });
    return fc.shuffledSubarray(tasks, { minLength: tasks.length, maxLength: tasks.length });
  });

test("[PROJ-01] every task comes after all it waits for, each exactly once, and in the same order every time", () => {
  fc.assert(
    fc.property(withoutCircle, (tasks) => {
      const order = orderTasks(tasks);
      if (!order.ok) throw new Error("there is no circle");
      expect([...order.value].toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
      const place = new Map(order.value.map((id, at) => [id, at]));
      for (const { id, dependsOn, followUpOf } of tasks) {
        const before = [...dependsOn, followUpOf ?? ""].filter((other) => place.has(other));
        expect(before.every((other) => (place.get(other) ?? 0) < (place.get(id) ?? 0))).toBe(true);
      }
      expect(orderTasks(tasks)).toEqual(order);
    }),
    { numRuns: 200 },
  );
});

test("[PROJ-02] whatever closes a circle or names a task that is not there gives no order, and is named", () => {
  fc.assert(
    fc.property(withoutCircle, fc.nat(), (tasks, pick) => {
      const order = orderTasks(tasks);
      if (!order.ok || tasks.length < 2) return;
      const [first, last] = [order.value[0] ?? "", order.value.at(-1) ?? ""];
      const chained = tasks.map((task) => {
        const before = order.value[order.value.indexOf(task.id) - 1];
        return { ...task, dependsOn: task.id === first ? [last] : before === undefined ? [] : [before] };
      });
      const circle = orderTasks(chained);
      if (circle.ok) throw new Error("there is a circle");
      expect(circle.error.code).toBe("dependency_circle");
      expect([...circle.error.ids].toSorted()).toEqual([...order.value].toSorted());
      const at = pick % tasks.length;
      const unknown = tasks.map((task, index) => (index === at ? { ...task, dependsOn: ["nobody"] } : task));
      expect(orderTasks(unknown)).toEqual({ ok: false, error: { code: "dependency_unknown", ids: ["nobody"] } });
      const plan: ProjectPlan = { tasks: chained, verify: [], budget: BUDGET };
      expect(decideProject({ plan, runs: new Map(), ownUse: NONE, isCancelled: false })).toMatchObject({
        kind: "end",
        status: "blocked",
        error: expect.stringContaining(first),
        left: chained.map(({ id }) => id),
      });
    }),
    { numRuns: 200 },
  );
});

const ENDS: readonly RunStatus[] = ["done", "stuck", "blocked", "cancelled", "in_doubt"];

function record(workItemId: string, over: Partial<RunRecord>): RunRecord {
  return {
    runId: `run-${workItemId}`,
    workItemId,
    tokenId: "token",
    planHash: sha256Hex("plan"),
    status: "running",
    isVerified: false,
    isPausing: false,
    attempts: 1,
    budgetUsed: NONE,
    lastError: null,
    results: [],
    artifacts: {},
    startedAt: AT,
    endedAt: null,
    ...over,
  };
}

/** Plays a project in which every task ends as the world has it; what is kept is read afresh before each turn. */
function play(plan: ProjectPlan, ends: ReadonlyMap<string, RunStatus>) {
  const runs = new Map<string, RunRecord>();
  const begun: string[] = [];
  for (let turns = 0; turns < 100; turns += 1) {
    const turn: ProjectTurn = decideProject({ plan, runs, ownUse: NONE, isCancelled: false });
    if (turn.kind !== "run_task") return { turn, begun, runs };
    const { taskId } = turn;
    if (!runs.has(taskId)) begun.push(taskId);
    // A crash in the midst of it: the task is taken up again, and nothing else begins meanwhile.
    if (!runs.has(taskId)) runs.set(taskId, record(taskId, {}));
    else runs.set(taskId, record(taskId, { status: ends.get(taskId) ?? "done", endedAt: AT, lastError: "why" }));
  }
  throw new Error("a project does not end");
}

test("[PROJ-03] [PROJ-04] a task begins only when all it waits for are done, the first that is not done ends the project, and no later one begins", () => {
  const world = withoutCircle.chain((tasks) =>
    fc.tuple(fc.constant(tasks), fc.array(fc.constantFrom(...ENDS), { minLength: 8, maxLength: 8 })),
  );
  fc.assert(
    fc.property(world, ([tasks, statuses]) => {
      const plan: ProjectPlan = { tasks, verify: [], budget: BUDGET };
      const ends = new Map(tasks.map(({ id }, at) => [id, statuses[at] ?? "done"]));
      const { turn, begun, runs } = play(plan, ends);
      const order = orderTasks(tasks);
      if (!order.ok || turn.kind !== "end") throw new Error("it ends");
      const at = order.value.findIndex((id) => ends.get(id) !== "done");
      const culprit = order.value[at];
      expect(begun).toEqual(culprit === undefined ? order.value : order.value.slice(0, at + 1));
      const failed = ends.get(culprit ?? "") === "stuck" ? "failed" : "blocked";
      expect(turn.status).toBe(culprit === undefined ? "done" : failed);
      expect(turn.error ?? "").toContain(culprit ?? "");
      expect(turn.isVerified).toBe(false);
      expect([...turn.left].toSorted()).toEqual(culprit === undefined ? [] : order.value.slice(at + 1).toSorted());
      expect([...runs.keys()]).toEqual(begun);
    }),
    { numRuns: 200 },
  );
});

const figures = fc.record({
  tokens: fc.nat(1e6),
  costUsd: fc.nat(1e9).map((n) => n / 1e6),
  wallTimeSeconds: fc.double({ min: 0, max: 1e5, noNaN: true }),
  attempts: fc.nat(99),
  plannerCalls: fc.nat(99),
  executorRuns: fc.nat(99),
});

test("[BUD-04] uses add up in every figure, whatever the order, and a project's use is its own and that of all its tasks", () => {
  fc.assert(
    fc.property(fc.array(figures, { minLength: 1, maxLength: 8 }), fc.nat(), figures, (uses, seed, own) => {
      const total = uses.reduce(mergeBudgets, own);
      const turned = [...uses.slice(seed % uses.length), ...uses.slice(0, seed % uses.length)];
      expect(turned.reduceRight(mergeBudgets, own)).toEqual(total);
      const runs = new Map(uses.map((budgetUsed, at) => [`t${at}`, record(`t${at}`, { budgetUsed })]));
      const facts: Pick<ProjectFacts, "ownUse" | "runs"> = { ownUse: own, runs };
      expect(usedBy(facts)).toEqual(mergeBudgets(NONE, total));
      expect(total.attempts).toBe(uses.reduce((sum, { attempts }) => sum + attempts, own.attempts));
      expect(total.executorRuns).toBe(uses.reduce((sum, { executorRuns }) => sum + executorRuns, own.executorRuns));
    }),
    { numRuns: 200 },
  );
});

test("a project whose own budget is used up begins no further task", () => {
  const tasks = ["a", "b"].map((id) => ({ id, dependsOn: [], followUpOf: null }));
  const budgetUsed = { ...NONE, wallTimeSeconds: 10 };
  const runs = new Map([["a", record("a", { status: "done", endedAt: AT, budgetUsed })]]);
  const plan = { tasks, verify: [], budget: { ...BUDGET, maxWallTimeSeconds: 10 } };
  expect(decideProject({ plan, runs, ownUse: NONE, isCancelled: false })).toMatchObject({
    status: "stuck",
    left: ["b"],
  });
});
