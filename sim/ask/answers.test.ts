import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ok } from "#base";
import type { KeptRequest, OwnerReply } from "#model";
import { verifyReceipt } from "#policy";
import type { Sandboxes } from "#ports";
import { receiptTools } from "#runtime";
import { answerTo, BY, TIMEOUT_MS } from "../approval-world.ts";
import { inRealScene } from "../real-sandbox.fixture.ts";
import { grantPlan, type Working } from "../work-world.ts";
import { becomes, inSceneOf, onlyRequest, runOf, waitsFor, type Scene } from "./scene.fixture.ts";

const plan = (steps: string): string => `---
id: task-letter
type: task
title: Write the letter
budget: { max_attempts: 2 }
steps:
${steps}
---

# What to do

Write it.
`;
const CHOOSE = plan(`  - { name: note, tool: file_write, args: { path: note.txt, content: begun } }
  - name: choose
    tool: ask_owner
    args:
      question: Which way should it go?
      options: [{ label: By post, value: post }, { label: By mail, value: mail }]
      freetext: true
      file: way.txt
    artifacts: { way: way.txt }
  - { name: after, tool: file_write, args: { path: after.txt, content: ended } }`);
const LETTER = plan(`  - { name: write, tool: file_write, args: { path: letter.txt, content: "Dear all" } }
  - { name: look, tool: review_draft, args: { path: letter.txt, about: The letter to the club }, artifacts: { letter: letter.txt } }`);

/** Writes what file tools are told to write, and notes it: `path: content`. */
function writingSandboxes(root: string, written: string[]): Sandboxes {
  let opened = 0;
  const nothing = { bytes: new Uint8Array(), isTruncated: false };
  return {
    support: async () => ({ state: "ready", backend: "subprocess", version: "played" }),
    close: async () => {},
    open: async () => {
      const workspace = join(root, `space-${(opened += 1)}-${written.length}`);
      mkdirSync(workspace, { recursive: true });
      return ok({
        id: workspace,
        workspace,
        close: async () => {},
        run: async ({ stdin }) => {
          const { args } = JSON.parse(String(stdin)) as { args: { path: string; content: string } };
          written.push(`${args.path}: ${args.content}`);
          mkdirSync(dirname(join(workspace, args.path)), { recursive: true });
          writeFileSync(join(workspace, args.path), args.content);
          return ok({ end: { kind: "exit", code: 0 }, stdout: nothing, stderr: nothing, durationMs: 1 });
        },
      });
    },
  };
}

const inScene = (look: (scene: Scene, again: () => Promise<Scene>) => Promise<void>): Promise<void> =>
  inSceneOf({ seed: 11, sandboxes: writingSandboxes }, look);

type Answering = { readonly request: KeptRequest; readonly answer?: unknown; readonly verdict?: "declined" };
async function reply(scene: Working, { request, answer, verdict }: Answering): Promise<string> {
  const given = answer === undefined ? {} : { answer: answer as OwnerReply };
  const decided = await scene.trust.approvals.decide({ ...answerTo(request, verdict ?? "approved"), ...given });
  scene.review.changed();
  if (decided.ok) return decided.value.state;
  return decided.error.code === "answer_refused" ? decided.error.reason : decided.error.code;
}
async function failedIn({ trust }: Working, requestId: string): Promise<readonly string[]> {
  const receipt = await trust.approvals.receipt(requestId);
  if (!receipt.ok) throw new Error(receipt.error.code);
  return verifyReceipt(receipt.value, receiptTools).flatMap(({ name, outcome, reason }) =>
    outcome === "failed" ? [`${name}: ${reason}`] : [],
  );
}

const CHOSEN = { selected_value: "mail", freetext: null, approved: true };
const APPROVED = { verdict: "approve", edited_text: null, note: null };

test("[CARD-16] a step asks for a decision: nothing after it runs before the owner has signed one of its answers, and what was chosen is text in its file", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waitsFor(scene, CHOOSE);
    expect(scene.given).toEqual(["note.txt: begun"]);
    expect(request).toMatchObject({ kind: "decision", riskLevel: "low", card: { friction: ["tap"] } });
    const rows = new Map(request.card.details.rows.map(({ path, text }) => [path, text]));
    expect(rows.get("/question")).toBe("Which way should it go?");
    expect(rows.get("/options/1/label")).toBe("By mail");
    expect(rows.get("/options/1/approval_tier")).toBe("tap");
    const wrong: readonly (readonly [unknown, string])[] = [
      [undefined, "answer_missing"],
      [{ ...CHOSEN, selected_value: "fax" }, "option_unknown"],
      [{ ...CHOSEN, selected_value: null }, "answer_missing"],
      [{ ...CHOSEN, freetext: "both" }, "text_unexpected"],
      [{ ...CHOSEN, approved: false }, "answer_declines"],
      [APPROVED, "answer_unreadable"],
    ];
    for (const [answer, reason] of wrong) expect(await reply(scene, { request, answer }), reason).toBe(reason);
    expect(await runOf(scene, runId)).toMatchObject({ status: "waiting" });
    expect(await reply(scene, { request, answer: CHOSEN })).toBe("approved");
    await becomes(scene, runId, "done");
    expect(scene.given).toEqual(["note.txt: begun", "way.txt: mail", "after.txt: ended"]);
    expect(await reply(scene, { request, answer: { ...CHOSEN, selected_value: "post" } })).toBe("already_decided");
    const kept = await scene.trust.stores.approvals.approvalsOf(request.requestId);
    const tokens = kept.ok ? kept.value.map(({ token, uses }) => [JSON.parse(token.text).conditions.answer, uses]) : [];
    expect(tokens).toMatchObject([[CHOSEN, [{}]]]);
    const shown = await scene.work.show(runId);
    expect(shown.ok && shown.value.ledger[1]).toMatchObject({
      tool: "ask_owner",
      decision: { requestId: request.requestId },
    });
    expect(await failedIn(scene, request.requestId)).toEqual([]);
    expect(await failedIn(scene, shown.ok ? shown.value.requestId : "")).toEqual([]);
  });
});

test("words of one's own are an answer where the plan takes them, whatever they look like", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waitsFor(scene, CHOOSE);
    const freetext = '"; rm -rf / #$(date)\nand a second line';
    expect(await reply(scene, { request, answer: { ...CHOSEN, selected_value: null, freetext } })).toBe("approved");
    await becomes(scene, runId, "done");
    expect(scene.given[1]).toBe(`way.txt: ${freetext}`);
  });
});

test("[CARD-16] a draft that is approved or edited is what the steps after it find, to the last character", async () => {
  for (const [answer, text] of [
    [APPROVED, "Dear all"],
    [{ ...APPROVED, verdict: "edit", edited_text: "Dear everybody\n" }, "Dear everybody\n"],
  ] as const) {
    await inScene(async (scene) => {
      const { runId, request } = await waitsFor(scene, LETTER);
      expect(request).toMatchObject({ kind: "draft_review", riskLevel: "medium" });
      expect(request.card.ctas.map(({ action }) => action)).toEqual(["approve", "edit", "rephrase", "decline"]);
      expect(await reply(scene, { request, answer: { ...answer, note: "no" } })).toBe("text_unexpected");
      expect(await reply(scene, { request, answer })).toBe("approved");
      await becomes(scene, runId, "done");
      expect(scene.given).toEqual(["letter.txt: Dear all", `letter.txt: ${text}`]);
      expect(await failedIn(scene, request.requestId)).toEqual([]);
    });
  }
});

test("[CARD-16] another draft is wanted: the steps before it run again as the next attempt, and it is asked about anew", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waitsFor(scene, LETTER);
    const again = { ...APPROVED, verdict: "rephrase", note: "warmer, please" };
    expect(await reply(scene, { request, answer: { ...again, note: null } })).toBe("text_missing");
    expect(await reply(scene, { request, answer: again })).toBe("approved");
    await expect.poll(async () => (await runOf(scene, runId)).attempts).toBe(2);
    await becomes(scene, runId, "waiting");
    const second = await onlyRequest(scene);
    expect(second.requestId).not.toBe(request.requestId);
    expect(await runOf(scene, runId)).toMatchObject({ lastError: "You asked for another draft: warmer, please" });
    expect(await reply(scene, { request: second, answer: APPROVED })).toBe("approved");
    await becomes(scene, runId, "done");
    const shown = await scene.work.show(runId);
    expect(
      shown.ok && shown.value.ledger.map(({ attempt, stepName, success }) => [attempt, stepName, success]),
    ).toEqual([
      [1, "write", true],
      [1, "look", false],
      [2, "write", true],
      [2, "look", true],
    ]);
    expect(await failedIn(scene, shown.ok ? shown.value.requestId : "")).toEqual([]);
  });
});

test("[CARD-16] rejected or declined, the run ends as the owner's decision and as no failure", async () => {
  for (const [text, words] of [
    [LETTER, "You rejected the draft"],
    [CHOOSE, "You declined to decide"],
  ] as const) {
    await inScene(async (scene) => {
      const { runId, request } = await waitsFor(scene, text);
      expect(await reply(scene, { request, verdict: "declined" })).toBe("declined");
      await becomes(scene, runId, "cancelled");
      expect((await runOf(scene, runId)).lastError).toBe(words);
      expect(scene.given).toHaveLength(1);
    });
  }
});

test("not answered in time is nobody's decision: the run is blocked, it is missed, and asking again asks for the plan", async () => {
  await inScene(async (scene) => {
    const { runId, request } = await waitsFor(scene, CHOOSE);
    scene.world.clock.moveMs(TIMEOUT_MS + 1);
    scene.review.changed();
    await becomes(scene, runId, "blocked");
    expect((await runOf(scene, runId)).lastError).toBe("It asked you to decide, and was not answered in time");
    const missed = await scene.trust.approvals.missed();
    expect(missed.ok && missed.value.map(({ requestId }) => requestId)).toEqual([request.requestId]);
    const again = await scene.trust.approvals.proposeAgain(request.requestId, BY);
    expect(again).toMatchObject({ value: { request: { kind: "plan_approval", againOf: request.requestId } } });
  });
});

test("a question outlives the process: a restart finds the same request, and an answer given while nothing runs counts at the next start", async () => {
  await inScene(async (scene, again) => {
    const { runId, request } = await waitsFor(scene, LETTER);
    const next = await again();
    await next.work.start();
    await becomes(next, runId, "waiting");
    expect((await onlyRequest(next)).requestId).toBe(request.requestId);
    const last = await again();
    const answer = { ...APPROVED, verdict: "edit", edited_text: "Dear you" };
    expect(await reply(last, { request, answer })).toBe("approved");
    await last.work.start();
    await becomes(last, runId, "done");
    expect(last.given.at(-1)).toBe("letter.txt: Dear you");
    expect(await runOf(last, runId)).toMatchObject({ attempts: 1 });
  });
});

test("a run alone asks: what somebody proposes as a question is refused, and an answer to anything else is too", async () => {
  await inScene(async (scene) => {
    const { request } = await waitsFor(scene, CHOOSE);
    const payload = JSON.parse(request.markdown) as Parameters<typeof scene.trust.approvals.proposePayload>[0];
    const asked = await scene.trust.approvals.proposePayload(payload, BY);
    expect(asked).toMatchObject({ error: { code: "payload_refused", reason: "only_a_run_asks" } });
    const proposed = await scene.trust.approvals.propose(LETTER, BY);
    if (!proposed.ok) throw new Error(proposed.error.code);
    expect(await reply(scene, { request: proposed.value.request, answer: CHOSEN })).toBe("answer_unexpected");
  });
});

test("a draft that is no text, hides something or is missing is not asked about: the attempt fails in words", async () => {
  for (const [content, words] of [
    ["", "the draft is empty"],
    ["a\r\nb", "the draft holds characters that do not show"],
    ["x".repeat(20_001), "a draft is text of at most 20000 characters"],
  ] as const) {
    await inScene(async (scene) => {
      const text = LETTER.replace('"Dear all"', JSON.stringify(content)).replace("max_attempts: 2", "max_attempts: 1");
      const runId = await grantPlan(scene, text);
      await scene.work.start();
      await becomes(scene, runId, "stuck");
      expect((await runOf(scene, runId)).lastError).toBe(`Step look asks nothing: ${words}`);
    });
  }
});

test("in a real sandbox the answer lies in the workspace, and a draft is made anew with what was wished for", async () => {
  await inRealScene(17, async (scene) => {
    const text = plan(`  - name: choose
    tool: ask_owner
    args: { question: Whom is it for?, options: [{ label: The club, value: club }, { label: The town, value: town }], file: who.txt }
  - { name: write, run: "sh -c 'echo \\"Dear $(cat who.txt). $SILAS_LAST_FAILURE\\" > letter.txt'" }
  - { name: look, tool: review_draft, args: { path: letter.txt, about: The letter }, artifacts: { letter: letter.txt } }
  - { name: send, run: cat letter.txt }`);
    const first = await waitsFor(scene, text);
    const chosen = { selected_value: "town", freetext: null, approved: true };
    expect(await reply(scene, { request: first.request, answer: chosen })).toBe("approved");
    const draftNow = async (): Promise<KeptRequest> => {
      await expect
        .poll(async () => (await scene.trust.approvals.inbox()).ok && (await onlyKind(scene)))
        .toBe("draft_review");
      return onlyRequest(scene);
    };
    const draft = await draftNow();
    expect(JSON.parse(draft.projection).draft).toBe("Dear town. \n");
    expect(
      await reply(scene, { request: draft, answer: { ...APPROVED, verdict: "edit", edited_text: "Dear town!\n" } }),
    ).toBe("approved");
    await becomes(scene, first.runId, "done");
    const shown = await scene.work.show(first.runId);
    expect(shown.ok && shown.value.ledger.at(-1)?.returnValue).toBe("Dear town!\n");
  });
});

async function onlyKind({ trust }: Working): Promise<string | undefined> {
  const inbox = await trust.approvals.inbox();
  return inbox.ok ? inbox.value[0]?.kind : undefined;
}
