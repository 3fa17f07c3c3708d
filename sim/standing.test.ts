import { expect, test } from "vitest";
import { planProposalText } from "#model";
import { inWorld } from "./disk-run.ts";
import { answer, approve, chainOf, cyclesOf, goalText, openGoals, setClock, type GoalWorld } from "./goals.fixture.ts";

const BY = { kind: "terminal" } as const;
const STANDING = { max_executions: 5, expires_at: "2026-12-01T00:00:00.000Z" };

async function eventsOf(silas: GoalWorld, event: string) {
  return (await chainOf(silas)).filter((entry) => entry.event === event);
}

const madePages = ({ sandboxes }: GoalWorld): number => sandboxes.ran.filter((line) => line === "make page").length;

async function revokeKeys({ trust, world }: GoalWorld): Promise<void> {
  const listed = await trust.stores.keys.list();
  for (const { keyId } of listed.ok ? listed.value : []) {
    await trust.stores.keys.revoke({ keyId, at: world.clock.now(), actor: BY, lastKey: "revoke" });
  }
}

test("[FATIGUE-01] a goal with an approval that stands asks once and never per cycle; each repair verifies it anew, and stops when it no longer holds", () =>
  inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    const silas = await openGoals(world);
    await silas.work.start();
    await approve(silas, goalText({ standing: STANDING }));
    for (let broken = 1; broken <= 3; broken += 1) {
      silas.page.isThere = false;
      await silas.pass(10);
      expect(madePages(silas)).toBe(broken);
      const used = await eventsOf(silas, "approval_used");
      expect(used.map(({ data }) => data["use_number"])).toEqual([1, 2, 3].slice(0, broken));
    }
    // The one request is that for the goal itself.
    expect(await eventsOf(silas, "approval_requested")).toHaveLength(1);
    expect(await silas.trust.approvals.inbox()).toEqual({ ok: true, value: [] });
    // Two uses are left and the time is not over: nothing but the check before each use can find this.
    await revokeKeys(silas);
    silas.page.isThere = false;
    await silas.pass(10);
    expect(madePages(silas)).toBe(3);
    expect(await eventsOf(silas, "approval_used")).toHaveLength(3);
    await silas.close();
  }));

test("[WORK-14] entering a repair only checks the standing approval: every attempt of it rests on the one use of its start", () =>
  inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    const page = { isThere: true, canBeRepaired: false };
    const silas = await openGoals(world, { page });
    await silas.work.start();
    await approve(silas, goalText({ standing: STANDING }).replace("max_attempts: 1", "max_attempts: 3"));
    page.isThere = false;
    await silas.pass(1);
    const [cycle] = await cyclesOf(silas);
    const run = await silas.trust.stores.work.find(cycle?.repair?.runId ?? "");
    expect(run).toMatchObject({ ok: true, value: { attempts: 3 } });
    const used = (await eventsOf(silas, "approval_used")).filter(
      ({ data }) => data["lineage_id"] === cycle?.repair?.runId,
    );
    expect(used.map(({ data }) => data["use_number"])).toEqual([1]);
    await silas.close();
  }));

const TASK = `---
id: task-page
type: task
title: Make the page
needs_approval: false
steps:
  - { name: write, run: make page }
---

Make the page.
`;

test("[FLOW-09] nothing runs without a decision of its own but the repair that Silas itself builds, on a standing approval it verified", () =>
  inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    const silas = await openGoals(world);
    await silas.work.start();
    const goal = goalText({ lines: `needs_approval: false\n${LINES}`, standing: STANDING });
    for (const text of [planProposalText({ plan: TASK, tasks: [], standing: null }), goal]) {
      const proposed = await silas.trust.approvals.propose(text, BY);
      expect(proposed).toMatchObject({ ok: true, value: { request: { state: "pending" } } });
    }
    await silas.pass(10);
    expect(silas.sandboxes.ran).toEqual([]);
    await approve(silas, goal);
    silas.page.isThere = false;
    await silas.pass(1);
    const [cycle] = await cyclesOf(silas);
    const [used] = await eventsOf(silas, "approval_used");
    const run = await silas.trust.stores.work.find(cycle?.repair?.runId ?? "");
    expect(run).toMatchObject({ value: { status: "done", tokenId: used?.data["token_id"] } });
    expect(cycle?.repair).toMatchObject({ requestId: null, taskHash: used?.data["content_hash"] });
    // The task that says of itself that it needs no approval waits on.
    await silas.pass(10);
    const waiting = await silas.trust.stores.approvals.list(["pending"]);
    const [task] = waiting.ok ? waiting.value : [];
    expect(task).toMatchObject({ workItemId: "task-page" });
    expect(madePages(silas)).toBe(1);
    if (task !== undefined) await answer(silas, { request: task, verdict: "declined" });
    await silas.close();
  }));

const LINES = `on_failure: spawn_task
steps:
  - { name: write, run: make page }`;
