/** Replies that stream, at a real terminal: text appears before the provider has ended, and Ctrl-C stops it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ToldTurnBody } from "#model";
import { createHome, type Home } from "./cli-process.ts";
import { startLoopbackModel, type LoopbackModel } from "./loopback-model.ts";
import { sitAt } from "./typing-person.ts";
import { createSlowAnswer, type SlowAnswer } from "./slow-answer.ts";

let home: Home;
let model: LoopbackModel;
let slow: SlowAnswer;
beforeEach(async () => {
  home = createHome();
  slow = createSlowAnswer();
  model = await startLoopbackModel(() => slow.said);
});
afterEach(async () => {
  slow.goOn();
  await home.remove();
  model.close();
});

type Listed = { readonly turns: readonly ToldTurnBody[] };
const turns = async () => (await home.json<Listed>(["messages", "--json"])).turns;

test("[WEB-10] silas say prints the first words before the model has said the last, and each word once; a program gets the reply whole", async () => {
  await home.start(["--no-open"], model.env);
  const sat = await sitAt(home, {
    args: ["say", "tell me"],
    // The first words are on the screen; only then does the model go on.
    turns: [{ when: /word 40 /, type: "", act: () => slow.goOn() }],
  });
  expect(slow.wentOn()).toBe(true);
  expect(sat.code).toBe(0);
  expect(sat.screen.replaceAll(/\r?\n/g, "")).toContain(slow.words);
  expect(sat.screen.split("word 40 ")).toHaveLength(2);
  const piped = await home.silas(["say", "once more"]);
  expect(piped.out).toContain(`${slow.words}\n`);
});

test("[WEB-10] silas say without a running server prints the first words before the model has said the last as well", async () => {
  expect((await home.silas(["init"])).code).toBe(0);
  const sat = await sitAt(home, {
    args: ["say", "tell me"],
    env: model.env,
    turns: [{ when: /word 40 /, type: "", act: () => slow.goOn() }],
  });
  expect(slow.wentOn()).toBe(true);
  expect(sat.code).toBe(0);
  expect(sat.screen.replaceAll(/\r?\n/g, "")).toContain(slow.words);
  expect(sat.screen.split("word 40 ")).toHaveLength(2);
});

test("Ctrl-C stops the answer: the provider's connection is closed, the part that was shown is kept, and the command fails", async () => {
  await home.start(["--no-open"], model.env);
  const sat = await sitAt(home, { args: ["say", "tell me"], turns: [{ when: /word 40 /, type: "\u0003" }] });
  expect(sat.code).toBe(1);
  expect(sat.screen).toContain("Stopped.");
  expect([slow.wentOn(), model.cutCount()]).toEqual([false, 1]);
  const [turn] = await turns();
  expect(turn).toMatchObject({ state: "failed", failure: "turn_stopped" });
  expect(slow.words.startsWith(turn?.reply ?? "none")).toBe(true);
  expect((await home.silas(["activity"])).out).toContain("Stopped an answer");
  expect((await home.silas(["audit", "verify", "--full"])).code).toBe(0);
});
