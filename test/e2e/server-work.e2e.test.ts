import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type {
  AutonomyViewBody,
  GoalDetailBody,
  ShownRequestBody,
  SuggestionBody,
  UndoBody,
  WorkDetailBody,
  WorkListBody,
} from "#model";
import { pageGoalPlan } from "./goal-plans.ts";
import { holdProgram } from "./held-program.ts";
import { approveAtTerminal, callerFor, propose, terminalOf, type Caller, type Shown } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";

const POLL = { interval: 50 };
type Asked = { readonly request: Shown; readonly is_new: boolean };
type Tidied = { readonly asked: Asked | null; readonly candidates: number; readonly left_alone: readonly unknown[] };

let running: Running;
let page: Caller;
beforeAll(async () => {
  // One decision argues here as thirty do.
  running = await startServer({
    env: { SILAS_SUGGESTIONS__ENABLED: "true" },
    flags: { "autonomy.min_samples": "1" },
  });
  page = callerFor(running, running.token);
});
afterAll(() => running.stop());

/** Plans may not reach into /tmp. */
function makePlace(): string {
  const place = realpathSync(mkdtempSync("/var/tmp/silas-work-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

const planOf = (name: string, lines: string): string => `---
id: task-${name}
type: task
title: Try ${name}
budget: { max_attempts: 1, max_wall_time_seconds: 600 }
${lines}
---

# What to do

Try it.
`;
const runsOf = async (query = ""): Promise<WorkListBody> => (await page.call<WorkListBody>(`/api/work${query}`)).body;
const detailOf = async (runId: string): Promise<WorkDetailBody> =>
  (await page.call<WorkDetailBody>(`/api/work/${runId}`)).body;
const statusOf = async (runId: string): Promise<string> => (await detailOf(runId)).run.status;

/** Approves it and answers with its run, which begins by itself. */
async function begin(request: Pick<Shown, "request_id" | "plan_hash">): Promise<string> {
  await approveAtTerminal(running, request);
  await expect.poll(async () => (await runsOf(`?id=${request.request_id}`)).runs.length, POLL).toBe(1);
  return (await runsOf(`?id=${request.request_id}`)).runs[0]?.run.run_id ?? "";
}

describe("a batch over HTTP", () => {
  test("whose files are usually moved as proposed argues for larger ones; signed it counts, and it is tightened again", async () => {
    const folder = makePlace();
    writeFileSync(join(folder, "Letter.pdf"), "A letter");
    const { body } = await terminalOf(running).call<Tidied>("/api/batches/tidy", { folder });
    if (body.asked === null) throw new Error("a file can be moved");
    const runId = await begin(body.asked.request);
    await expect.poll(() => statusOf(runId), POLL).toBe("done");
    const limitOf = async () =>
      (await page.call<AutonomyViewBody>("/api/autonomy")).body.limits.find(
        ({ key }) => key === "batch_review.default_size",
      )?.value;
    const before = await limitOf();
    const checked = await page.call<{ readonly proposed: readonly Asked[] }>("/api/autonomy/check", {});
    expect(checked.body.proposed).toHaveLength(1);
    const [asked] = checked.body.proposed;
    if (asked === undefined) throw new Error("it argues for other limits");
    expect(asked.is_new).toBe(true);
    expect(await limitOf()).toBe(before);
    await approveAtTerminal(running, asked.request);
    const after = await limitOf();
    expect(after).not.toBe(before);
    const unknown = { request_id: body.asked.request.request_id };
    expect(await page.call("/api/autonomy/tighten", unknown)).toMatchObject({ code: "not_a_limit_request" });
    const back = await page.call<Asked>("/api/autonomy/tighten", { request_id: null });
    expect(back).toMatchObject({ status: 200 });
    expect(await limitOf()).toBe(after);
    await approveAtTerminal(running, back.body.request);
    expect(await limitOf()).toBe(before);
  });

  test("is proposed for a folder, chosen from, carried out, taken back once, and counted", async () => {
    const folder = makePlace();
    for (const name of ["Invoice.pdf", "Beach.jpg"]) writeFileSync(join(folder, name), name);
    const tidied = await terminalOf(running).call<Tidied>("/api/batches/tidy", { folder });
    expect(tidied.body).toMatchObject({ candidates: 2, following: 0, left_alone: [], asked: { is_new: true } });
    const all = tidied.body.asked?.request;
    if (all === undefined) throw new Error("two files can be moved");
    const choose = (ids: readonly string[]) =>
      page.call<Asked>(`/api/approvals/${all.request_id}/selection`, { selected_item_ids: ids });
    expect(await choose(["none"])).toMatchObject({ status: 422, code: "selection_refused" });
    const chosen = await choose(["1"]);
    expect(chosen.body.is_new).toBe(true);
    const runId = await begin(chosen.body.request);
    await expect.poll(() => statusOf(runId), POLL).toBe("done");
    expect(await detailOf(runId)).toMatchObject({ run: { is_verified: true }, undo: { state: "open" } });
    const moved = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
    expect(moved).toHaveLength(3);
    const again = await page.call<Asked>(`/api/work/${runId}/undo/propose`, {});
    expect(again.body).toMatchObject({ is_new: true, request: { request_id: expect.any(String) } });
    const undone = await page.call<{ readonly undo: UndoBody }>(`/api/work/${runId}/undo`, {});
    expect(undone.body.undo).toMatchObject({ state: "used", run_id: expect.any(String) });
    await expect.poll(() => statusOf(undone.body.undo.run_id ?? ""), POLL).toBe("done");
    expect((await detailOf(runId)).undo?.items.map(({ outcome }) => outcome)).toEqual(["done"]);
    expect(readdirSync(folder).toSorted()).toEqual(["Beach.jpg", "Invoice.pdf"]);
    const second = await page.call<{ readonly undo: UndoBody }>(`/api/work/${runId}/undo`, {});
    expect(second.body.undo.run_id).toBe(undone.body.undo.run_id);
  });
});

/** A run whose only program does not end by itself. */
async function holdRun(name: string): Promise<string> {
  const { command, place, hasBegun } = holdProgram();
  const steps = `files: { read: [${place}] }\nsteps:\n  - { name: wait, run: '${command}' }`;
  const runId = await begin(await propose(running, planOf(name, steps)));
  await expect.poll(() => hasBegun({ dir: running.dir }), POLL).toBe(true);
  return runId;
}

describe("a run over HTTP", () => {
  test("is listed by how it stands and by its id, paused, resumed and cancelled", async () => {
    const { command, place, hasBegun, letGo } = holdProgram();
    const steps = `files: { read: [${place}] }\nsteps:\n  - { name: first, run: '${command}' }\n  - { name: second, run: echo two }`;
    const runId = await begin(await propose(running, planOf("pause", steps)));
    await expect.poll(() => hasBegun({ dir: running.dir }), POLL).toBe(true);
    expect((await runsOf("?status=running")).runs.map(({ run }) => run.run_id)).toEqual([runId]);
    expect((await runsOf("?status=stuck")).runs).toEqual([]);
    expect((await runsOf(`?id=${runId.slice(-12)}`)).runs.map(({ run }) => run.run_id)).toEqual([runId]);
    for (const query of ["?status=asleep", "?id=x"])
      expect(await page.call(`/api/work${query}`)).toMatchObject({ status: 400, code: "bad_request" });
    const steer = (verb: string) =>
      page.call<{ readonly run: WorkDetailBody["run"] }>(`/api/work/${runId}/${verb}`, {});
    expect(await steer("resume")).toMatchObject({ status: 409, code: "run_not_paused" });
    expect((await steer("pause")).body.run.run_id).toBe(runId);
    letGo();
    await expect.poll(() => statusOf(runId), POLL).toBe("paused");
    expect((await detailOf(runId)).ledger).toHaveLength(1);
    expect(await steer("resume")).toMatchObject({ status: 200 });
    await expect.poll(() => statusOf(runId), POLL).toBe("done");
    for (const verb of ["pause", "cancel"]) expect(await steer(verb)).toMatchObject({ status: 409, code: "run_over" });
  });

  test("is ended by cancelling it, and by the one stop of everything, which lasts until it is taken back", async () => {
    const cancelled = await holdRun("cancelled");
    const answer = await page.call(`/api/work/${cancelled}/cancel`, {});
    expect(answer).toMatchObject({ status: 200, body: { run: { run_id: cancelled } } });
    await expect.poll(() => statusOf(cancelled), POLL).toBe("cancelled");
    const held = await holdRun("stopped");
    const stopped = await page.call("/api/stop", {});
    expect(stopped.body).toMatchObject({ stopped: { at: expect.any(String), by: expect.anything() }, ended: 1 });
    expect(await statusOf(held)).not.toBe("running");
    const { stopped: since } = await runsOf();
    expect(since).toMatchObject({ at: expect.any(String) });
    expect((await page.call("/api/status")).body).toMatchObject({ stopped: since });
    expect(await page.call(`/api/work/${held}/resume`, {})).toMatchObject({ status: 409 });
    expect((await page.call("/api/start-again", {})).body).toEqual({ was_stopped: true });
    expect((await page.call("/api/start-again", {})).body).toEqual({ was_stopped: false });
    expect((await runsOf()).stopped).toBeNull();
  });

  test("that got stuck is suggested again; taken up it asks for a decision, and answered it is asked no more", async () => {
    const runId = await begin(
      await propose(running, planOf("broken", "steps:\n  - { name: build, run: cat not-there.txt }")),
    );
    await expect.poll(() => statusOf(runId), POLL).toBe("stuck");
    type Suggested = { readonly suggestions: readonly SuggestionBody[]; readonly missed: readonly SuggestionBody[] };
    const waiting = async () => (await page.call<Suggested>("/api/suggestions")).body.suggestions;
    await expect.poll(async () => (await waiting()).length, POLL).toBe(1);
    const id = (await waiting())[0]?.suggestion_id ?? "";
    const answer = (words: string) => page.call(`/api/suggestions/${id}/answer`, { answer: words });
    expect(await answer("perhaps")).toMatchObject({ status: 400, code: "invalid_input" });
    const inbox = async () =>
      (await terminalOf(running).call<{ requests: readonly ShownRequestBody[] }>("/api/approvals/inbox")).body.requests;
    const before = (await inbox()).length;
    expect(await answer("do_it")).toMatchObject({ status: 200, body: { suggestion: { suggestion_id: id } } });
    expect(await inbox()).toHaveLength(before + 1);
    expect(await answer("not_now")).toMatchObject({ status: 409, code: "suggestion_closed" });
    expect(await waiting()).toEqual([]);
  });
});

describe("a goal over HTTP", () => {
  test("is shown before and after its approval, checked, paused and resumed", async () => {
    const place = makePlace();
    const request = await propose(running, pageGoalPlan(place));
    const shown = await page.call<ShownRequestBody>("/api/approvals/show", { request_id: request.request_id });
    expect(shown.body.schedule).toMatchObject({ time_zone: expect.any(String), next_due: expect.any(String) });
    await approveAtTerminal(running, request);
    const listed = await page.call<{ readonly goals: readonly { readonly goal_id: string }[] }>("/api/goals");
    expect(listed.body.goals.map(({ goal_id: id }) => id)).toEqual(["goal-page"]);
    const act = (verb: string) => page.call<GoalDetailBody>(`/api/goals/goal-page/${verb}`, {});
    const show = async () => (await page.call<GoalDetailBody>("/api/goals/goal-page")).body;
    expect(await act("leave")).toMatchObject({ status: 409, code: "goal_nothing_missed" });
    expect(await act("resume")).toMatchObject({ status: 409, code: "goal_not_paused" });
    writeFileSync(join(place, "page.html"), "<title>Workshop</title>\n");
    expect((await act("check")).body).toMatchObject({ status: "healthy", cycles: [{ number: 1 }] });
    expect((await act("pause")).body).toMatchObject({ status: "paused", next_due: null });
    expect((await show()).status).toBe("paused");
    for (const verb of ["check", "pause"]) expect(await act(verb)).toMatchObject({ status: 409, code: "goal_paused" });
    expect((await act("resume")).body.next_due).toEqual(expect.any(String));
    expect((await show()).status).toBe("healthy");
    rmSync(join(place, "page.html"));
    expect((await act("check")).body).toMatchObject({ status: "waiting_for_you", cycles: [{ number: 2 }, {}] });
    expect(existsSync(join(place, "page.html"))).toBe(false);
  });
});
