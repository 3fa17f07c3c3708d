import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { RunQuestion, StepReply } from "#model";
import type { QuestionReady, RunEffect } from "./facts.ts";
import { callsOf, CHECKS, kindsOf, live, newWorld, planOf, type Answers, type World } from "./world.fixture.ts";

const PLAN = planOf(`steps:
  - { name: first, tool: file_write, args: { path: one.txt, content: one } }
  - { name: choose, tool: ask_owner, args: { question: Which?, freetext: true, file: way.txt } }
  - { name: last, tool: file_write, args: { path: two.txt, content: two } }
${CHECKS}`);

const QUESTION: RunQuestion = {
  requestId: "request-1",
  operationId: "run-1.a",
  stepIndex: 1,
  gate: "ask_owner",
  contentHash: sha256Hex("which"),
};
const READY: QuestionReady = { ready: true, question: QUESTION };
const TEXT: StepReply = { kind: "text", text: "this" };
const ANSWERED: Answers = { question: () => READY, verdict: () => "approved", reply: () => TEXT };
const written = (world: World) => callsOf(world).map(({ stdin }) => JSON.parse(stdin ?? "").args.content as string);

test("[CARD-16] the run rests at the question, and nothing of the steps after it begins without an answer", () => {
  const world = newWorld();
  const state = live(world, { plan: PLAN, answers: { question: () => READY } });
  expect(state).toMatchObject({ phase: "waiting", run: { status: "waiting", question: QUESTION } });
  expect(written(world)).toEqual(["one"]);
  expect(kindsOf(world).slice(-2)).toEqual(["prepare_question", "ask"]);
  expect(world.kept.ledger).toHaveLength(1);
});

test("[CARD-16] wherever the process ends, the next one goes on: nothing comes after the question without its answer", () => {
  const whole = newWorld();
  live(whole, { plan: PLAN, answers: ANSWERED });
  expect(written(whole)).toEqual(["one", "this", "two"]);
  for (let at = 0; at < whole.effects.length; at += 1) {
    const world = newWorld();
    let count = 0;
    const isCrash = (_effect: RunEffect): boolean => count++ === at;
    live(world, { plan: PLAN, answers: { ...ANSWERED, isCrash } });
    const state = live(world, { plan: PLAN, answers: ANSWERED });
    expect(state.run, `ended before effect ${at}`).toMatchObject({ status: "done", isVerified: true });
    const all = written(world);
    expect(all.slice(-3), `ended before effect ${at}`).toEqual(["one", "this", "two"]);
    const before = all.flatMap((content, index) => (content === "two" ? [all[index - 1]] : []));
    expect(before.every((content) => content === "this")).toBe(true);
  }
});

test("a stop while it is made ready, a pause while it waits, and a refusal of its approval are heard", () => {
  const stopped = newWorld();
  const isCancel = ({ kind }: RunEffect) => kind === "prepare_question";
  expect(live(stopped, { plan: PLAN, answers: { ...ANSWERED, isCancel } }).run.status).toBe("cancelled");
  expect(written(stopped)).toEqual(["one"]);
  const held = newWorld();
  const isPause = ({ kind }: RunEffect) => kind === "ask";
  expect(live(held, { plan: PLAN, answers: { ...ANSWERED, isPause, pauseMs: 5 } }).run.status).toBe("done");
  expect(written(held)).toEqual(["one", "this", "two"]);
  const refused = newWorld();
  const decision = () => "answer_refused";
  expect(live(refused, { plan: PLAN, answers: { ...ANSWERED, decision } }).run).toMatchObject({
    status: "blocked",
    lastError: "Step choose was not run: its own approval does not hold: answer refused",
  });
});
