/** Work that a model does, from a terminal: refused without one, carried out within its limits with one. */
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";
import { startLoopbackModel, type LoopbackModel } from "./loopback-model.ts";

const PLAN = `---
id: task-greeting
type: task
title: Write a greeting
executor: model
tools: [file_write]
skills: []
budget: { max_wall_time_seconds: 600, max_attempts: 1 }
verify:
  - { name: it is there, run: cat out.txt, expect: { contains: morning } }
on_stuck: report
---

# What to do

Write it.
`;

const CALL = {
  tool: "file_write",
  args: { path: "out.txt", content: "good morning" },
  artifacts: { greeting: "out.txt" },
};
const END = { summary: "It is written.", artifact_refs: ["greeting"], next_steps: ["Send it."] };

let home: Home;
let model: LoopbackModel;
beforeEach(async () => {
  home = createHome();
  model = await startLoopbackModel(({ prompt }) => ({
    content: prompt.includes("Nothing was called yet") ? CALL : END,
  }));
});
afterEach(async () => {
  await home.remove();
  model.close();
});

type Checked = { readonly plan_hash: string };
type Detail = {
  readonly run: { readonly status: string; readonly is_verified: boolean };
  readonly result: { readonly next_steps: readonly string[] };
};

test("a plan for a model is refused without one; with one its calls are watched, its check decides, and the result says what is next", async () => {
  const file = join(home.dir, "greeting.md");
  writeFileSync(file, PLAN);
  const checked = await home.silas(["plan", "check", file, "--json"], { env: model.env });
  const { plan_hash: hash } = JSON.parse(checked.out) as Checked;
  const refused = await home.silas(["run", file, "--hash", hash]);
  expect(refused.code).not.toBe(0);
  expect(refused.out + refused.err).toContain(
    "needs an AI model, and none is set up; `silas models show` says what is missing",
  );
  const ran = await home.silas(["run", file, "--hash", hash, "--json"], { env: model.env });
  expect(ran).toMatchObject({ code: 0 });
  const detail = JSON.parse(ran.out) as Detail;
  expect(detail.run).toMatchObject({ status: "done", is_verified: true });
  expect(detail.result.next_steps).toEqual(["Send it."]);
});
