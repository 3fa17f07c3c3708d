import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../../test/depth.ts";
import { assert } from "#base";
import { createMemoryModels } from "#gateway";
import { payloadSchema, type SuggestionAnswer } from "#model";
import { BY, PLAN, RUNTIME_FILE, TIMEOUT_MS } from "../approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach } from "../disk.ts";
import { inWorld } from "../disk-run.ts";
import { approve, goalText, setClock } from "../goals.fixture.ts";
import { grantPlan, INSIDE, until } from "../work-world.ts";
import { MORNING, openSuggesting, suggesting, type SuggestWorld } from "./suggestions.fixture.ts";

const MISSED_MINUTES = TIMEOUT_MS / 60_000;

/** A request whose time ran out before anybody decided. */
async function missOne({ trust, world }: SuggestWorld, text: string = PLAN): Promise<string> {
  const proposed = await trust.approvals.propose(text, BY);
  assert(proposed.ok, "a plan is proposed");
  const { requestId } = proposed.value.request;
  assert((await trust.approvals.show(requestId)).ok, "its time begins");
  world.clock.moveMs(MISSED_MINUTES * 60_000 + 1);
  return requestId;
}

const BATCH = payloadSchema.parse({
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-inbox",
  action: "archive",
  params: null,
  items: [
    {
      item_id: "m1",
      title: "Newsletter",
      actor: "news@a.example",
      occurred_at: MORNING,
      reason: "Never opened",
      confidence: 0.97,
    },
  ],
  reason_summary: "Old newsletters",
  confidence_min: 0.97,
  created_at: MORNING,
});

const MODEL_PLAN = `---
id: task-model
type: task
title: Make a page
executor: model
tools: [file_write]
budget: { max_attempts: 1, max_tokens: 100000 }
on_stuck: report
---

Make the page.
`;

const answer = ({ work }: SuggestWorld, suggestionId: string, said: SuggestionAnswer) =>
  work.suggestions.answer(suggestionId, { answer: said, actor: BY });

async function pendingOf({ trust }: SuggestWorld): Promise<readonly string[]> {
  // Looking here starts no time.
  const listed = await trust.stores.approvals.list(["pending"]);
  assert(listed.ok, "requests can be listed");
  return listed.value.map(({ workItemId }) => workItemId);
}

async function onlyOf(silas: SuggestWorld) {
  const [one, ...others] = await silas.waiting();
  assert(one !== undefined && others.length === 0, "one suggestion waits");
  return one;
}

describe("suggestions", () => {
  test("[SUGG-01] are looked for every quarter of an hour while the scope is active, and in none that is stopped", () =>
    suggesting(async (silas) => {
      await silas.pass(1);
      await missOne(silas);
      await silas.pass(50);
      expect(await silas.waiting()).toEqual([]);
      await silas.work.stops.stop(BY);
      await silas.pass(60);
      expect(await silas.waiting()).toEqual([]);
      await silas.work.stops.startAgain(BY);
      await silas.pass(15);
      expect(await onlyOf(silas)).toMatchObject({ offer: "ask_again", source: "idle_heartbeat", riskLevel: "medium" });
      // What was due while everything was stopped is made up for once, and said.
      const skipped = (await silas.told()).filter(({ event }) => event === "suggestion_looks_skipped");
      expect(skipped).toHaveLength(1);
      expect(skipped[0]?.data["count"]).toBeGreaterThan(1);
    }));

  test("[SUGG-01] switched off, no look is registered and no run says anything", () =>
    suggesting(
      async (silas) => {
        await missOne(silas);
        silas.page.isThere = false;
        silas.page.canBeRepaired = false;
        const runId = await grantPlan(silas, INSIDE);
        await silas.work.runGranted(runId);
        await silas.pass(300);
        expect(await silas.waiting()).toEqual([]);
        expect(silas.trust.stores.timers.find("suggestion:owner")).toBeNull();
        expect(await silas.told()).toEqual([]);
      },
      { suggestions: { enabled: false } },
    ));

  test("[SUGG-10] taken up, one asks for a decision as anybody would, and nothing runs", () =>
    suggesting(async (silas) => {
      const missed = await missOne(silas, INSIDE);
      await silas.pass(90);
      const { suggestionId } = await onlyOf(silas);
      const taken = await answer(silas, suggestionId, "do_it");
      assert(taken.ok && taken.value.requestId !== null, "it asks");
      const found = await silas.trust.stores.approvals.find(taken.value.requestId);
      expect(found).toMatchObject({ ok: true, value: { state: "pending", againOf: missed, proposedBy: BY } });
      expect(await pendingOf(silas)).toEqual(["task-steps"]);
      await silas.pass(1);
      expect(silas.sandboxes.ran).toEqual([]);
      expect(await silas.work.list()).toEqual({ ok: true, value: [] });
      // A second tap, or the same from elsewhere, changes nothing.
      expect(await answer(silas, suggestionId, "not_again")).toMatchObject({
        ok: false,
        error: { code: "suggestion_closed", state: "accepted" },
      });
      expect(await pendingOf(silas)).toEqual(["task-steps"]);
    }));

  test("[SUGG-07] [SUGG-10] after a run that got stuck, the same plan is offered once more, and needs an approval of its own", () =>
    suggesting(async (silas) => {
      silas.page.isThere = false;
      silas.page.canBeRepaired = false;
      const runId = await grantPlan(silas, INSIDE);
      await silas.work.runGranted(runId);
      await until(async () => (await silas.waiting()).length > 0);
      const one = await onlyOf(silas);
      expect(one).toMatchObject({ offer: "run_again", source: "post_execution", subject: runId });
      const ran = silas.sandboxes.ran.length;
      expect(await answer(silas, one.suggestionId, "do_it")).toMatchObject({ ok: true, value: { state: "accepted" } });
      expect(await pendingOf(silas)).toEqual(["task-steps"]);
      expect(silas.sandboxes.ran).toHaveLength(ran);
      // The look that comes next says nothing of what is asked about already.
      await silas.pass(200);
      expect((await silas.told()).filter(({ event }) => event === "suggestion_made")).toHaveLength(1);
    }));

  test("[SUGG-07] [SUGG-10] [FLOW-23] each next step that a model names after its work is a card; taken up it sends nothing, and what nobody answers ends as missed", () => {
    const said = { summary: "done", artifact_refs: [], next_steps: ["Read it", "Send it"] };
    const opening = { models: createMemoryModels(() => JSON.stringify(said)) };
    return suggesting(async (silas) => {
      const runId = await grantPlan(silas, MODEL_PLAN);
      await silas.work.runGranted(runId);
      await until(async () => (await silas.waiting()).length === 2);
      const [read, send] = await silas.waiting();
      assert(read !== undefined && send !== undefined, "two wait");
      expect([read, send].map(({ offer, rationale }) => [offer, rationale])).toEqual([
        ["next_step", "Read it"],
        ["next_step", "Send it"],
      ]);
      // The looks that follow say the same and nothing more.
      await silas.pass(60);
      expect(await silas.waiting()).toHaveLength(2);
      const taken = await answer(silas, read.suggestionId, "do_it");
      expect(taken).toMatchObject({ ok: true, value: { state: "accepted", requestId: null } });
      expect(await pendingOf(silas)).toEqual([]);
      expect(await silas.work.suggestions.missed()).toEqual({ ok: true, value: [] });
      await silas.pass(24 * 60);
      expect(await silas.waiting()).toEqual([]);
      expect(await silas.work.suggestions.missed()).toMatchObject({
        ok: true,
        value: [{ suggestionId: send.suggestionId, state: "expired", handledBy: null, requestId: null }],
      });
      expect(await answer(silas, send.suggestionId, "do_it")).toMatchObject({
        ok: false,
        error: { code: "suggestion_closed", state: "expired" },
      });
      expect((await silas.told()).map(({ event }) => event)).toEqual([
        "suggestion_made",
        "suggestion_made",
        "suggestion_answered",
        "suggestion_expired",
      ]);
      await silas.pass(7 * 24 * 60);
      expect(await silas.work.suggestions.missed()).toEqual({ ok: true, value: [] });
    }, opening);
  });

  test("a goal whose approval in advance is used up is offered anew, with the same terms from now on", () =>
    suggesting(async (silas) => {
      const standing = { max_executions: 1, expires_at: "2026-11-20T00:00:00.000Z" };
      const before = await approve(silas, goalText({ standing }));
      silas.page.isThere = false;
      await silas.pass(2);
      await silas.pass(15);
      const one = await onlyOf(silas);
      expect(one).toMatchObject({ offer: "renew_goal", source: "goal_monitor", riskLevel: before.riskLevel });
      const taken = await answer(silas, one.suggestionId, "do_it");
      assert(taken.ok && taken.value.requestId !== null, "it asks");
      const asked = await silas.trust.stores.approvals.find(taken.value.requestId);
      assert(asked.ok && asked.value !== null, "there is a request");
      expect(asked.value).toMatchObject({ state: "pending", workItemId: "goal-page" });
      expect(asked.value.markdown).toContain('"max_executions":1');
    }));

  test("[SUGG-06] [SUGG-08] put off it comes back when both of its times are over, and unwanted it never does", () =>
    suggesting(async (silas) => {
      await missOne(silas);
      await silas.pass(90);
      const first = await onlyOf(silas);
      expect(await answer(silas, first.suggestionId, "not_now")).toMatchObject({
        ok: true,
        value: { state: "deferred" },
      });
      await silas.pass(150);
      expect(await silas.waiting()).toEqual([]);
      await silas.pass(30);
      const second = await onlyOf(silas);
      expect(second).toMatchObject({ cooldownKey: first.cooldownKey });
      expect(await answer(silas, second.suggestionId, "not_again")).toMatchObject({ value: { state: "dismissed" } });
      await silas.pass(8 * 60);
      expect(await silas.waiting()).toEqual([]);
      expect(await pendingOf(silas)).toEqual([]);
    }));

  test("one whose reason is gone expires: that is nobody's answer, and nothing is asked", () =>
    suggesting(async (silas) => {
      const requestId = await missOne(silas);
      await silas.pass(90);
      const one = await onlyOf(silas);
      assert((await silas.trust.approvals.proposeAgain(requestId, BY)).ok, "it is asked again by hand");
      await silas.pass(15);
      expect(await silas.waiting()).toEqual([]);
      const kept = await silas.trust.stores.suggestions.find(one.suggestionId);
      expect(kept).toMatchObject({ value: { state: "expired", handledBy: null, requestId: null } });
      expect((await silas.told()).map(({ event }) => event)).not.toContain("suggestion_answered");
      expect(await answer(silas, one.suggestionId, "do_it")).toMatchObject({ error: { code: "suggestion_closed" } });
    }));

  test("[SUGG-11] what waits survives a restart: a suggestion and a request about a batch, each as it was", () =>
    inWorld(7, async (world) => {
      setClock(world, MORNING);
      const first = await openSuggesting(world);
      await first.start();
      await missOne(first);
      await first.pass(90);
      const one = await onlyOf(first);
      assert((await first.trust.approvals.proposePayload(BATCH, BY)).ok, "a batch is proposed");
      const asked = await first.trust.stores.approvals.list(["pending"]);
      expect(asked.ok && asked.value.map(({ kind }) => kind)).toEqual(["batch_review"]);
      await first.close();
      world.clock.moveMs(3 * 3_600_000);
      const again = await openSuggesting(world, { vault: first.vault });
      expect(await again.waiting()).toEqual([one]);
      expect(await again.trust.stores.approvals.list(["pending"])).toEqual(asked);
      await again.start();
      await again.pass(1);
      expect(await again.waiting()).toEqual([one]);
      const skipped = (await again.told()).filter(({ event }) => event === "suggestion_looks_skipped");
      expect(skipped).toHaveLength(1);
      await again.close();
    }));
});

test("[SUGG-10] ended at every write of taking one up, it is asked once at most, and what waits can be taken up again", () =>
  inWorld(7, async (world) => {
    setClock(world, MORNING);
    const dataDir = join(world.root, "data");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into: join(world.root, "cuts"), see: () => null });
    const silas = await openSuggesting(world, { dataDir, onStatement: cutting.onStatement });
    await silas.start();
    await missOne(silas);
    cutting.start();
    await silas.pass(90);
    const { suggestionId } = await onlyOf(silas);
    assert((await answer(silas, suggestionId, "do_it")).ok, "it is taken up");
    cutting.finish();
    await silas.close();
    const states = await lookAtEach(cutting.cuts(), {
      file: RUNTIME_FILE,
      into: join(world.root, "then"),
      pick: (all) => sampleOf(all, 3),
      async look(dir) {
        const again = await openSuggesting(world, { dataDir: dir, vault: silas.vault });
        for (const { suggestionId: left } of await again.waiting()) {
          expect(await answer(again, left, "do_it")).toMatchObject({ ok: true });
        }
        expect((await pendingOf(again)).length).toBeLessThanOrEqual(1);
        expect(await again.waiting()).toEqual([]);
        const verdict = await again.trust.stores.audit.verify("genesis");
        expect(verdict.ok && verdict.value.valid).toBe(true);
        await again.close();
        checkIntegrity(join(dir, RUNTIME_FILE));
      },
    });
    expect(states).toBeGreaterThan(5);
  }));
