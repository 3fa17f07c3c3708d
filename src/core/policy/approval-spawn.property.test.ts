import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant, type JsonValue } from "#base";
import {
  approvalTokenSchema,
  approvalTokenToWire,
  toCamel,
  toSnake,
  WORK_ITEM,
  type ApprovalToken,
  type ApprovalUse,
  type WorkItem,
} from "#model";
import { buildSpawnedTask, FILE_ALONE, planBytes, planHash, projectPlan, readSpawn, type PlanFacts } from "#work";
import { accepted, goalFile } from "../../../test/plan-texts.ts";
import { AT, decisionFor, MINT, NONCE, pendingFor, reread, signatureFactOf, signToken } from "./approval.fixture.ts";
import { mintTokens } from "./approval-token.ts";
import { judgeCheck, judgeIssued, judgeVerify, type Presented } from "./approval-verify.ts";
import { exchanged, placesOf, altered } from "./mutation.fixture.ts";

const TERMS = { max_executions: 3, expires_at: "2026-12-15T21:00:00.000Z" };
const FACTS: PlanFacts = { ...FILE_ALONE, standing: TERMS };
const LATER = "2026-11-20T21:10:00.000Z" as Instant;
const goal = accepted(
  goalFile(`
schedule: "0 * * * *"
on_failure: spawn_task
skills: [http-check, notes]
verify:
  - { name: up, run: curl --fail https://a.example, network: true, expect: { exit_code: 0 } }
gates:
  - { name: size, on: on_tool_call, type: numeric_range, extract: size, block: { outside: [0, 9] }, on_block: quiet }
escalation:
  quiet: { action: report }
failure_context: "Repair.\\n$failed_checks\\n"
`),
).item;
const pending = pendingFor(JSON.parse(planBytes(projectPlan(goal, FACTS))));
const { item: task } = buildSpawnedTask({
  goal,
  taskId: "task-fix-1",
  failed: [{ name: "up", output: "refused" }],
  skills: goal.skills,
  at: LATER,
});

const minted = mintTokens({ ...MINT, decision: decisionFor(pending), pending, nonces: [NONCE, "6f".repeat(32)] });
const [own, standing] = minted.ok ? minted.value.map(signToken) : [];
if (own === undefined || standing === undefined) throw new Error("two tokens");

type Asked = { readonly goal?: WorkItem; readonly task?: WorkItem } & Partial<Presented>;
/** As the shell would present it: every fact is taken from the goal and the task as they are now. */
const present = ({ goal: of = goal, task: made = task, ...rest }: Asked = {}): Presented => ({
  token: standing,
  signature: signatureFactOf(rest.token ?? standing),
  item: { workItemId: of.id, contentHash: planHash(projectPlan(of, FACTS)) },
  scope: "standing",
  spawn: readSpawn({ goal: of, task: made, facts: FACTS }),
  at: LATER,
  uses: [],
  lineage: "attempt-1",
  isVoid: false,
  ...rest,
});
const verified = (asked: Asked = {}): string => {
  const answer = judgeVerify(present(asked));
  return answer.ok ? "valid" : answer.error.code;
};
const checked = (asked: Asked = {}): string => {
  const taskHash = planHash(projectPlan(asked.task ?? task, FILE_ALONE));
  const use = { nonce: standing.nonce, useNumber: 1, contentHash: taskHash, attemptLineage: "attempt-1", at: LATER };
  const answer = judgeCheck(present({ uses: [use], ...asked }));
  return answer.ok ? "valid" : answer.error.code;
};

describe("a standing approval", () => {
  test("[APPR-13] verifies for the goal that was approved and the task that goal makes, and binds the use to the task", () => {
    const answer = judgeVerify(present());
    expect(answer).toMatchObject({ ok: true, value: { useNumber: 1, contentHash: present().spawn?.taskHash } });
    expect(verified({ goal: { ...goal, title: "Another" } })).toBe("approval_hash_differs");
    expect(verified({ goal: { ...goal, id: "goal-2" } })).toBe("approval_item_differs");
    expect(verified({ task: { ...task, parent: "goal-2" } })).toBe("approval_spawn_parent_differs");
    expect(verified({ task: { ...task, parent: null } })).toBe("approval_spawn_parent_differs");
    expect(verified({ task: { ...task, body: "Delete everything." } })).toBe("approval_spawn_differs");
    const spawn = present().spawn;
    if (spawn === null) throw new Error("a task");
    expect(verified({ spawn: { ...spawn, policyHash: sha256Hex("another") } })).toBe("approval_spawn_policy_differs");
    expect(verified({ spawn: { ...spawn, builtHash: null } })).toBe("approval_spawn_differs");
  });

  test("[NONCE-04] a use that was granted for one task of a goal cannot be replayed for another task of the same goal", () => {
    const { item: second } = buildSpawnedTask({
      goal,
      taskId: "task-fix-2",
      failed: [{ name: "up", output: "timed out" }],
      skills: goal.skills,
      at: LATER,
    });
    const granted = judgeVerify(present());
    if (!granted.ok) throw new Error("granted");
    expect(granted.value.contentHash).toBe(planHash(projectPlan(task, FILE_ALONE)));
    // Both tasks are the goal's own, so that nothing but the use tells them apart.
    expect([verified({ task }), verified({ task: second })]).toEqual(["valid", "valid"]);
    expect(checked({ uses: [granted.value] })).toBe("valid");
    expect(checked({ uses: [granted.value], task: second })).toBe("approval_lineage_differs");
    const plain = judgeVerify({
      ...present(),
      token: own,
      signature: signatureFactOf(own),
      scope: own.scope,
      spawn: null,
      at: AT,
    });
    expect(plain).toMatchObject({ ok: true, value: { contentHash: pending.planHash } });
  });

  test("[APPR-14] does not verify without a task, and no other approval verifies with one", () => {
    expect(judgeVerify(present({ spawn: null }))).toEqual({
      ok: false,
      error: { code: "approval_spawn_missing", check: "binding" },
    });
    expect(checked({ spawn: null })).toBe("approval_spawn_missing");
    expect(verified({ token: own, signature: signatureFactOf(own), at: AT })).toBe("approval_spawn_unexpected");
  });

  test("[APPR-22] checks again from the goal: the same task goes on, another task, parent, goal or policy does not", () => {
    expect(checked()).toBe("valid");
    expect(checked({ task: { ...task, parent: "goal-2" } })).toBe("approval_spawn_parent_differs");
    expect(checked({ task: { ...task, body: "Delete everything." } })).toBe("approval_spawn_differs");
    expect(checked({ goal: { ...goal, failureContext: "Else. $failed_checks" } })).toBe("approval_hash_differs");
    const { item: later } = buildSpawnedTask({ goal, taskId: "task-fix-2", failed: [], skills: [], at: LATER });
    expect(checked({ task: later, uses: [] })).toBe("approval_not_granted");
    const use = {
      nonce: standing.nonce,
      useNumber: 1,
      contentHash: sha256Hex("x"),
      attemptLineage: "attempt-1",
      at: LATER,
    };
    expect(checked({ task: later, uses: [use] })).toBe("approval_lineage_differs");
  });

  test("[APPR-16] is used as often as was signed, each time for a task of its own, and not after its end", () => {
    const uses: ApprovalUse[] = [];
    for (let cycle = 1; cycle <= 5; cycle += 1) {
      const failed = [{ name: "up", output: `failure ${cycle}` }];
      const { item } = buildSpawnedTask({ goal, taskId: `task-fix-${cycle}`, failed, skills: [], at: LATER });
      const answer = judgeVerify(present({ task: item, uses, lineage: `attempt-${cycle}` }));
      expect(answer.ok).toBe(cycle <= TERMS.max_executions);
      if (answer.ok) uses.push(answer.value);
    }
    expect(new Set(uses.map(({ contentHash }) => contentHash)).size).toBe(3);
    expect(verified({ at: TERMS.expires_at as Instant })).toBe("approval_expired");
  });

  test("is kept only on the terms the goal asks for", () => {
    const issued = { token: standing, signature: "valid", item: present().item, at: AT, scope: "standing" } as const;
    const asked = { ...TERMS, spawn_policy_hash: present().spawn?.policyHash ?? "" };
    expect(judgeIssued({ ...issued, conditions: asked }).ok).toBe(true);
    for (const change of [
      { max_executions: 4 },
      { expires_at: "2027-12-15T21:00:00.000Z" },
      { spawn_policy_hash: "0" },
    ]) {
      expect(judgeIssued({ ...issued, conditions: { ...asked, ...change } }).ok).toBe(false);
    }
    expect(judgeIssued({ ...issued, token: own, conditions: {} }).ok).toBe(false);
  });
});

const seeds = fc.tuple(fc.nat(), fc.nat());
const wireOf = (item: WorkItem) => toSnake(WORK_ITEM, item) as { readonly [field: string]: JsonValue };
const RUNTIME = new Set([
  "approval_token",
  "status",
  "attempts",
  "budget_used",
  "verification_results",
  "created_at",
  "needs_approval",
]);

/** The item with one of its values exchanged, or null when that is no item or changes nothing. */
function mutated(item: WorkItem, [where, seed]: readonly [number, number]): WorkItem | null {
  const wire = wireOf(item);
  const places = placesOf(wire).filter(([field]) => !RUNTIME.has(field ?? ""));
  const changed = exchanged(wire, places[where % places.length] ?? [], (old) => altered(old, seed));
  if (JSON.stringify(changed) === JSON.stringify(wire)) return null;
  try {
    const made = toCamel(WORK_ITEM, changed) as WorkItem;
    // What has no bytes is no plan: a repository that is a number, say.
    planHash(projectPlan(made, FILE_ALONE));
    return JSON.stringify(wireOf(made)) === JSON.stringify(wire) ? null : made;
  } catch {
    return null;
  }
}

describe("one thing changed anywhere", () => {
  test("[INV-02] [GOAL-09] in the spawned task: neither verify nor check passes, but for the name of the task", () => {
    let judged = 0;
    fc.assert(
      fc.property(seeds, (pick) => {
        const other = mutated(task, pick);
        if (other === null || JSON.stringify({ ...other, id: task.id }) === JSON.stringify(task)) return;
        const isOtherOutput =
          readSpawn({ goal, task: other, facts: FACTS }).builtHash === planHash(projectPlan(other, FILE_ALONE));
        // Another output between the marks is another failure of the same goal: a new use, never the granted one.
        expect(verified({ task: other }) === "valid").toBe(isOtherOutput);
        const taskHash = planHash(projectPlan(task, FILE_ALONE));
        const use = {
          nonce: standing.nonce,
          useNumber: 1,
          contentHash: taskHash,
          attemptLineage: "attempt-1",
          at: LATER,
        };
        expect(judgeCheck(present({ task: other, uses: [use] })).ok).toBe(false);
        if (!isOtherOutput) judged += 1;
      }),
      { numRuns: 120 },
    );
    expect(judged).toBeGreaterThan(40);
  });

  test("[INV-02] in the goal: the approval of it is void", () => {
    let judged = 0;
    fc.assert(
      fc.property(seeds, (pick) => {
        const other = mutated(goal, pick);
        if (other === null) return;
        judged += 1;
        expect(verified({ goal: other })).not.toBe("valid");
        expect(checked({ goal: other })).not.toBe("valid");
        // Also when the task is built afresh from the changed goal.
        const again = buildSpawnedTask({ goal: other, taskId: "task-fix-1", failed: [], skills: [], at: LATER });
        expect(verified({ goal: other, task: again.item })).not.toBe("valid");
      }),
      { numRuns: 100 },
    );
    expect(judged).toBeGreaterThan(30);
  });

  test("[INV-02] [APPR-05] in the standing token: it neither verifies nor checks", () => {
    let judged = 0;
    fc.assert(
      fc.property(seeds, ([where, seed]) => {
        const wire = approvalTokenToWire(standing) as { readonly [field: string]: JsonValue };
        const places = placesOf(wire);
        const changed = exchanged(wire, places[where % places.length] ?? [], (old) => altered(old, seed));
        const read = approvalTokenSchema.safeParse(changed);
        if (!read.success || JSON.stringify(changed) === JSON.stringify(wire)) return;
        judged += 1;
        const token: ApprovalToken = read.data;
        expect(verified({ token })).not.toBe("valid");
        const taskHash = planHash(projectPlan(task, FILE_ALONE));
        const use = { nonce: token.nonce, useNumber: 1, contentHash: taskHash, attemptLineage: "attempt-1", at: LATER };
        expect(judgeCheck(present({ token, uses: [use] })).ok).toBe(false);
      }),
      { numRuns: 100 },
    );
    expect(judged).toBeGreaterThan(30);
    expect(verified({ token: reread(standing) })).toBe("valid");
  });
});
