import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex, type Sha256Hex } from "#base";
import type { ApprovalStore, AuditLog } from "#ports";
import type { KeptRequest } from "#model";
import { BY, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { openFile, openMemory } from "./approval-world.ts";
import { at, must } from "./journal-fixture.ts";

const SOME = { missed: 5, decided: 5, weighed: 5 };

/** What the chain says about approvals, oldest first. */
async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
  return entries
    .toReversed()
    .map(({ event }) => event)
    .filter((event) => event.startsWith("approval_"));
}

describe.each([
  ["in memory", openMemory],
  ["on disk", () => openFile()],
] as const)("the approval store (%s)", (_name, open) => {
  test("a heading says what a list needs of a request, and holds the projection of a project alone", async () => {
    const { store } = await open();
    const request = requestFor("a");
    must(await store.propose(request));
    const { kind, planHash, card, requestId } = request;
    const own = { kind, planHash, intent: card.intent, projection: null };
    expect(must(await store.headings([requestId]))).toEqual(new Map([[requestId, own]]));
    const projection = JSON.stringify({ id: "b", type: "project" });
    must(await store.propose({ ...requestFor("b"), projection }));
    const both = must(await store.headings(["nobody", "request-b", requestId]));
    expect(both.get("request-b")).toMatchObject({ projection });
    expect(new Set(both.keys())).toEqual(new Set([requestId, "request-b"]));
  });

  test("a request is kept whole, listed by age and recorded", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("late", 5)));
    must(await store.propose(requestFor("early", 1)));
    expect(must(await store.find("request-late"))).toEqual(requestFor("late", 5));
    expect(must(await store.find("request-none"))).toBeNull();
    expect(must(await store.list(["pending"]))).toEqual([requestFor("early", 1), requestFor("late", 5)]);
    expect(must(await store.list(["approved", "declined"]))).toEqual([]);
    expect(await recorded(audit)).toEqual(["approval_requested", "approval_requested"]);
  });

  test("the same plan waits once: asking again answers with the request that waits", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("a")));
    const again = { ...requestFor("a", 3), requestId: "request-other" };
    expect(must(await store.propose(again))).toEqual({ request: requestFor("a"), isNew: false });
    expect(await recorded(audit)).toEqual(["approval_requested"]);
    must(await store.decline({ requestId: "request-a", planHash: again.planHash, at: at(4), actor: BY }));
    expect(must(await store.propose(again))).toEqual({ request: again, isNew: true });
  });

  test("more requests than a person reads are refused, and none is lost silently", async () => {
    const { store } = await open();
    for (let index = 0; index < LIMITS.pendingDecisions; index += 1) {
      must(await store.propose(requestFor(`p${index}`, index)));
    }
    expect(await store.propose(requestFor("more"))).toEqual({
      ok: false,
      error: { code: "too_many_pending", max: LIMITS.pendingDecisions },
    });
    expect(must(await store.list(["pending"]))).toHaveLength(LIMITS.pendingDecisions);
  });

  test("[APPR-11] a key that was revoked after its signature was checked lets nothing begin", async () => {
    const { store, keys, audit } = await open();
    must(await store.propose(requestFor("a")));
    must(await keys.revoke({ keyId: KEY.keyId, at: at(1), actor: BY, lastKey: "revoke" }));
    const spending = spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") });
    expect(await store.spend(spending)).toEqual({ ok: false, error: { code: "key_revoked", keyId: KEY.keyId } });
    const stranger = { ...tokenFor("a"), keyId: "b".repeat(32) as typeof KEY.keyId };
    expect(await store.spend({ ...spending, token: stranger })).toMatchObject({ error: { code: "key_unknown" } });
    expect(must(await store.find("request-a"))).toEqual(requestFor("a"));
    expect(must(await store.findApproval("tok_a"))).toBeNull();
    expect(await recorded(audit)).toEqual(["approval_requested"]);
  });

  test("[FATIGUE-03] the lists are light, in their order, and say when the weighty ones were shown and decided", async () => {
    const { store, clock } = await open();
    const names = ["low", "approved", "declined", "unseen", "late", "again", "waits", "waits-too"];
    const asked = (name: string, minutes = 0): KeptRequest => ({
      ...requestFor(name, minutes),
      riskLevel: name === "low" ? "low" : "medium",
    });
    for (const [index, name] of names.entries()) must(await store.propose(asked(name, index)));
    const decline = async (name: string, minutes: number) => {
      const { requestId, planHash } = requestFor(name);
      must(await store.decline({ requestId, planHash, at: at(minutes), actor: BY }));
    };
    expect(must(await store.countPending())).toBe(names.length);
    for (const name of ["low", "approved", "declined", "late", "again"]) {
      expect(must(await store.activate(`request-${name}`, { at: at(20), expiresAt: at(30) }))).toBe(true);
      expect(must(await store.activate(`request-${name}`, { at: at(21), expiresAt: at(31) }))).toBe(false);
    }
    await decline("low", 22);
    must(
      await store.spend({
        ...spendingFor(tokenFor("approved"), { lineage: "one", request: asked("approved") }),
        at: at(23),
      }),
    );
    await decline("declined", 24);
    await decline("unseen", 25);
    clock.moveTo(30);
    must(await store.propose({ ...requestFor("again", 31), requestId: "request-once-more", againOf: "request-again" }));
    const digest = must(await store.digest({ missed: 5, decided: 3, weighed: 20 }));
    const ids = (rows: readonly { readonly requestId: string }[]) => rows.map(({ requestId }) => requestId.slice(8));
    expect(ids(digest.pending)).toEqual(["waits", "waits-too", "once-more"]);
    expect(ids(digest.missed)).toEqual(["late"]);
    expect(ids(digest.decided)).toEqual(["unseen", "declined", "approved"]);
    expect(digest.weighed).toEqual([
      { activeSince: at(20), decidedAt: at(24) },
      { activeSince: at(20), decidedAt: at(23) },
    ]);
    expect(digest.pending[2]).toEqual({
      requestId: "request-once-more",
      kind: "plan_approval",
      intent: "Tidy the notes",
      riskLevel: "low",
      createdAt: at(31),
      activeSince: null,
      expiresAt: null,
      state: "pending",
      decidedAt: null,
      decidedBy: null,
      againOf: "request-again",
    });
    expect(digest.decided[2]).toMatchObject({ state: "approved", decidedBy: BY, decidedAt: at(23) });
    expect(must(await store.digest({ missed: 0, decided: 1, weighed: 1 }))).toMatchObject({
      missed: [],
      decided: [{ requestId: "request-unseen" }],
      weighed: [{ decidedAt: at(24) }],
    });
    expect(must(await store.countPending())).toBe(3);
  });

  test("time runs from the first showing, and an expiry is nobody's decision", async () => {
    const { store, audit, clock } = await open();
    let told = 0;
    store.onExpired(() => void (told += 1));
    must(await store.propose(requestFor("a")));
    must(await store.propose(requestFor("b", 1)));
    clock.moveTo(10_000);
    expect(must(await store.countPending())).toBe(2);
    clock.moveTo(0);
    must(await store.activate("request-a", { at: at(2), expiresAt: at(7) }));
    must(await store.activate("request-a", { at: at(6), expiresAt: at(11) }));
    expect(must(await store.find("request-a"))).toMatchObject({ activeSince: at(2), expiresAt: at(7) });
    clock.moveTo(6);
    expect(must(await store.countPending())).toBe(2);
    expect(told).toBe(0);
    clock.moveTo(7);
    expect(must(await store.countPending())).toBe(1);
    clock.moveTo(8);
    expect(must(await store.countPending())).toBe(1);
    expect(told).toBe(1);
    const missed = { ...requestFor("a"), activeSince: at(2), expiresAt: at(7), state: "expired", decidedAt: at(7) };
    expect(must(await store.list(["expired"]))).toEqual([missed]);
    expect(await recorded(audit)).toEqual(["approval_requested", "approval_requested", "approval_expired"]);
  });

  test.each<[string, (store: ApprovalStore) => Promise<unknown>]>([
    ["finding one", async (store) => must(await store.find("request-a"))?.state],
    ["listing", async (store) => must(await store.list(["expired"])).map(({ state }) => state)[0]],
    ["counting", async (store) => (must(await store.countPending()) === 0 ? "expired" : "pending")],
    ["the lists", async (store) => (must(await store.digest(SOME)).missed.length === 1 ? "expired" : "pending")],
    [
      "asking about the same plan",
      async (store) => {
        const again = { ...requestFor("a", 6), requestId: "request-again" };
        expect(must(await store.propose(again))).toEqual({ request: again, isNew: true });
        return must(await store.find("request-a"))?.state;
      },
    ],
  ])("%s shows no request as open whose time is over, and records its end", async (_way, look) => {
    const { store, audit, clock } = await open();
    must(await store.propose(requestFor("a")));
    must(await store.activate("request-a", { at: at(0), expiresAt: at(5) }));
    clock.moveTo(5);
    expect(await look(store)).toBe("expired");
    expect(await recorded(audit)).toContain("approval_expired");
  });

  test("a missed request is proposed again once", async () => {
    const { store, clock } = await open();
    must(await store.propose(requestFor("a")));
    must(await store.activate("request-a", { at: at(0), expiresAt: at(5) }));
    clock.moveTo(5);
    expect(must(await store.find("request-a"))).toMatchObject({ state: "expired" });
    const again = { ...requestFor("a", 6), requestId: "again-1", againOf: "request-a" };
    expect(must(await store.propose(again)).isNew).toBe(true);
    must(await store.decline({ requestId: "again-1", planHash: again.planHash, at: at(7), actor: BY }));
    expect(must(await store.propose({ ...again, requestId: "again-2" }))).toMatchObject({
      request: { requestId: "again-1", state: "declined" },
      isNew: false,
    });
  });

  test("a request is decided once, by whoever came first, and only about the plan that was shown", async () => {
    const { store, audit } = await open();
    const request = requestFor("a");
    must(await store.propose(request));
    const made = { requestId: "request-a", planHash: request.planHash, at: at(2), actor: BY } as const;
    const other = "0".repeat(64) as Sha256Hex;
    expect(await store.decline({ ...made, requestId: "none" })).toMatchObject({ error: { code: "request_unknown" } });
    expect(await store.decline({ ...made, planHash: other })).toMatchObject({
      error: { code: "plan_differs", planHash: request.planHash },
    });
    expect(must(await store.decline(made))).toMatchObject({ state: "declined", decidedAt: at(2), decidedBy: BY });
    const decided = { code: "already_decided", state: "declined", decidedAt: at(2), decidedBy: BY };
    expect(await store.decline({ ...made, at: at(3) })).toMatchObject({ error: decided });
    const spending = spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") });
    expect(await store.spend(spending)).toMatchObject({ error: decided });
    expect(must(await store.findApproval("tok_a"))).toBeNull();
    expect(await recorded(audit)).toEqual(["approval_requested", "approval_declined"]);
  });

  test("what is over is not decided, although nobody has noted it yet", async () => {
    const { store } = await open();
    must(await store.propose(requestFor("a")));
    must(await store.activate("request-a", { at: at(0), expiresAt: at(1) }));
    const spending = spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") });
    expect(await store.spend(spending)).toMatchObject({ error: { code: "already_decided", state: "expired" } });
    expect(must(await store.findApproval("tok_a"))).toBeNull();
  });

  test("[APPR-17] a use, its attempt, the closed request and the entry come together, and the token keeps its bytes", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("a")));
    const token = tokenFor("a", 2);
    const use = must(await store.spend(spendingFor(token, { lineage: "one", request: requestFor("a") })));
    expect(use).toEqual({
      nonce: token.nonce,
      useNumber: 1,
      contentHash: token.planHash,
      attemptLineage: "one",
      at: at(1),
    });
    expect(must(await store.find("request-a"))).toMatchObject({ state: "approved", tokenId: "tok_a", decidedBy: BY });
    const second = must(await store.spend(spendingFor(token, { lineage: "two" })));
    expect(must(await store.findApproval("tok_a"))).toEqual({ token, uses: [use, second], isVoid: false });
    expect(await recorded(audit)).toEqual(["approval_requested", "approval_granted", "approval_used"]);
  });

  test("[APPR-18] a refused use changes nothing: no token, no use, no entry, and the request waits on", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("a")));
    const token = tokenFor("a");
    must(await store.spend(spendingFor(token, { lineage: "one" })));
    const before = [await recorded(audit), must(await store.findApproval("tok_a"))];
    expect(await store.spend(spendingFor(token, { lineage: "two", request: requestFor("a") }))).toEqual({
      ok: false,
      error: { code: "uses_exhausted", maxExecutions: 1 },
    });
    for (const changed of [
      { ...token, text: "{}" },
      { ...token, maxExecutions: 9 },
      { ...token, tokenId: "tok_other" },
      { ...token, nonce: sha256Hex("another") },
    ]) {
      expect(await store.spend(spendingFor(changed, { lineage: "two" }))).toMatchObject({
        error: { code: "token_differs" },
      });
    }
    expect([await recorded(audit), must(await store.findApproval("tok_a"))]).toEqual(before);
    expect(must(await store.find("request-a"))).toEqual(requestFor("a"));
  });

  test.each([1, 3])(
    "[APPR-19] [APPR-16] of twenty uses at once exactly %i succeed, twenty times over",
    async (maxExecutions) => {
      const { store } = await open();
      for (let trial = 0; trial < 20; trial += 1) {
        const token = tokenFor(`trial${trial}`, maxExecutions);
        const tries = Array.from({ length: 20 }, (_, index) =>
          store.spend(spendingFor(token, { lineage: `attempt-${trial}-${index}` })),
        );
        const answers = await Promise.all(tries);
        expect(answers.filter(({ ok }) => ok)).toHaveLength(maxExecutions);
        expect(must(await store.findApproval(token.tokenId))?.uses.map(({ useNumber }) => useNumber)).toEqual(
          Array.from({ length: maxExecutions }, (_, index) => index + 1),
        );
      }
    },
  );

  test("[APPR-17] what else a decision gives comes with it: each with its use and attempt, or kept for later, all in order", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("a")));
    const [own, task, standing] = [tokenFor("a"), tokenFor("b"), tokenFor("c", 3)];
    const used = { contentHash: task.planHash, attemptLineage: "two" };
    const also = [
      { token: task, workItemId: "item-b", use: used },
      { token: standing, workItemId: "item-c", use: null },
    ];
    must(await store.spend({ ...spendingFor(own, { lineage: "one", request: requestFor("a") }), also }));
    const kept = must(await store.approvalsOf("request-a"));
    expect(kept.map(({ token }) => token)).toEqual([own, task, standing]);
    expect(kept.map(({ uses }) => uses.map(({ attemptLineage }) => attemptLineage))).toEqual([["one"], ["two"], []]);
    expect(must(await store.find("request-a"))).toMatchObject({ state: "approved", tokenId: "tok_a" });
    expect(must(await store.approvalsOf("request-none"))).toEqual([]);
    expect(await recorded(audit)).toEqual([
      "approval_requested",
      "approval_granted",
      "approval_granted",
      "approval_standing",
    ]);
  });

  test("[APPR-18] when one of several is refused nothing of the decision is kept, and the request waits on", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("a")));
    const spent = tokenFor("b");
    must(await store.spend(spendingFor(spent, { lineage: "zero" })));
    const before = await recorded(audit);
    for (const token of [spent, { ...spent, text: "{}" }, { ...tokenFor("c"), nonce: spent.nonce }]) {
      const also = [
        { token: tokenFor("d"), workItemId: "item-d", use: null },
        { token, workItemId: "item-b", use: { contentHash: token.planHash, attemptLineage: "two" } },
      ];
      const spending = { ...spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") }), also };
      expect((await store.spend(spending)).ok).toBe(false);
    }
    expect(must(await store.find("request-a"))).toEqual(requestFor("a"));
    for (const tokenId of ["tok_a", "tok_d"]) expect(must(await store.findApproval(tokenId))).toBeNull();
    expect(must(await store.approvalsOf("request-a"))).toEqual([]);
    expect(await recorded(audit)).toEqual(before);
  });

  test("[APPR-19] of twenty tasks that use one standing approval at once exactly as many begin as were signed", async () => {
    const { store, audit } = await open();
    must(await store.propose(requestFor("a")));
    const standing = tokenFor("s", 4);
    const also = [{ token: standing, workItemId: "goal", use: null }];
    must(await store.spend({ ...spendingFor(tokenFor("a"), { lineage: "one", request: requestFor("a") }), also }));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.spend({
          ...spendingFor(standing, { lineage: `fix-${index}` }),
          workItemId: `fix-${index}`,
          contentHash: sha256Hex(`task ${index}`),
        }),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(4);
    const uses = must(await store.findApproval(standing.tokenId))?.uses ?? [];
    expect(uses.map(({ useNumber }) => useNumber)).toEqual([1, 2, 3, 4]);
    expect(new Set(uses.map(({ contentHash }) => contentHash)).size).toBe(4);
    const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
    const said = entries.filter(({ event }) => event === "approval_used").map(({ data }) => data["content_hash"]);
    expect(said.toSorted()).toEqual(uses.map(({ contentHash }) => contentHash).toSorted());
  });
});
