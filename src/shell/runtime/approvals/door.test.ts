import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sha256Hex, type Sha256Hex } from "#base";
import { parseYaml } from "#config";
import type { KeptRequest } from "#model";
import { createAuditRules, isProven, verifyReceipt } from "#policy";
import type { OwnerAnswer } from "#ports";
import { createSeeded, createVirtualClock } from "#sim";
import { createMemoryApprovalStore, createMemoryAuditLog, createMemoryKeyRegistry, createMemoryVault } from "#stores";
import { NO_PASSKEYS } from "../devices/no-passkeys.ts";
import { createApprovalsDoor } from "./door.ts";
import { receiptTools } from "./receipt.ts";
import { createKeysDoor } from "../keys/door.ts";
import { createSigner } from "../keys/signer.ts";

const PLAN = readFileSync(new URL("../../../../docs/examples/tidy-notes.md", import.meta.url), "utf8");
const BY = { kind: "terminal" } as const;
const ALL = ["tap", "confirm", "slide"] as const;

async function setUp() {
  const clock = createVirtualClock(1_794_729_600_000);
  const { log: audit, recordAct } = createMemoryAuditLog(createAuditRules(sha256Hex));
  const parts = {
    clock,
    randomness: createSeeded(1),
    vault: createMemoryVault(),
    registry: createMemoryKeyRegistry(recordAct),
  };
  const signer = createSigner(parts);
  const keys = createKeysDoor({ ...parts, signer });
  must(await keys.prepare());
  const store = createMemoryApprovalStore(recordAct, parts.registry);
  const settings = {
    timeoutMs: 300_000,
    ttlMs: 1_800_000,
    maxExecutions: 1,
    standingUsesMax: 100,
    fatigueDecisions: 20,
  };
  const door = createApprovalsDoor({
    ...parts,
    signer,
    store,
    audit,
    passkeys: NO_PASSKEYS,
    readYaml: parseYaml,
    settings,
  });
  const propose = async (name: string): Promise<KeptRequest> =>
    must(await door.propose(PLAN.replace("id: task-0190", `id: task-${name}`), BY)).request;
  const events = async (): Promise<readonly string[]> =>
    must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 }))
      .toReversed()
      .map(({ event, data }) => (event === "approval_refused" ? `${event} ${String(data["reason"])}` : event))
      .filter((event) => event.startsWith("approval_"));
  return { clock, door, store, keys, propose, events };
}

function must<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
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
  expect(checks.map(({ outcome }) => outcome)).toEqual(checks.map(() => "ok"));
  expect(isProven(checks)).toBe(true);
  expect(JSON.parse(receipt)).toMatchObject({ key: { name: "This machine" }, uses: [{ use_number: 1 }], audit: [{}] });
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
  expect(verifyReceipt(receipt, receiptTools).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  expect(await events()).toEqual(["approval_requested", "approval_granted"]);
});
