import { describe, expect, test } from "vitest";
import { LIMITS, type Sha256Hex } from "#base";
import type { KeptRequest } from "#model";
import { isProven, verifyReceipt } from "#policy";
import { answerOf, createPageWorld, DELETION, EXAMPLE, signaturesOf, TERMINAL, type Device } from "./page.fixture.ts";
import { receiptTools } from "./receipt.ts";
import { must } from "../must.fixture.ts";

type World = ReturnType<typeof createPageWorld>;

async function setUp() {
  const world = createPageWorld();
  const [phone, laptop] = [await world.signIn("phone"), await world.signIn("laptop")];
  const { request } = must(await world.door.propose(EXAMPLE, TERMINAL));
  return { ...world, phone, laptop, request };
}

const prepared = async ({ door }: Pick<World, "door">, device: Device, request: KeptRequest) =>
  must(await door.prepareApproval(answerOf(device, request)));

async function approve(world: Pick<World, "door">, device: Device, request: KeptRequest) {
  const minted = await prepared(world, device, request);
  return world.door.completeApproval(signaturesOf(device, request.requestId, minted));
}

test("[KEY-06] [FLOW-18] [APPR-06] the engine mints and verifies, the browser alone signs, and the receipt shows what was done", async () => {
  const world = await setUp();
  const { door, phone, request, registry, events, audit } = world;
  must(await door.show(request.requestId));
  const minted = await prepared(world, phone, request);
  expect(minted).toMatchObject({ tokens: [{ keyId: phone.key.keyId, verdict: "approved" }], passkey: null });
  expect(minted.tokens[0]).not.toHaveProperty("signature");
  expect(minted.tokens[0]?.conditions).toEqual({ friction: ["tap", "confirm"] });
  expect(must(await registry.list()).every(({ kind }) => kind === "browser")).toBe(true);
  const approved = must(await door.completeApproval(signaturesOf(phone, request.requestId, minted)));
  const decidedBy = { kind: "owner", session_id: phone.sessionId };
  expect(approved).toMatchObject({ state: "approved", decidedBy, tokenId: minted.tokens[0]?.tokenId });
  expect(await events()).toEqual(["approval_requested", "approval_granted"]);
  const [granted] = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 1 }));
  expect(granted?.data).toMatchObject({ friction: ["tap", "confirm"], key_id: phone.key.keyId });
  expect(await events("key_used")).toHaveLength(1);
  expect(must(await registry.find(phone.key.keyId))?.lastUsedAt).not.toBeNull();
  const receipt = must(await door.receipt(request.requestId));
  expect(isProven(verifyReceipt(receipt, receiptTools))).toBe(true);
  expect(JSON.parse(receipt)).toMatchObject({
    key: { kind: "browser", name: "phone" },
    token: { conditions: { friction: ["tap", "confirm"] } },
  });
});

describe("refused before anything is minted, and recorded", () => {
  const refusals: readonly [string, (world: Awaited<ReturnType<typeof setUp>>) => object, string][] = [
    ["less care than the risk demands", () => ({ friction: ["tap"] }), "decision_friction_missing"],
    [
      "strong proof that nothing proves",
      () => ({ friction: ["tap", "confirm", "strong_auth"] }),
      "decision_strong_auth_unproven",
    ],
    ["another plan than was shown", () => ({ shownHash: "0".repeat(64) as Sha256Hex }), "decision_shown_differs"],
    ["the key of another device", ({ laptop }) => ({ keyId: laptop.key.keyId }), "device_key_differs"],
    ["a key nobody enrolled", () => ({ keyId: "0".repeat(32) }), "key_unknown"],
  ];
  test.each(refusals)("[FLOW-05] %s", async (_name, change, code) => {
    const world = await setUp();
    const { door, phone, request, store, events } = world;
    const answer = { ...answerOf(phone, request), ...change(world) };
    expect(await door.prepareApproval(answer)).toMatchObject({ error: { code } });
    expect(must(await store.find(request.requestId))).toEqual(request);
    expect(await events()).toEqual(["approval_requested", `approval_refused ${code}`]);
    expect(await approve(world, phone, request)).toMatchObject({ ok: true });
  });

  test("an unknown request mints nothing, and neither does one that is over", async () => {
    const { door, phone, request, clock, events } = await setUp();
    const unknown = { ...answerOf(phone, request), requestId: "none" };
    expect(await door.prepareApproval(unknown)).toMatchObject({ error: { code: "request_unknown" } });
    must(await door.show(request.requestId));
    clock.moveMs(300_000);
    expect(await door.prepareApproval(answerOf(phone, request))).toMatchObject({
      error: { code: "already_decided", state: "expired", decidedBy: null },
    });
    expect(await events()).toEqual(["approval_requested", "approval_expired", "approval_refused already_decided"]);
  });
});

describe("refused when it is signed, without effect, and recorded", () => {
  type Wrong = (world: Awaited<ReturnType<typeof setUp>>, signed: ReturnType<typeof signaturesOf>) => object;
  const wrongs: readonly [string, Wrong, string][] = [
    ["no signature of the token", () => ({ signatures: [] }), "signatures_differ"],
    [
      "the same signature twice",
      (_world, { signatures }) => ({ signatures: [...signatures, ...signatures] }),
      "signatures_differ",
    ],
    [
      "a token that was not minted",
      (_world, { signatures }) => ({ signatures: signatures.map((one) => ({ ...one, tokenId: "tok_other" })) }),
      "signatures_differ",
    ],
    [
      "one byte of the signature changed",
      (_world, { signatures }) => ({
        signatures: signatures.map(({ tokenId, signature }) => ({
          tokenId,
          signature: signature.map((byte, index) => (index === 7 ? byte ^ 1 : byte)),
        })),
      }),
      "approval_signature_invalid",
    ],
    ["another session", ({ laptop }) => ({ sessionId: laptop.sessionId }), "mint_missing"],
  ];
  test.each(wrongs)("[FLOW-05] %s", async (_name, change, code) => {
    const world = await setUp();
    const { door, phone, request, store, events } = world;
    const signed = signaturesOf(phone, request.requestId, await prepared(world, phone, request));
    expect(await door.completeApproval({ ...signed, ...change(world, signed) })).toMatchObject({ error: { code } });
    expect(must(await store.find(request.requestId))).toEqual(request);
    expect(await events()).toEqual(["approval_requested", `approval_refused ${code}`]);
    expect(await events("key_used")).toEqual([]);
    expect(world.settled).toEqual([]);
    expect(must(await door.completeApproval(signed)).state).toBe("approved");
    expect(world.settled).toEqual([`${request.requestId} approved`]);
  });

  test("a signature over the token of another request, or by the key of another device", async () => {
    const world = await setUp();
    const { door, phone, laptop, request } = world;
    const other = must(await door.propose(EXAMPLE.replace("id: task-0190", "id: task-other"), TERMINAL)).request;
    const [one, two] = [await prepared(world, phone, request), await prepared(world, phone, other)];
    const foreign = signaturesOf(phone, other.requestId, two).signatures;
    const swapped = foreign.map(({ signature }) => ({ tokenId: one.tokens[0]?.tokenId ?? "", signature }));
    const signed = signaturesOf(phone, request.requestId, one);
    expect(await door.completeApproval({ ...signed, signatures: swapped })).toMatchObject({
      error: { code: "approval_signature_invalid" },
    });
    const byLaptop = { ...signaturesOf(laptop, request.requestId, one), sessionId: phone.sessionId };
    expect(await door.completeApproval(byLaptop)).toMatchObject({ error: { code: "approval_signature_invalid" } });
  });

  test("[APPR-11] a key that was revoked, or whose device was signed out, since the token was minted", async () => {
    for (const end of ["key", "session"] as const) {
      const world = await setUp();
      const { door, phone, request, registry, sessions, clock, store } = world;
      const signed = signaturesOf(phone, request.requestId, await prepared(world, phone, request));
      const by = { at: clock.now(), actor: TERMINAL };
      if (end === "key") must(await registry.revoke({ keyId: phone.key.keyId, lastKey: "revoke", ...by }));
      else must(await sessions.revoke(phone.sessionId, by));
      expect(await door.completeApproval(signed)).toMatchObject({ error: { code: "key_revoked" } });
      expect(must(await store.find(request.requestId))).toEqual(request);
    }
  });

  test("a plan that was swapped between the token and the signature", async () => {
    const world = await setUp();
    const { phone, request, store } = world;
    const signed = signaturesOf(phone, request.requestId, await prepared(world, phone, request));
    const find = store.find;
    const changes = [
      [{ markdown: EXAMPLE.replace("Write nothing else.", "Write everything else.") }, "approval_hash_differs"],
      [{ projection: request.projection.replace("Write nothing", "Write everything") }, "decision_changed"],
      [{ planHash: "0".repeat(64) as Sha256Hex }, "decision_changed"],
    ] as const;
    for (const [change, code] of changes) {
      store.find = async (requestId) => ({
        ok: true,
        value: { ...must(await find(requestId)), ...change } as KeptRequest,
      });
      expect(await world.door.completeApproval(signed), code).toMatchObject({ error: { code } });
    }
    store.find = find;
    expect((await world.door.completeApproval(signed)).ok).toBe(true);
  });

  test("what was minted too long ago, before a restart, or before another mint", async () => {
    const world = await setUp();
    const { door, open, phone, request, clock } = world;
    const { requestId } = request;
    const first = signaturesOf(phone, requestId, await prepared(world, phone, request));
    const second = signaturesOf(phone, requestId, await prepared(world, phone, request));
    expect(await door.completeApproval(first)).toMatchObject({ error: { code: "signatures_differ" } });
    clock.moveMs(LIMITS.mintedTtlMs);
    expect(await door.completeApproval(second)).toMatchObject({ error: { code: "mint_missing" } });
    const third = signaturesOf(phone, requestId, await prepared(world, phone, request));
    const restarted = { door: open() };
    expect(await restarted.door.completeApproval(third)).toMatchObject({ error: { code: "mint_missing" } });
    expect(await approve(restarted, phone, request)).toMatchObject({ ok: true });
  });
});

test("[RISK-08] an irreversible act needs the passkey that can be asked, whatever the page claims, and its strength stays tap", async () => {
  const world = await setUp();
  const { door, passkeys, phone } = world;
  passkeys.isAvailable = true;
  const { request } = must(await door.proposePayload(DELETION, TERMINAL));
  expect(request.riskLevel).toBe("irreversible");
  const answer = answerOf(phone, request, { friction: ["tap", "slide"] });
  const minted = must(await door.prepareApproval(answer));
  expect(minted.passkey).not.toBeNull();
  expect(minted.tokens[0]).toMatchObject({
    approvalStrength: "tap",
    conditions: { friction: ["tap", "slide", "strong_auth"] },
  });
  const signed = signaturesOf(phone, request.requestId, minted);
  expect(await door.completeApproval({ ...signed, assertion: null })).toMatchObject({
    error: { code: "passkey_missing" },
  });
  const stale = signaturesOf(phone, request.requestId, must(await door.prepareApproval(answer)));
  expect(await door.completeApproval({ ...stale, assertion: signed.assertion })).toMatchObject({
    error: { code: "passkey_refused", reason: "challenge_differs" },
  });
  expect(must(await door.completeApproval(stale)).state).toBe("approved");
  expect((await world.events()).filter((event) => event.startsWith("approval_refused"))).toEqual([
    "approval_refused passkey_missing",
    "approval_refused passkey_refused",
  ]);
});

test("[RISK-02] without any passkey tap and slide are still demanded of an irreversible act", async () => {
  const world = await setUp();
  const { request } = must(await world.door.proposePayload(DELETION, TERMINAL));
  for (const friction of [["tap"], ["tap", "confirm"], ["slide"]] as const) {
    expect(await world.door.prepareApproval(answerOf(world.phone, request, { friction }))).toMatchObject({
      error: { code: "decision_friction_missing" },
    });
  }
  const minted = must(await world.door.prepareApproval(answerOf(world.phone, request, { friction: ["tap", "slide"] })));
  expect(minted.passkey).toBeNull();
  expect((await world.door.completeApproval(signaturesOf(world.phone, request.requestId, minted))).ok).toBe(true);
});

test("[WEB-06] of two devices that answer one request exactly one decides, and the other is told where", async () => {
  const world = await setUp();
  const { door, phone, laptop, request } = world;
  const [one, two] = [await prepared(world, phone, request), await prepared(world, laptop, request)];
  const answers = await Promise.all([
    door.completeApproval(signaturesOf(phone, request.requestId, one)),
    door.completeApproval(signaturesOf(laptop, request.requestId, two)),
    door.decide({
      requestId: request.requestId,
      verdict: "declined",
      shownHash: request.planHash,
      friction: [],
      actor: { kind: "owner", session_id: laptop.sessionId },
    }),
  ]);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.error]));
  expect(refused.map(({ code }) => code)).toEqual(["already_decided", "already_decided"]);
  expect(await approve(world, phone, request).catch((error: Error) => error.message)).toContain("already_decided");
});

test("[APPR-19] of twenty taps at once exactly one approves", async () => {
  const world = await setUp();
  for (let trial = 0; trial < 5; trial += 1) {
    const markdown = EXAMPLE.replace("id: task-0190", `id: task-trial-${trial}`);
    const { request } = must(await world.door.propose(markdown, TERMINAL));
    const signed = signaturesOf(world.phone, request.requestId, await prepared(world, world.phone, request));
    const taps = Array.from({ length: 20 }, () => world.door.completeApproval(signed));
    expect((await Promise.all(taps)).filter(({ ok }) => ok)).toHaveLength(1);
  }
  expect(must(await world.store.list(["approved"]))).toHaveLength(5);
});

test("two hundred plans at once fill the queue and no more, and none of them is lost silently", async () => {
  const world = await setUp();
  const asked = Array.from({ length: 200 }, (_, index) =>
    world.door.propose(EXAMPLE.replace("id: task-0190", `id: task-flood-${index}`), TERMINAL),
  );
  const answers = await Promise.all(asked);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(LIMITS.pendingDecisions - 1);
  expect(answers.flatMap((answer) => (answer.ok ? [] : [answer.error]))).toEqual([
    { code: "too_many_pending", max: LIMITS.pendingDecisions },
  ]);
  const summary = must(await world.door.summary());
  expect(summary.pending).toHaveLength(LIMITS.pendingDecisions);
  expect(summary.isDense).toBe(true);
  expect((await world.events()).filter((event) => event === "approval_requested")).toHaveLength(
    LIMITS.pendingDecisions,
  );
});

test("[FATIGUE-03] the summary starts no clock, and says how fast the last weighty decisions were", async () => {
  const world = await setUp();
  const { door, clock, phone } = world;
  expect(must(await door.summary())).toMatchObject({
    pending: [{ activeSince: null, expiresAt: null, intent: "Run: Gather this week's notes into one page" }],
    fatigue: { medianMs: null, decisions: 0, isFast: false },
    isDense: false,
  });
  clock.moveMs(3_600_000);
  expect(must(await door.summary()).pending).toHaveLength(1);
  for (const [index, ms] of [400, 700, 90_000].entries()) {
    const { request } = must(await door.propose(EXAMPLE.replace("id: task-0190", `id: task-fast-${index}`), TERMINAL));
    must(await door.show(request.requestId));
    clock.moveMs(ms);
    expect((await approve(world, phone, request)).ok).toBe(true);
  }
  expect(must(await door.summary())).toMatchObject({
    fatigue: { medianMs: 700, decisions: 3, isFast: true },
    decided: [{ state: "approved" }, { state: "approved" }, { state: "approved" }],
  });
});

test("a mint waits for its signature until there is no more room: then the oldest is forgotten", async () => {
  const world = await setUp();
  const { door, phone, laptop } = world;
  const mintOnBoth = async (index: number) => {
    const { request } = must(await door.propose(EXAMPLE.replace(/^id: .*$/m, `id: task-${index}`), TERMINAL));
    const { requestId } = request;
    const first = signaturesOf(phone, requestId, await prepared(world, phone, request));
    return { first, second: signaturesOf(laptop, requestId, await prepared(world, laptop, request)) };
  };
  const oldest = await mintOnBoth(0);
  const next = await mintOnBoth(1);
  for (let index = 2; index < LIMITS.mintedApprovals / 2; index += 1) await mintOnBoth(index);
  must(await door.completeApproval(oldest.first));
  for (const index of [1, 2]) await mintOnBoth(LIMITS.mintedApprovals + index);
  expect((await door.completeApproval(next.first)).ok).toBe(false);
});
