import { expect, test } from "vitest";
import { canonicalJson, msOfInstant, sha256Hex, type Sha256Hex } from "#base";
import { authorWords, executionText, planProposalText, type KeptRequest, type PlanProposal } from "#model";
import { isProven, verifyReceipt } from "#policy";
import type { OwnerAnswer } from "#ports";
import { createPageWorld, EXAMPLE as PLAN, TERMINAL as BY } from "./page.fixture.ts";
import { receiptTools } from "./receipt.ts";
import { must } from "../must.fixture.ts";

const ALL = ["tap", "confirm", "slide"] as const;

async function setUp() {
  const { door, keys, ...world } = createPageWorld();
  must(await keys.prepare());
  const propose = async (name: string): Promise<KeptRequest> =>
    must(await door.propose(PLAN.replace("id: task-0190", `id: task-${name}`), BY)).request;
  return { ...world, door, keys, propose };
}

const approving = (request: KeptRequest, change: Partial<OwnerAnswer> = {}): OwnerAnswer => ({
  requestId: request.requestId,
  verdict: "approved",
  shownHash: request.planHash,
  friction: ALL,
  actor: BY,
  ...change,
});

test("an approval without the care its risk demands is refused and recorded, and the request waits on", async () => {
  const { door, propose, events, store } = await setUp();
  const request = await propose("a");
  expect(request.riskLevel).toBe("medium");
  for (const friction of [[], ["tap"], ["confirm"], ["slide", "strong_auth"]] as const) {
    expect(await door.decide(approving(request, { friction }))).toMatchObject({
      error: { code: "decision_friction_missing" },
    });
  }
  expect(must(await store.find(request.requestId))).toEqual(request);
  expect(await events()).toEqual([
    "approval_requested",
    ...Array(4).fill("approval_refused decision_friction_missing"),
  ]);
  expect(await door.decide(approving(request, { friction: ["tap", "confirm"] }))).toMatchObject({ ok: true });
});

test("a decision goes on to its effect after its commit, once; a refused one does not", async () => {
  const { door, propose, settled } = await setUp();
  const [first, second] = [await propose("a"), await propose("b")];
  await door.decide(approving(first, { friction: [] }));
  await door.decide(approving(first, { shownHash: sha256Hex("another") }));
  expect(settled).toEqual([]);
  must(await door.decide(approving(first)));
  await door.decide(approving(first));
  must(await door.decide(approving(second, { verdict: "declined" })));
  expect(settled).toEqual([`${first.requestId} approved`, `${second.requestId} declined`]);
});

test("a plan asks for the secrets it lacks when a person proposes it, and never when a model does", async () => {
  const { door, wanted } = await setUp();
  const step = '{ name: sign, run: "true", credentials: { KEY: { ref: report.key, as: pipe } } }';
  const plan = `---\nid: task-send\ntype: task\ntitle: Send\nsteps:\n  - ${step}\n---\n\n# What to do\n\nSend.\n`;
  must(await door.propose(plan, { kind: "model", taint: "external" }));
  expect(wanted).toEqual([]);
  must(await door.propose(plan, BY));
  expect(wanted).toEqual(["report.key"]);
});

test("only the oldest request is active: the others wait behind it without losing time", async () => {
  const { door, clock, propose } = await setUp();
  const first = await propose("a");
  clock.moveMs(1_000);
  const second = await propose("b");
  clock.moveMs(600_000);
  expect(must(await door.all()).map(({ activeSince }) => activeSince)).toEqual([null, null]);
  expect(must(await door.inbox()).map(({ activeSince }) => activeSince !== null)).toEqual([true, false]);
  clock.moveMs(299_999);
  expect(must(await door.inbox())).toHaveLength(2);
  clock.moveMs(1);
  expect(must(await door.inbox()).map(({ requestId }) => requestId)).toEqual([second.requestId]);
  expect(must(await door.missed()).map(({ requestId }) => requestId)).toEqual([first.requestId]);
  expect(await door.decide(approving(first))).toMatchObject({ error: { code: "already_decided", state: "expired" } });
});

test("what a model wrote stays its, whoever asks about it once more, and its card goes on to say so", async () => {
  const { door, clock } = await setUp();
  const model = { kind: "model", taint: "external" } as const;
  const { request } = must(await door.propose(PLAN, model));
  must(await door.show(request.requestId));
  clock.moveMs(300_000);
  const { request: again } = must(await door.proposeAgain(request.requestId, BY));
  expect(again).toMatchObject({ againOf: request.requestId, proposedBy: model });
  expect(authorWords(again.proposedBy)).toBe("Written by a model that had read text from outside");
  expect(authorWords({ kind: "model", taint: "owner" })).toBe("Written by a model");
  expect(authorWords(BY)).toBeNull();
});

test("only a request that was missed is asked again: one that waits, was decided or is unknown is not", async () => {
  const { door, propose } = await setUp();
  const request = await propose("a");
  expect(await door.proposeAgain(request.requestId, BY)).toMatchObject({
    error: { code: "not_missed", state: "pending" },
  });
  must(await door.decide(approving(request)));
  expect(await door.proposeAgain(request.requestId, BY)).toMatchObject({
    error: { code: "not_missed", state: "approved" },
  });
  expect(await door.proposeAgain("none", BY)).toEqual({
    ok: false,
    error: { code: "request_unknown", requestId: "none" },
  });
  expect(must(await door.all())).toHaveLength(1);
});

test("an answer about another plan, another request or after a decision changes nothing", async () => {
  const { door, propose, events } = await setUp();
  const [a, b] = [await propose("a"), await propose("b")];
  const other = { shownHash: b.planHash };
  expect(await door.decide(approving(a, other))).toMatchObject({ error: { code: "decision_shown_differs" } });
  expect(await door.decide(approving(a, { ...other, verdict: "declined" }))).toMatchObject({
    error: { code: "plan_differs" },
  });
  expect(await door.decide(approving(a, { shownHash: "0".repeat(64) as Sha256Hex }))).toMatchObject({ ok: false });
  expect(await door.decide(approving(a, { requestId: "none" }))).toMatchObject({ error: { code: "request_unknown" } });
  const decided = must(await door.decide(approving(a)));
  expect(decided).toMatchObject({ state: "approved", decidedBy: BY });
  expect(must(await door.show(a.requestId))).toEqual({ ...decided });
  expect(await door.decide(approving(a))).toMatchObject({ error: { code: "already_decided", decidedBy: BY } });
  expect(await door.receipt(b.requestId)).toMatchObject({ error: { code: "not_approved" } });
  expect((await events()).filter((event) => event === "approval_granted")).toHaveLength(1);
});

test("the receipt names the key, the uses and the line of the chain, and stays proven after the key is revoked", async () => {
  const { door, propose, keys, clock } = await setUp();
  const request = await propose("a");
  must(await door.decide(approving(request)));
  clock.moveMs(1_000);
  const [key] = must(await keys.list());
  must(await keys.revoke({ keyId: key?.keyId ?? ("" as never), actor: BY, lastKey: "revoke" }));
  const receipt = must(await door.receipt(request.requestId));
  const checks = verifyReceipt(receipt, receiptTools);
  expect(checks.map(({ outcome }) => outcome)).toEqual(
    checks.map(({ name }) => (name === "execution" ? "absent" : "ok")),
  );
  expect(isProven(checks)).toBe(true);
  expect(JSON.parse(receipt)).toMatchObject({ key: { name: "This machine" }, uses: [{ use_number: 1 }], audit: [{}] });
});

test("records that name each other's requests, or their own, make no receipt, and no search without end", async () => {
  const { door, propose, executions } = await setUp();
  const [a, b] = [await propose("a"), await propose("b")];
  for (const request of [a, b]) must(await door.decide(approving(request)));
  const run = { run_id: "r", work_item_id: "w", token_id: "t", plan_hash: "h", status: "done", is_verified: false };
  const named = (requestId: string) => {
    const decision = { request_id: requestId, operation_id: "o", token_id: "t" };
    const ledger = [{ execution_id: "r.1", run_id: "r", decision }];
    return [
      { record: executionText({ run: { ...run, attempts: 1, results: [] }, ledger }), settlement: null, audit: [] },
    ];
  };
  for (const [first, second] of [
    [a, a],
    [b, a],
  ] as const) {
    executions.set(a.requestId, named(first.requestId));
    executions.set(b.requestId, named(second.requestId));
    expect(await door.receipt(a.requestId)).toEqual({ ok: false, error: { code: "store_corrupt", retryable: false } });
  }
});

test("[APPR-10] a promotion takes the same way as a plan: request, card, signed token, one use, receipt", async () => {
  const { door, events } = await setUp();
  const content = "Meet at nine.";
  const payload = {
    kind: "memory_promotion",
    item_id: "msg-1",
    item_digest: sha256Hex(content),
    content,
    from: "external",
    to: "owner",
  } as const;
  const { request } = must(await door.proposePayload(payload, BY));
  expect(request).toMatchObject({ kind: "memory_promotion", workItemId: "msg-1", riskLevel: "low" });
  expect(must(await door.proposePayload(payload, BY))).toEqual({ request, isNew: false });
  must(await door.decide(approving(request, { friction: ["tap"] })));
  const receipt = must(await door.receipt(request.requestId));
  expect(JSON.parse(receipt)).toMatchObject({
    token: { scope: "memory_promotion", plan_hash: request.planHash, max_executions: 1 },
    uses: [{ content_hash: request.planHash }],
  });
  expect(verifyReceipt(receipt, receiptTools).filter(({ outcome }) => outcome === "failed")).toEqual([]);
  expect(await events()).toEqual(["approval_requested", "approval_granted"]);
});

const PROJECT = `---
id: project-1
type: project
title: Tidy the house
skills: []
tasks: [task-a, task-b]
---

# What to do

Both.
`;
const child = (name: string, lines = "") => `---
id: task-${name}
type: task
title: Task ${name}
steps: [{ name: look, run: "true" }]
${lines}
---

# What to do

Only ${name}.
`;
const proposal = (parts: Partial<PlanProposal>): string =>
  planProposalText({
    plan: PROJECT,
    tasks: [child("a"), child("b", "depends_on: [task-a]")],
    standing: null,
    ...parts,
  });

test("[PROJ-01] one card shows every task of a project whole, and one approval becomes a token for each of them", async () => {
  const { door, store, events } = await setUp();
  const { request } = must(await door.propose(proposal({}), BY));
  const shown = request.card.details.rows.map(({ path, text }) => `${path} ${text}`);
  expect(shown).toContain("/children/0/body \n# What to do\n\nOnly a.\n");
  expect(shown).toContain("/children/1/depends_on/0 task-a");
  expect(request.card.ctas[0]?.consequenceLabel).toBe("Approve with 2 tasks, each for 1 run");
  must(await door.decide(approving(request)));
  const kept = must(await store.approvalsOf(request.requestId));
  const tokens = kept.map(({ token }) => JSON.parse(token.text) as Record<string, unknown>);
  expect(tokens.map((token) => [token["work_item_id"], token["scope"], token["max_executions"]])).toEqual([
    ["project-1", "full_plan", 1],
    ["task-a", "full_plan", 1],
    ["task-b", "full_plan", 1],
  ]);
  const whole = JSON.parse(request.projection) as { readonly children: readonly unknown[] };
  const hashes = whole.children.map((one) => sha256Hex(must(canonicalJson(one))));
  expect(tokens.slice(1).map((token) => token["plan_hash"])).toEqual(hashes);
  expect(kept.map(({ uses }) => uses.map(({ contentHash }) => contentHash))).toEqual([
    [request.planHash],
    ...hashes.map((hash) => [hash]),
  ]);
  expect(await events()).toEqual(["approval_requested", ...Array(3).fill("approval_granted")]);
  const receipt = must(await door.receipt(request.requestId));
  expect(isProven(verifyReceipt(receipt, receiptTools))).toBe(true);
  const body = JSON.parse(receipt) as { also: unknown[] };
  expect(body.also).toHaveLength(2);
});

test("[PROJ-01] a project without one of its tasks, with one too many, or with a task of another is not asked about", async () => {
  const { door } = await setUp();
  const reasonOf = async (parts: Partial<PlanProposal>) => {
    const proposed = await door.propose(proposal(parts), BY);
    return proposed.ok || !("reason" in proposed.error) ? "asked" : proposed.error.reason;
  };
  const [a, b] = [child("a"), child("b")];
  expect(await reasonOf({ tasks: [] })).toBe("task_missing");
  expect(await reasonOf({ tasks: [a] })).toBe("task_missing");
  expect(await reasonOf({ tasks: [a, b, child("c")] })).toBe("task_extra");
  expect(await reasonOf({ tasks: [a, a, b] })).toBe("task_repeated");
  expect(await reasonOf({ tasks: [a, child("b", "parent: project-2")] })).toBe("task_of_another");
  expect(await reasonOf({ tasks: [a, b.replace("type: task", "type: goal\non_failure: spawn_task")] })).toBe(
    "task_is_no_task",
  );
  expect(await reasonOf({ tasks: [a, `${b}\u0000`] })).toBe("nul_character");
  expect(await reasonOf({ plan: PLAN, tasks: [a] })).toBe("tasks_without_project");
  expect(await reasonOf({ tasks: [b, child("a", "parent: project-1")] })).toBe("asked");
});

const GOAL = `---
id: goal-1
type: goal
title: The site is up
schedule: "0 * * * *"
on_failure: spawn_task
failure_context: "Repair.\\n$failed_checks"
verify:
  - { name: up, run: test -s up, expect: { exit_code: 0 } }
---

# What to do

Look.
`;
const TERMS = { max_executions: 20, expires_at: "2026-12-01T00:00:00.000Z" };

test("[APPR-09] a goal that stands shows its uses and its end before it is signed, and keeps a second token unused", async () => {
  const { door, store, events } = await setUp();
  const { request } = must(await door.propose(proposal({ plan: GOAL, tasks: [], standing: TERMS }), BY));
  expect(request.riskLevel).toBe("high");
  expect(request.card.ctas[0]?.consequenceLabel).toBe("Approve, with up to 20 repairs until 2026-12-01 00:00 UTC");
  must(await door.decide(approving(request)));
  const [own, standing, ...more] = must(await store.approvalsOf(request.requestId));
  expect(more).toEqual([]);
  expect([own?.uses.length, standing?.uses.length, standing?.token.maxExecutions]).toEqual([1, 0, 20]);
  expect(JSON.parse(standing?.token.text ?? "")).toMatchObject({
    scope: "standing",
    plan_hash: request.planHash,
    expires_at: TERMS.expires_at,
    conditions: { ...TERMS, friction: [...ALL], spawn_policy_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(await events()).toEqual(["approval_requested", "approval_granted", "approval_standing"]);
  expect(isProven(verifyReceipt(must(await door.receipt(request.requestId)), receiptTools))).toBe(true);
});

test("terms that a plan cannot have are not asked about, and another end is another hash", async () => {
  const { door, clock } = await setUp();
  const reasonOf = async (parts: Partial<PlanProposal>) => {
    const proposed = await door.propose(proposal({ plan: GOAL, tasks: [], standing: TERMS, ...parts }), BY);
    return proposed.ok || !("reason" in proposed.error) ? "asked" : proposed.error.reason;
  };
  expect(await reasonOf({ plan: PLAN })).toBe("standing_without_goal");
  expect(await reasonOf({ plan: GOAL.replace("on_failure: spawn_task", "on_failure: report") })).toBe(
    "standing_without_repair",
  );
  expect(await reasonOf({ standing: { ...TERMS, max_executions: 101 } })).toBe("standing_uses");
  expect(await reasonOf({ standing: { ...TERMS, max_executions: 100 } })).toBe("asked");
  const nowMs = msOfInstant(clock.now());
  for (const [expiresMs, reason] of [
    [nowMs - 1, "standing_over"],
    [nowMs, "standing_over"],
    [nowMs + 1, "asked"],
  ] as const) {
    const standing = { ...TERMS, expires_at: new Date(expiresMs).toISOString() };
    expect([expiresMs - nowMs, await reasonOf({ standing })]).toEqual([expiresMs - nowMs, reason]);
  }
  const hashes = await Promise.all(
    [TERMS, { ...TERMS, max_executions: 21 }, { ...TERMS, expires_at: "2026-12-02T00:00:00.000Z" }].map(
      async (standing) => must(await door.propose(proposal({ plan: GOAL, tasks: [], standing }), BY)).request.planHash,
    ),
  );
  expect(new Set(hashes).size).toBe(3);
  expect(await door.propose('{"plan":"x"}', BY)).toMatchObject({ error: { reason: "unreadable" } });
});
