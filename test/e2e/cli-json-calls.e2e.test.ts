/** A model without tool calls of its own, from a terminal: it is told the tools in words and proposes a plan as JSON. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";
import { startLoopbackModel, type LoopbackModel } from "./loopback-model.ts";

const PLAN = `---
id: task-greeting
type: task
title: Write a greeting
skills: []
budget: { max_wall_time_seconds: 600, max_attempts: 1 }
steps:
  - { name: write, tool: file_write, args: { path: out.txt, content: "good morning" } }
verify:
  - { name: it is there, run: cat out.txt, expect: { contains: morning } }
on_stuck: report
---

# What to do

Write it.
`;

/** Text, as such a model gives it: a sentence, a fence and one JSON object. */
const proposal = (args: object): string =>
  `Of course.\n\`\`\`json\n${JSON.stringify({ message: "Shall I write a greeting?", tool: "propose_plan", args })}\n\`\`\``;

let home: Home;
let model: LoopbackModel;
beforeEach(async () => {
  home = createHome();
  // The first call does not fit; what is wrong goes back to the model as text.
  model = await startLoopbackModel(({ prompt }) => ({
    content: proposal(prompt.includes("Error of propose_plan") ? { plan_markdown: PLAN } : {}),
  }));
  mkdirSync(join(home.dir, "config"));
  writeFileSync(join(home.dir, "config", "silas.yaml"), "silas:\n  models: { tool_calls: json }\n");
});
afterEach(async () => {
  await home.remove();
  model.close();
});

type Inbox = { readonly requests: readonly { readonly request_id: string; readonly plan_hash: string }[] };
type Runs = { readonly runs: readonly { readonly run: { readonly status: string } }[] };
type Body = { readonly tools?: unknown; readonly messages: readonly { readonly role: string }[] };

test("with tool_calls: json a plan that a model wrote as text waits for its owner and runs once it is approved", async () => {
  await home.start(["--no-open"], model.env);
  expect((await home.silas(["models", "show"], { env: model.env })).out).toContain("tool_calls: json");
  const said = await home.silas(["say", "greet me"]);
  expect(said).toMatchObject({ code: 0 });
  expect(said.out).toContain("Shall I write a greeting?");
  expect(said.out).not.toContain("plan_markdown");
  expect(model.sent).toHaveLength(2);
  for (const { system, body } of model.sent) {
    expect(system).toContain("## propose_plan");
    const { tools, messages } = JSON.parse(body) as Body;
    expect(tools).toBeUndefined();
    expect(messages.filter(({ role }) => !["system", "user", "assistant"].includes(role))).toEqual([]);
  }
  const [request] = (await home.json<Inbox>(["inbox", "--json"])).requests;
  expect(said.out).toContain(`silas approve ${request?.request_id}`);
  const approved = await home.silas(["approve", request?.request_id ?? "", "--hash", request?.plan_hash ?? ""]);
  expect(approved).toMatchObject({ code: 0 });
  const statuses = async () => (await home.json<Runs>(["work", "list", "--json"])).runs.map(({ run }) => run.status);
  await expect.poll(statuses, { interval: 500 }).toEqual(["done"]);
});
