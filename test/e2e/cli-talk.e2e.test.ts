/** A model that answers, from a terminal: words in, a reply and a plan out; nothing runs before it is approved. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";
import { startLoopbackModel, type LoopbackModel } from "./loopback-model.ts";

const POLL = { interval: 500 };
const PLAN = `---
id: task-greeting
type: task
title: Write a greeting
skills: []
budget: { max_wall_time_seconds: 600, max_attempts: 1 }
steps:
  - { name: write, tool: file_write, args: { path: out.txt, content: "good morning" } }
  - { name: show, run: cat out.txt }
verify:
  - { name: it is there, run: cat out.txt, expect: { contains: morning } }
on_stuck: report
---

# What to do

Write it.
`;

/** Proposes the plan whenever somebody asks for a greeting. */
function answerTo(prompt: string): object {
  if (!prompt.endsWith("greet me\n--- end ---")) return { message: "It went well.", plan_action: null };
  const plan_action = { action: "propose", plan_markdown: PLAN, continuation_of: null, needs_approval: false };
  return { message: "Shall I write a greeting?", plan_action };
}

let home: Home;
let model: LoopbackModel;
beforeEach(async () => {
  home = createHome();
  model = await startLoopbackModel(({ prompt }) => ({ content: answerTo(prompt) }));
});
afterEach(async () => {
  await home.remove();
  model.close();
});

type Inbox = { readonly requests: readonly { readonly request_id: string; readonly plan_hash: string }[] };
type Runs = { readonly runs: readonly { readonly run: { readonly status: string } }[] };

test("[ROLE-11] [TURN-38] a message is answered with words and a plan; the plan waits for its owner, runs when it is approved, and the next answer knows what it printed", async () => {
  const started = await home.start(["--no-open"], model.env);
  await expect.poll(started.output, POLL).toContain(`Mode    trial at ${model.host}`);
  const said = await home.silas(["say", "greet me"]);
  expect(said).toMatchObject({ code: 0 });
  expect(said.out).toContain("trial is asked for an answer.");
  expect(said.out).toContain("Shall I write a greeting?");
  const statuses = async () => (await home.json<Runs>(["work", "list", "--json"])).runs.map(({ run }) => run.status);
  expect(await statuses()).toEqual([]);
  const [request] = (await home.json<Inbox>(["inbox", "--json"])).requests;
  expect(said.out).toContain(`silas approve ${request?.request_id}`);
  const approved = await home.silas(["approve", request?.request_id ?? "", "--hash", request?.plan_hash ?? ""]);
  expect(approved).toMatchObject({ code: 0 });
  await expect.poll(statuses, POLL).toEqual(["done"]);
  const again = await home.silas(["say", "how did it go"]);
  expect(again.out).toContain("It went well.");
  expect(again.out).toContain("Made from something others wrote");
  const asked = model.sent.find(({ prompt }) => prompt.endsWith("how did it go\n--- end ---"));
  expect(asked?.prompt).toContain("good morning");
  expect((await home.silas(["activity"])).out).toContain(`to the model trial at ${model.host}`);
  expect((await home.silas(["audit", "verify", "--full"])).code).toBe(0);
});
