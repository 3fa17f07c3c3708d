import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

const DOCUMENT = `---
name: word-count
description: Counts the words of a text when somebody asks how long it is.
script_args:
  scripts/count.mjs:
    text: { type: string, max_length: 200 }
---

# Word count

Use \`scripts/count.mjs\`.
`;
const SCRIPT = `let input = "";
for await (const chunk of process.stdin) input += chunk;
console.log(JSON.parse(input).text.split(" ").length);
`;
const PLAN = `---
id: task-count
type: task
title: Count words
skills: [word-count]
steps:
  - { name: count, tool: node_exec, args: { skill: word-count, file: scripts/count.mjs, input: { text: one two three } } }
---

# What to do

Count.
`;

type Request = { readonly request_id: string; readonly plan_hash: string };
type Listed = { readonly skills: readonly { readonly name: string; readonly state: string }[] };

test("[INST-01] [INST-08] [EXEC-11] a skill is checked, approved, run in a step, and refused after one byte changed", async () => {
  const folder = join(home.dir, "word-count");
  const plan = join(home.dir, "plan.md");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), DOCUMENT);
  writeFileSync(join(folder, "scripts", "count.mjs"), SCRIPT);
  writeFileSync(plan, PLAN);
  const checked = await home.silas(["skills", "check", folder]);
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.out).toContain("word-count: a skill that can be installed");

  const early = await home.silas(["plan", "propose", plan]);
  expect(early.code).toBe(1);
  expect(early.err).toContain("The skill word-count cannot be used: it is not installed");

  const { request } = await home.json<{ readonly request: Request }>([
    "skills",
    "install",
    folder,
    "--propose",
    "--json",
  ]);
  const unread = await home.silas(["skills", "install", "word-count", "--no-input"]);
  expect(unread.code).toBe(3);
  expect(unread.err).toContain("console.log(JSON.parse(input)");
  const installed = await home.silas(["skills", "install", "word-count", "--hash", request.plan_hash]);
  expect(installed.out).toContain("Installed word-count: its scripts were tried, and it is active.");
  const states = async () => (await home.json<Listed>(["skills", "--json"])).skills;
  expect(await states()).toMatchObject([{ name: "word-count", state: "active" }]);

  const asked = await home.json<{ readonly request: Request }>(["plan", "propose", plan, "--json"]);
  const ran = await home.silas(["run", plan, "--hash", asked.request.plan_hash, "--json"]);
  expect(JSON.parse(ran.out)).toMatchObject({ run: { status: "done" }, ledger: [{ return_value: "3\n" }] });

  const again = await home.json<{ readonly request: Request }>(["plan", "propose", plan, "--json"]);
  const script = join(home.dir, "data", "skills", "word-count", "scripts", "count.mjs");
  expect(existsSync(script)).toBe(true);
  appendFileSync(script, "// one more line\n");
  expect(await states()).toMatchObject([{ state: "changed" }]);
  const refused = await home.silas(["run", plan, "--hash", again.request.plan_hash]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("The skill word-count cannot be used: its files are not those that were approved");
});
