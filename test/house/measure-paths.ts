/**
 * Measures how much of the house one request goes through: a plan from its proposal to its receipt, and a message from
 * its arrival to its answer. Starts the composed server with real stores, HTTP and sandbox, and a model on the loopback
 * interface; prints what it found as JSON for `scripts/count-house.ts`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { startLoopbackModel } from "../e2e/loopback-model.ts";
import { terminalOf } from "../e2e/page-device.ts";
import { startServer, type Running } from "../e2e/server-start.ts";
import { openInspector } from "./coverage.ts";

/** A file counts when it runs in every round, which leaves out files that an unrelated timer runs in one of them. */
const ROUNDS = 3;
/** The end of a run and of a turn have a last effect after the answer can be read. */
const SETTLE_MS = 100;
const POLL_MS = 20;
const POLLS_MAX = 3_000;

const planText = (round: number): string => `---
id: task-round-${round}
type: task
title: Make a page
skills: []
steps:
  - { name: write, tool: file_write, args: { path: page.txt, content: page }, artifacts: { page: page.txt } }
  - { name: look, run: cat page.txt }
verify:
  - { name: it is there, run: cat page.txt, expect: { contains: page } }
---

# What to do

Make a page.
`;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    if (await isSo()) return pause(SETTLE_MS);
    await pause(POLL_MS);
  }
  throw new Error("the server did not finish in time");
}

function createCaller(running: Running) {
  const terminal = terminalOf(running);
  return async <T>(path: string, json?: object): Promise<T> => {
    const { status, code, body } = await terminal.call<T>(path, json);
    if (status !== 200) throw new Error(`${path}: ${status} ${String(code)}`);
    return body;
  };
}
type Call = ReturnType<typeof createCaller>;
type Card = { readonly request_id: string; readonly plan_hash: string };

async function carryOutPlan(call: Call, round: number): Promise<void> {
  const { request } = await call<{ readonly request: Card }>("/api/approvals/propose", { markdown: planText(round) });
  const { request_id } = request;
  const { plan_hash: shown_hash } = await call<Card>("/api/approvals/show", { request_id });
  const answer = { request_id, verdict: "approved", shown_hash, friction: ["tap", "confirm", "slide"] };
  await call("/api/approvals/decide", answer);
  await until(async () => {
    const { receipt } = await call<{ readonly receipt: string }>("/api/approvals/receipt", { request_id });
    return receipt.includes("run_ended");
  });
}

type Turns = { readonly turns: readonly { readonly turn_number: number; readonly state: string }[] };

async function answerMessage(call: Call, round: number): Promise<void> {
  await call("/api/messages", { text: "Good morning", attachments: [], reply_to: null, quotes: [], signed: null });
  await until(async () => {
    const { turns } = await call<Turns>("/api/messages");
    const state = turns.find(({ turn_number: number }) => number === round)?.state;
    if (state === "failed") throw new Error("a message was not answered");
    return state === "ended";
  });
}

async function measure(call: Call): Promise<object> {
  // Warm up, so that modules and caches are loaded before the first round.
  await carryOutPlan(call, 0);
  await answerMessage(call, 1);
  const inspector = openInspector();
  const inEachRound = async (work: (round: number) => Promise<void>): Promise<readonly string[]> => {
    const rounds: (readonly string[])[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) rounds.push(await inspector.filesDuring(() => work(round)));
    return (rounds[0] ?? []).filter((file) => rounds.every((files) => files.includes(file))).toSorted();
  };
  const plan = await inEachRound((round) => carryOutPlan(call, round));
  const message = await inEachRound((round) => answerMessage(call, round + 1));
  const parserCalls = await inspector.callersDuring("parsePlan", () => carryOutPlan(call, ROUNDS + 1));
  inspector.close();
  return { plan, message, parserCalls };
}

const model = await startLoopbackModel(() => ({ content: { message: "Good morning to you." } }));
const running = await startServer({ env: model.env });
try {
  console.log(JSON.stringify(await measure(createCaller(running))));
} finally {
  await running.stop();
  model.close();
}
