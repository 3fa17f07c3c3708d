/** Work that an earlier version left open is finished by this one. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { instantFromMs, sha256Hex } from "#base";
import type { ShownRequestBody, ToldTurnBody, WorkDetailBody, WorkListBody } from "#model";
import { systemTimers } from "#runtime";
import { startLoopbackModel, type LoopbackModel, type Said, type Sent } from "./loopback-model.ts";
import { terminalOf } from "./page-device.ts";
import { makeDir, startServer, type Running } from "./server-start.ts";

const HISTORY = fileURLToPath(new URL("../histories/open-work", import.meta.url));
/** Half a minute after the process was killed: what was approved there is still approved. */
const OPENED_AT_MS = Date.parse("2026-11-18T07:34:10Z");
const ADVICE = "Greet the morning, not the evening.";

const isPlanner = ({ system }: Sent): boolean => system.startsWith("You are the planner");
const isAdvice = (sent: Sent): boolean => isPlanner(sent) && sent.prompt.includes("Advise that model");

function says(sent: Sent): Said {
  if (isAdvice(sent)) return { content: { message: ADVICE } };
  if (isPlanner(sent)) return { content: { message: "You have a list to make." } };
  if (!sent.prompt.includes("Nothing was called yet"))
    return { content: { summary: "It is written.", artifact_refs: [], next_steps: [] } };
  const content = sent.prompt.includes(ADVICE) ? "good morning" : "good evening";
  return { content: { tool: "file_write", args: { path: "out.txt", content } } };
}

let dir: string;
let model: LoopbackModel;
let running: Running;
beforeEach(async () => {
  dir = await makeDir();
  cpSync(HISTORY, dir, { recursive: true });
  for (const name of readdirSync(join(dir, "data")).filter((each) => each.endsWith(".gz"))) {
    const packed = join(dir, "data", name);
    writeFileSync(packed.slice(0, -".gz".length), gunzipSync(readFileSync(packed)));
    rmSync(packed);
  }
  model = await startLoopbackModel(says);
  const beganMs = performance.now();
  const now = () => {
    const instant = instantFromMs(Math.trunc(OPENED_AT_MS + performance.now() - beganMs));
    if (!instant.ok) throw new Error("the clock of a test shows a real moment");
    return instant.value;
  };
  running = await startServer({ dir, env: model.env, machine: { clock: { now }, timers: systemTimers } });
});
afterEach(async () => {
  await running.stop();
  model.close();
  rmSync(dir, { recursive: true, force: true });
});

async function read<T>(path: string): Promise<T> {
  const { status, body } = await terminalOf(running).call<T>(path);
  expect(status).toBe(200);
  return body;
}

const runs = async () => (await read<WorkListBody>("/api/work")).runs.map(({ run }) => run);
const ends = async () =>
  Object.fromEntries(
    (await runs()).map(({ work_item_id: id, status, is_verified: isVerified }) => [id, [status, isVerified]]),
  );
const replies = async () =>
  (await read<{ readonly turns: readonly ToldTurnBody[] }>("/api/messages")).turns
    .toSorted((a, b) => a.turn_number - b.turn_number)
    .map(({ state, reply, failure }) => ({ state, reply, failure }));

test("open work of an earlier version is finished: the messages, the run, the advice and the card", async () => {
  await expect.poll(ends).toEqual({ "task-count": ["done", true], "task-greeting": ["done", true] });
  const advised = (await runs()).find(({ work_item_id: id }) => id === "task-greeting");
  const { consults } = await read<WorkDetailBody>(`/api/work/${advised?.run_id ?? ""}`);
  expect(consults).toMatchObject([
    { number: 1, state: "failed", failure: "consult_interrupted" },
    { number: 2, state: "ended", guidance: ADVICE },
  ]);
  // A question whose answer was lost is not put again; the message behind it is answered.
  await expect.poll(replies).toEqual([
    { state: "failed", reply: null, failure: "turn_interrupted" },
    { state: "ended", reply: "You have a list to make.", failure: null },
  ]);
  const { requests } = await read<{ readonly requests: readonly ShownRequestBody[] }>("/api/approvals/inbox");
  expect(requests.map(({ state }) => state)).toEqual(["pending"]);
  // Its card was stored without terms; it is shown with them all the same.
  expect(requests[0]?.card.terms).toEqual({ max_executions: 1, valid_ms: 1_800_000 });
  await approve(requests[0]);
  await expect.poll(ends).toMatchObject({ "task-card": ["done", true] });
  const chain = await read<{ readonly ok: boolean }>("/api/activity/chain?whole=true");
  expect(chain.ok).toBe(true);
});

async function approve(card: ShownRequestBody | undefined): Promise<void> {
  const decided = await terminalOf(running).call("/api/approvals/decide", {
    request_id: card?.request_id,
    verdict: "approved",
    shown_hash: sha256Hex(card?.projection ?? ""),
    friction: ["tap", "confirm"],
  });
  expect(decided).toMatchObject({ status: 200 });
}
