import { expect, test } from "vitest";
import type { Instant } from "#base";
import { newsBetween, RUN_STATUSES, type RunRecord, type RunTold } from "#model";
import { answerTo, BY } from "./approval-world.ts";
import { heldProgram, inWorkScene, INSIDE, runOf, statusOf, type WorkScene } from "./work-world.ts";

async function propose({ trust }: WorkScene, text = INSIDE) {
  const proposed = await trust.approvals.propose(text, BY);
  if (!proposed.ok) throw new Error(proposed.error.code);
  return proposed.value.request;
}

test("[FLOW-12] approving answers at once and the run goes on in the background, however long a step takes; a terminal that runs a plan waits for its end", async () => {
  const { script, started, go } = heldProgram();
  await inWorkScene(script, async (scene) => {
    await scene.work.start();
    const request = await propose(scene);
    // Nothing has let the program go: this is answered while it runs, or never.
    expect(await scene.trust.approvals.decide(answerTo(request, "approved"))).toMatchObject({ ok: true });
    scene.review.changed();
    await started;
    const runId = await runOf(scene.work, request);
    expect(await statusOf(scene, runId)).toBe("running");
    go();
    await expect.poll(() => statusOf(scene, runId)).toBe("done");
    const waited = await propose(scene, INSIDE.replace("task-steps", "task-waited"));
    await scene.trust.approvals.decide(answerTo(waited, "approved"));
    const waitedId = await runOf(scene.work, waited);
    await scene.work.runGranted(waitedId);
    expect(await statusOf(scene, waitedId)).toBe("done");
  });
});

type Lived = { readonly text?: string; readonly code: (words: string, attempt: string) => number };

/** What is told of one run, from its approval to its end. */
async function newsOf({ text = INSIDE, code }: Lived): Promise<readonly string[]> {
  const heard: RunTold[] = [];
  let last = "1";
  await inWorkScene(
    ({ argv, env }) => code(argv.join(" "), (last = env?.["SILAS_ATTEMPT"] ?? last)),
    async (scene) => {
      const unsubscribe = scene.work.subscribeRuns((told) => heard.push(told));
      const request = await propose(scene, text);
      await scene.trust.approvals.decide(answerTo(request, "approved"));
      const runId = await runOf(scene.work, request);
      await scene.work.runGranted(runId);
      expect(new Set(heard.map((told) => told.runId))).toEqual(new Set([runId]));
      unsubscribe();
      await scene.work.runGranted(runId);
    },
  );
  return heard.map(({ news }) => news);
}

test("[FLOW-13] what is new of a run is told as it happens: that it runs, that checks failed, and how it ended", async () => {
  expect(await newsOf({ code: () => 0 })).toEqual(["running", "done"]);
  const second = (words: string, attempt: string): number => (words === "look" && attempt === "1" ? 1 : 0);
  expect(await newsOf({ code: second })).toEqual(["running", "verification_failed", "running", "done"]);
  expect(await newsOf({ code: (words) => (words === "look" ? 1 : 0) })).toEqual([
    "running",
    "verification_failed",
    "running",
    "verification_failed",
    "running",
    "verification_failed",
    "stuck",
  ]);
  const gates = "gates:\n  - { name: never, on: on_tool_call, allowed_values: [nothing] }\n";
  expect(await newsOf({ text: INSIDE.replace("steps:", `${gates}steps:`), code: () => 0 })).toEqual([
    "running",
    "blocked",
  ]);
});

test("[FLOW-13] each end is told once by one of the words for it, also that of a project that failed", () => {
  const running: Pick<RunRecord, "status" | "endedAt" | "results"> = { status: "running", endedAt: null, results: [] };
  const ends = RUN_STATUSES.flatMap((status) => {
    const after = { ...running, status, endedAt: "2026-11-16T00:00:00.000Z" as Instant };
    const news = newsBetween(running, after);
    expect(newsBetween(after, after)).toEqual([]);
    return news.map((one) => `${status}: ${one}`);
  });
  expect(ends).toEqual([
    "done: done",
    "failed: failed",
    "stuck: stuck",
    "blocked: blocked",
    "cancelled: blocked",
    "in_doubt: blocked",
  ]);
});
