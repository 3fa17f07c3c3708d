import { expect, test } from "vitest";
import { accepted, problems, taskFile } from "../../../../test/plan-texts.ts";
import { FILE_ALONE, planHash, projectPlan } from "../plan-hash.ts";

const step = (rest: string): string => taskFile(`steps:\n  - { name: a, ${rest} }`);
const found = (markdown: string): readonly string[] =>
  problems(markdown).map((problem) => problem.replace(/ \d+:\d+ /, " "));
const asks = (rest: string): string => step(`tool: ask_owner, args: { question: Which?, file: way.txt, ${rest} }`);
const TWO = "options: [{ label: One, value: a }, { label: Two, value: b }]";

test("[PLAN-03] a question has two answers that differ, or takes words; a draft is looked at where it lies", () => {
  expect(accepted(asks(TWO)).item.steps).toHaveLength(1);
  expect(accepted(asks("freetext: true")).item.steps).toHaveLength(1);
  expect(found(asks("freetext: false"))).toEqual(["ask_unanswerable steps.0.args.options"]);
  expect(found(asks("options: [{ label: One, value: a }]"))).toEqual(["ask_unanswerable steps.0.args.options"]);
  expect(found(asks(TWO.replace("value: b", "value: a")))).toEqual(["ask_unanswerable steps.0.args.options"]);
  expect(found(asks("options: [{ label: One }]"))).toEqual(["wrong_value steps.0.args.options.0.value"]);
  expect(found(asks(TWO.replace("One", '"One\\u202e"')))).not.toEqual([]);
  expect(accepted(step("tool: review_draft, args: { path: letter.txt, about: The letter }")).item.steps).toHaveLength(
    1,
  );
});

test("[PLAN-03] what asks stays in the workspace, and has nothing that only a program could use", () => {
  const outside = `files: { write: [/srv/pages] }\nsteps:\n  - { name: a, tool: review_draft, args: { path: /srv/pages/a.txt, about: It } }`;
  expect(found(taskFile(outside))).toEqual(["step_path_refused steps.0.args.path"]);
  expect(found(asks(`${TWO}, file: ../way.txt`).replace("file: way.txt, ", ""))).toEqual([
    "step_path_refused steps.0.args.file",
  ]);
  const online = taskFile(
    `hosts: [api.example.org]\nsteps:\n  - { name: a, network: true, tool: ask_owner, args: { question: Which?, file: way.txt, freetext: true } }`,
  );
  expect(found(online)).toEqual(["ask_runs_nothing steps.0.network"]);
});

test("[PLAN-10] every word of a question is under the hash of the plan that asks it", () => {
  const hash = (text: string) => planHash(projectPlan(accepted(text).item, FILE_ALONE));
  const plain = hash(asks(TWO));
  for (const other of [
    asks(TWO).replace("Which?", "What?"),
    asks(TWO).replace("label: Two", "label: Three"),
    asks(TWO).replace("value: b", "value: c"),
    asks(`${TWO}, freetext: true`),
    asks(TWO).replace("way.txt", "another.txt"),
  ]) {
    expect(hash(other)).not.toBe(plain);
  }
});
