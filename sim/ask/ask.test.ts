import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleOf } from "../../test/depth.ts";
import { canonicalJson, sha256Hex } from "#base";
import { planProposalText, runLine, type KeptRequest } from "#model";
import { verifyReceipt } from "#policy";
import type { Sandboxes } from "#ports";
import { receiptTools } from "#runtime";
import { answerTo, BY, countRows, TIMEOUT_MS } from "../approval-world.ts";
import { cutAsking } from "./ask-cuts.ts";
import { grantPlan, playSandboxes, type Working } from "../work-world.ts";
import { becomes, inSceneOf, onlyRequest, runOf, waitsFor, type Scene } from "./scene.fixture.ts";

/** Its second step pays more than goes without asking. */
const PAY = `---
id: task-pay
type: task
title: Pay the rent
budget: { max_attempts: 2 }
gates:
  - { name: cap, on: on_tool_call, extract: content, type: numeric_range, auto_approve: { min: 0, max: 50 }, require_approval: { min: 50, max: 500 } }
steps:
  - { name: note, tool: file_write, args: { path: note.txt, content: "10" } }
  - { name: pay, tool: file_write, args: { path: paid.txt, content: "120" } }
---

# What to do

Pay it.
`;

/** What each step was given to write. */
const writing = (root: string, given: string[]): Sandboxes =>
  playSandboxes(root, ({ stdin }) => {
    given.push((JSON.parse(String(stdin)) as { args: { content: string } }).args.content);
    return 0;
  });
const inScene = (look: (scene: Scene, again: () => Promise<Scene>) => Promise<void>): Promise<void> =>
  inSceneOf({ seed: 7, sandboxes: writing }, look);

const waits = (scene: Scene, text = PAY): ReturnType<typeof waitsFor> => waitsFor(scene, text);
async function decide(scene: Working, request: KeptRequest, verdict: "approved" | "declined"): Promise<unknown> {
  const decided = await scene.trust.approvals.decide(answerTo(request, verdict));
  scene.review.changed();
  return decided.ok ? decided.value.state : decided.error.code;
}

test("[WORK-24] a gate that asks holds the step until the owner has signed exactly that call; then it runs once, on a token of its own", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waits(scene);
    expect(scene.given).toEqual(["10"]);
    expect(request).toMatchObject({
      kind: "step_approval",
      riskLevel: "medium",
      card: { intent: "Let step 2 run: pay" },
    });
    const rows = new Map(request.card.details.rows.map(({ path, text }) => [path, text]));
    expect(rows.get("/asked_by/0/gate")).toBe("cap");
    expect(rows.get("/asked_by/0/value")).toBe("120");
    expect(rows.get("/tool")).toBe("file_write");
    expect(rows.get("/args/content")).toBe("120");
    expect(await decide(scene, request, "approved")).toBe("approved");
    await becomes(scene, runId, "done");
    expect(scene.given).toEqual(["10", "120"]);
    const [kept, ...others] = await approvalsOf(scene, request.requestId);
    expect(others).toEqual([]);
    expect(kept?.uses).toHaveLength(1);
    const token = JSON.parse(kept?.token.text ?? "") as Record<string, unknown>;
    expect(token).toMatchObject({ scope: "single_step", plan_hash: request.planHash, max_executions: 1 });
    const shown = await scene.work.show(runId);
    const decision = shown.ok ? shown.value.ledger[1]?.decision : undefined;
    expect(decision).toEqual({
      requestId: request.requestId,
      operationId: token["work_item_id"],
      tokenId: kept?.token.tokenId,
    });
    expect(kept?.uses[0]?.attemptLineage).toBe(token["work_item_id"]);
    expect(await decide(scene, request, "approved")).toBe("already_decided");
    expect(failedIn(await receiptOf(scene, request.requestId))).toEqual([]);
  });
});

test("the receipt of the plan holds the approval of the step, and shows when it is taken away, exchanged or of another step", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waits(scene);
    await decide(scene, request, "approved");
    await becomes(scene, runId, "done");
    const shown = await scene.work.show(runId);
    const receipt = await receiptOf(scene, shown.ok ? shown.value.requestId : "");
    expect(failedIn(receipt)).toEqual([]);
    const body = JSON.parse(receipt) as Body;
    expect(body.decisions?.map((one) => (JSON.parse(one) as Body).token)).toMatchObject([{ scope: "single_step" }]);
    const own = body.decisions?.[0] ?? "";
    const changes: readonly (readonly [Partial<Body>, string])[] = [
      [{ decisions: undefined }, "decision_missing"],
      [{ decisions: [own, own] }, "decision_added"],
      [{ decisions: [receipt] }, "decision_of_another_step"],
      [{ decisions: [own.replace('attempt\\":1', 'attempt\\":2')] }, "decision_unproven"],
      [{ executions: undefined, audit: null }, "decision_added"],
    ];
    for (const [change, reason] of changes) {
      const { digest: _old, ...changed } = { ...body, ...change };
      const sealed = sealedAgain(changed);
      expect(failedIn(sealed), reason).toContain(`execution: ${reason}`);
    }
  });
});

type Body = {
  readonly token: { readonly scope: string };
  readonly decisions?: readonly string[] | undefined;
  readonly executions?: readonly unknown[] | undefined;
  readonly audit: unknown;
  readonly digest: string;
};
/** As somebody would who mends the digest. */
function sealedAgain(body: object): string {
  const plain = canonicalJson(JSON.parse(JSON.stringify(body)));
  const digest = plain.ok ? sha256Hex(plain.value) : "";
  const text = canonicalJson({ ...(JSON.parse(JSON.stringify(body)) as object), digest });
  return text.ok ? `${text.value}\n` : "";
}

async function approvalsOf({ trust }: Working, requestId: string) {
  const found = await trust.stores.approvals.approvalsOf(requestId);
  return found.ok ? found.value : [];
}
async function receiptOf({ trust }: Working, requestId: string): Promise<string> {
  const receipt = await trust.approvals.receipt(requestId);
  if (!receipt.ok) throw new Error(receipt.error.code);
  return receipt.value;
}
const failedIn = (receipt: string): readonly string[] =>
  verifyReceipt(receipt, receiptTools).flatMap(({ name, outcome, reason }) =>
    outcome === "failed" ? [`${name}: ${reason}`] : [],
  );

test("[WORK-24] blocked, the step does not run and the run ends with the gate's name", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waits(scene);
    expect(await decide(scene, request, "declined")).toBe("declined");
    await becomes(scene, runId, "blocked");
    expect((await runOf(scene, runId)).lastError).toBe("Step pay was not run: gate cap asked you, and you blocked it");
    expect(scene.given).toEqual(["10"]);
  });
});

test("[WORK-24] not decided in time, nothing runs, it is missed and no decline, and asking again asks for the plan", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waits(scene);
    scene.world.clock.moveMs(TIMEOUT_MS + 1);
    scene.review.changed();
    await becomes(scene, runId, "blocked");
    expect((await runOf(scene, runId)).lastError).toContain("it was not decided in time");
    expect(scene.given).toEqual(["10"]);
    const missed = await scene.trust.approvals.missed();
    expect(missed.ok && missed.value.map(({ requestId }) => requestId)).toEqual([request.requestId]);
    const again = await scene.trust.approvals.proposeAgain(request.requestId, BY);
    expect(again).toMatchObject({ value: { request: { kind: "plan_approval", againOf: request.requestId } } });
  });
});

test("[WORK-24] a restart finds it waiting for the same request, and what was approved then runs once", async () => {
  await inScene(async (scene, again) => {
    const { runId, request } = await waits(scene);
    const next = await again();
    await next.work.start();
    await becomes(next, runId, "waiting");
    expect((await onlyRequest(next)).requestId).toBe(request.requestId);
    expect(await decide(next, request, "approved")).toBe("approved");
    await becomes(next, runId, "done");
    expect(next.given).toEqual(["10", "10", "120"]);
    const last = await again();
    await last.work.start();
    expect(await runOf(last, runId)).toMatchObject({ status: "done" });
    expect(last.given).toEqual(["10", "10", "120"]);
  });
});

test("an approval given while nothing runs takes effect at the next start", async () => {
  await inScene(async (scene, again) => {
    const { runId, request } = await waits(scene);
    const next = await again();
    expect(await decide(next, request, "approved")).toBe("approved");
    expect((await runOf(next, runId)).status).toBe("pending");
    const [waiting, pending] = [
      await next.work.list({ status: "waiting" }),
      await next.work.list({ status: "pending" }),
    ];
    expect(waiting).toEqual({ ok: true, value: [] });
    expect(pending.ok && pending.value.map(runLine)).toEqual(["Decided, waits to go on"]);
    await next.work.start();
    await becomes(next, runId, "done");
    expect(next.given).toEqual(["10", "10", "120"]);
  });
});

test("stopping a run that waits takes its card away, whether something drives it or not", async () => {
  await inScene(async (scene, again) => {
    const { runId, request } = await waits(scene);
    expect(await scene.work.cancel(runId, BY)).toMatchObject({ value: { status: "cancelled" } });
    expect(await decide(scene, request, "approved")).toBe("already_decided");
    const second = await waits(scene);
    const next = await again();
    expect(await next.work.cancel(second.runId, BY)).toMatchObject({ value: { status: "cancelled" } });
    const inbox = await next.trust.approvals.inbox();
    expect(inbox).toMatchObject({ value: [] });
    expect(next.given).toEqual(["10", "10"]);
  });
});

test("a stop of everything takes nothing from a run that waits: approved meanwhile, it goes on in its workspace and asks nothing again", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waits(scene);
    expect(await scene.work.stops.stop(BY)).toMatchObject({ value: { ended: 0 } });
    expect(await decide(scene, request, "approved")).toBe("approved");
    expect(await runOf(scene, runId)).toMatchObject({ status: "pending" });
    await scene.work.stops.startAgain(BY);
    await becomes(scene, runId, "done");
    expect(await runOf(scene, runId)).toMatchObject({ attempts: 1 });
    expect(scene.given).toEqual(["10", "120"]);
  });
});

test("[WORK-13] [WORK-24] a decision lets a run go on whose own approval expired while it waited", async () => {
  await inScene(async (scene) => {
    const runId = await grantPlan(scene, PAY);
    scene.world.clock.moveMs(28 * 60_000);
    await scene.work.start();
    await becomes(scene, runId, "waiting");
    scene.world.clock.moveMs(3 * 60_000);
    expect(await decide(scene, await onlyRequest(scene), "approved")).toBe("approved");
    await becomes(scene, runId, "done");
    expect(scene.given).toEqual(["10", "120"]);
  });
});

test("an approval that ended or whose row was changed before the step began begins nothing", async () => {
  await inScene(async (scene, again) => {
    const { runId, request } = await waits(scene);
    const next = await again();
    expect(await decide(next, request, "approved")).toBe("approved");
    next.world.clock.moveMs(1_800_001);
    await next.work.start();
    await becomes(next, runId, "blocked");
    expect((await runOf(next, runId)).lastError).toContain("it has expired");
    // Nothing of the attempt is repeated either.
    expect(next.given).toEqual(["10"]);
  });
});

test("[WORK-24] asking, each answer and a stop may be cut at any statement: nothing is asked twice, nothing runs without its answer, and what was asked about is done at most once", async () => {
  const { states } = await cutAsking(13, (all) => sampleOf(all, 4));
  expect(states).toBeGreaterThan(30);
});

test("every decision spends one use of each of its tokens by being taken, whatever it is about, and nothing that runs afterwards spends another", async () => {
  await inScene(async (scene) => {
    const task = (id: string): string => PAY.replace("id: task-pay", `id: ${id}`);
    const plan =
      "---\nid: project-one\ntype: project\ntitle: All of it\ntasks: [task-one, task-two]\n---\n\n# What to do\n\nBoth.\n";
    const project = planProposalText({ plan, tasks: [task("task-one"), task("task-two")], standing: null });
    const runIds = [await grantPlan(scene, PAY), await grantPlan(scene, project)];
    // One for the plan; one for the project and one for each of its tasks.
    expect(usesIn(scene)).toBe(4);
    await scene.work.start();
    for (let asked = 1; asked <= 3; asked += 1) {
      await expect.poll(async () => (await pendingOf(scene)).length).toBeGreaterThan(0);
      const [request] = await pendingOf(scene);
      if (request === undefined) throw new Error("a step asks");
      const before = usesIn(scene);
      expect(await decide(scene, request, "approved")).toBe("approved");
      expect(usesIn(scene)).toBe(before + 1);
    }
    for (const runId of runIds) await becomes(scene, runId, "done");
    expect(usesIn(scene)).toBe(4 + 3);
    const kept = await scene.trust.stores.approvals.list(["approved"]);
    for (const { requestId } of kept.ok ? kept.value : []) {
      const approvals = await approvalsOf(scene, requestId);
      expect(approvals.map(({ uses }) => uses.length)).toEqual(approvals.map(() => 1));
      expect(failedIn(await receiptOf(scene, requestId))).toEqual([]);
    }
  });
});

async function pendingOf({ trust }: Working): Promise<readonly KeptRequest[]> {
  const pending = await trust.approvals.inbox();
  return pending.ok ? pending.value : [];
}
const usesIn = ({ world }: Scene): number => countRows(join(world.root, "data")).uses;
