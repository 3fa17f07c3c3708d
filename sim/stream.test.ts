import { expect, test } from "vitest";
import type { Gate } from "#model";
import { inWorld } from "./disk-run.ts";
import {
  approvePlan,
  lookAt,
  openConversation,
  OWNER,
  say,
  STRANGER,
  toldOf,
  type Conversation,
} from "./conversation.fixture.ts";

const BY = { kind: "terminal" } as const;

type Shop = { readonly id?: string; readonly word?: string; readonly more?: string; readonly lane?: string };

/** A goal of the conversation: no message holds a certain word, and no reply an address. */
const shop = ({ id = "goal-shop", word = "discount", more = "", lane = "stream" }: Shop = {}): string => `---
id: ${id}
type: goal
title: Mind the shop
agent: ${lane}
gates:
  - { name: no-${word}, on: every_user_message, type: regex, config: { pattern: "[^%]*" } }
  - { name: no-secrets, on: every_agent_response, provider: guardrails_ai, check: secrets }
${more}---

# What to do

Answer politely.
`;

const LEVELS = `access_levels:
  public: { description: anybody, tools: [greet] }
`;

const inConversation = (look: (silas: Conversation) => Promise<void>): Promise<void> =>
  inWorld(5, async (world) => {
    const silas = await openConversation(world);
    try {
      await look(silas);
    } finally {
      await silas.close();
    }
  });

const passes = async (silas: Conversation): Promise<boolean> => (await say(silas, "50% off")).state === "accepted";

test("[WORK-06] an approved stream item is in force for messages and replies, and nothing of it is ever run", () =>
  inConversation(async (silas) => {
    await silas.work.start();
    expect(await passes(silas)).toBe(true);
    await approvePlan(silas, shop({ more: LEVELS }));
    expect(await say(silas, "50% off")).toMatchObject({ state: "blocked", gate: "no-discount" });
    expect(await say(silas, "hello")).toMatchObject({ state: "accepted", level: "owner" });
    expect(await say(silas, "hello", STRANGER)).toMatchObject({ state: "accepted", level: "public" });
    expect(await toldOf(silas, "gates_passed")).not.toEqual([]);
    expect(await toldOf(silas, "stream_")).toEqual(["stream_loaded goal-shop"]);
    // Neither a run nor a step nor a sandbox comes of it.
    expect(await silas.work.list()).toEqual({ ok: true, value: [] });
    expect([silas.sandboxes.opened(), await toldOf(silas, "run_")]).toEqual([0, []]);
    const shown = await silas.work.goals.show("goal-shop");
    expect(shown.ok && shown.value.stream).toEqual({
      state: "in_force",
      words: "In force for messages",
      gates: [
        { name: "no-discount", on: "every_user_message" },
        { name: "no-secrets", on: "every_agent_response" },
      ],
      levels: ["public"],
      mode: "confirm_only_when_required",
    });
  }));

test("[WORK-06] before it is approved, when it is declined and when nobody decides, it is not in force", () =>
  inConversation(async (silas) => {
    const { approvals } = silas.trust;
    const proposed = await approvals.propose(shop(), BY);
    if (!proposed.ok) throw new Error("it is proposed");
    const { requestId, planHash: shownHash } = proposed.value.request;
    expect(await passes(silas)).toBe(true);
    const answer = { requestId, shownHash, friction: ["tap", "confirm", "slide"], actor: BY } as const;
    expect((await approvals.decide({ ...answer, verdict: "declined" })).ok).toBe(true);
    expect(await passes(silas)).toBe(true);
    const again = await approvals.propose(shop(), BY);
    if (!again.ok) throw new Error("it is proposed");
    await approvals.show(again.value.request.requestId);
    silas.world.clock.moveMs(300_001);
    const late = await approvals.decide({ ...answer, requestId: again.value.request.requestId, verdict: "approved" });
    expect(late.ok).toBe(false);
    expect([await passes(silas), await toldOf(silas, "stream_")]).toEqual([true, []]);
  }));

test("[WORK-06] one is in force: the one that was approved last, and taking that out brings no earlier one back", () =>
  inConversation(async (silas) => {
    await approvePlan(silas, shop({ id: "goal-one", word: "one" }));
    await lookAt(silas);
    silas.world.clock.moveMs(1_000);
    await approvePlan(silas, shop({ id: "goal-two", word: "two" }));
    expect(await say(silas, "50% off")).toMatchObject({ gate: "no-two" });
    await silas.work.goals.pause("goal-two", BY);
    expect(await passes(silas)).toBe(true);
    const listed = await silas.work.goals.list();
    expect(listed.ok && listed.value.map(({ goalId, stream }) => [goalId, stream?.words])).toEqual([
      ["goal-one", "Not in force for messages: what was approved after it took its place"],
      ["goal-two", "Not in force for messages: it is paused"],
    ]);
    await silas.work.goals.resume("goal-two", BY);
    expect(await passes(silas)).toBe(false);
    silas.world.clock.moveMs(1_000);
    // The same goal anew, with other words.
    await approvePlan(silas, shop({ id: "goal-two", word: "three" }));
    expect(await say(silas, "50% off")).toMatchObject({ gate: "no-three" });
    expect(await toldOf(silas, "stream_")).toEqual([
      "stream_loaded goal-one",
      "stream_replaced goal-two goal-one",
      "stream_taken_out goal-two paused",
      "stream_loaded goal-two",
      "stream_replaced goal-two goal-two",
    ]);
  }));

test("[WORK-06] a goal that only has checks, though it is always on, takes the place of none", () =>
  inConversation(async (silas) => {
    await approvePlan(silas, shop());
    silas.world.clock.moveMs(1_000);
    const checks = `---
id: goal-page
type: goal
title: Keep the page
schedule: always_on
verify:
  - { name: page, run: look, expect: { exit_code: 0 } }
---

Keep it.
`;
    await approvePlan(silas, checks);
    expect(await passes(silas)).toBe(false);
    const shown = await silas.work.goals.show("goal-page");
    expect(shown.ok && shown.value.stream).toBeNull();
    // Approved anew for a sandbox of its own, it says nothing about messages any more.
    silas.world.clock.moveMs(1_000);
    await approvePlan(silas, shop({ lane: "ephemeral" }));
    expect(await passes(silas)).toBe(true);
    expect(await toldOf(silas, "stream_")).toEqual(["stream_loaded goal-shop", "stream_taken_out goal-shop replaced"]);
  }));

test("[WORK-06] a stop of everything and a revoked key take it out, and a start brings it back", () =>
  inConversation(async (silas) => {
    await approvePlan(silas, shop());
    expect(await passes(silas)).toBe(false);
    await silas.work.stops.stop(BY);
    expect(await passes(silas)).toBe(true);
    await silas.work.stops.startAgain(BY);
    expect(await passes(silas)).toBe(false);
    const { keys } = silas.trust.stores;
    const listed = await keys.list();
    for (const { keyId } of listed.ok ? listed.value : []) {
      await keys.revoke({ keyId, at: silas.world.clock.now(), actor: BY, lastKey: "revoke" });
    }
    expect(await passes(silas)).toBe(true);
    expect(await toldOf(silas, "stream_")).toEqual([
      "stream_loaded goal-shop",
      "stream_taken_out goal-shop stopped",
      "stream_loaded goal-shop",
      "stream_taken_out goal-shop key_revoked",
    ]);
  }));

test("[WORK-06] it is in force after a restart as before, and is not told again", () =>
  inWorld(5, async (world) => {
    const first = await openConversation(world);
    await approvePlan(first, shop());
    expect(await passes(first)).toBe(false);
    await first.close();
    const second = await openConversation(world, { vault: first.vault });
    await second.work.start();
    expect(await passes(second)).toBe(false);
    expect(await toldOf(second, "stream_")).toEqual(["stream_loaded goal-shop"]);
    await second.close();
  }));

test("[WORK-06] [GATE-02] where the configuration takes the name of one of its gates later, no message passes", () =>
  inWorld(5, async (world) => {
    const first = await openConversation(world);
    await approvePlan(first, shop());
    await first.close();
    // A gate of that name that lets everything pass.
    const taken = { name: "no-discount", on: "every_user_message", provider: "custom", check: "all" } as Gate;
    const callables = { all: () => ({ action: "continue", reason: "" }) };
    const second = await openConversation(world, { vault: first.vault, system: [taken], callables });
    expect(await say(second, "hello")).toMatchObject({ state: "blocked", gate: "goal" });
    expect(await toldOf(second, "stream_")).toEqual([
      "stream_loaded goal-shop",
      "stream_unverified goal-shop gate_name_taken",
    ]);
    await second.close();
  }));

const DAMAGE: readonly (readonly [string, string])[] = [
  ["its text", "UPDATE pending_decisions SET markdown = replace(markdown, '[^%]', '.') WHERE kind = 'plan_approval'"],
  ["what it would do", "UPDATE pending_decisions SET projection = replace(projection, 'stream', 'ephemeral')"],
  ["its hash", `UPDATE pending_decisions SET plan_hash = '${"0".repeat(64)}'`],
  ["its state", "UPDATE pending_decisions SET state = 'declined', token_id = NULL"],
  ["its token", "UPDATE approval_tokens SET token = replace(token, 'goal-shop', 'goal-shot')"],
  ["its being there", "DELETE FROM decision_tokens"],
];

test.each(DAMAGE)("[WORK-06] when %s was changed behind its back no message passes, until it is paused", (_what, sql) =>
  inConversation(async (silas) => {
    await approvePlan(silas, shop());
    expect(await passes(silas)).toBe(false);
    // As a running Silas does: it is looked after from here on.
    await silas.work.goals.list();
    const { database } = silas;
    for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
      database.exec(`DROP TRIGGER "${String(name)}"`);
    }
    database.exec(sql);
    for (const sender of [OWNER, STRANGER]) {
      expect(await say(silas, "hello", sender)).toMatchObject({ state: "blocked", gate: "goal" });
    }
    expect((await toldOf(silas, "stream_")).map((line) => line.split(" ")[0])).toEqual([
      "stream_loaded",
      "stream_unverified",
    ]);
    const shown = await silas.work.goals.show("goal-shop");
    expect(shown.ok && shown.value.stream).toMatchObject({ state: "unverified" });
    await silas.work.goals.pause("goal-shop", BY);
    expect(await passes(silas)).toBe(true);
  }),
);
