import { expect, test } from "vitest";
import { questionLines, saidAnswer, type Question } from "./ask-answer.ts";

const PLACE = {
  operation_id: "run-1.a",
  run_id: "run-1",
  plan_request_id: "request-1",
  plan_id: "task-1",
  plan_hash: "ab".repeat(32),
  attempt: 1,
  step: 1,
  step_name: "ask",
  file: "a.txt",
};
const ASKED: Question = {
  kind: "decision",
  ...PLACE,
  question: "Which way?",
  options: [{ label: "By post", value: "post", approval_tier: "tap" }],
  allow_freetext: true,
};
const DRAFT: Question = { kind: "draft_review", ...PLACE, context: "the letter", draft: "Dear all\n" };

test("[CARD-16] each option of the command is one answer, and two are none", async () => {
  const decided = { selected_value: null, freetext: null, approved: true };
  const drafted = { edited_text: null, note: null };
  expect(await saidAnswer(ASKED, {})).toBeNull();
  expect(await saidAnswer(ASKED, { option: "post" })).toEqual({ ...decided, selected_value: "post" });
  expect(await saidAnswer(ASKED, { text: "by hand" })).toEqual({ ...decided, freetext: "by hand" });
  expect(await saidAnswer(ASKED, { reject: true })).toEqual({ ...decided, approved: false });
  expect(await saidAnswer(DRAFT, { approve: true })).toEqual({ ...drafted, verdict: "approve" });
  expect(await saidAnswer(DRAFT, { again: "warmer" })).toEqual({ ...drafted, verdict: "rephrase", note: "warmer" });
  expect(await saidAnswer(DRAFT, { reject: true })).toEqual({ ...drafted, verdict: "reject" });
  await expect(saidAnswer(DRAFT, { approve: true, reject: true })).rejects.toThrow("cannot be one answer");
  await expect(saidAnswer(DRAFT, { option: "post" })).rejects.toThrow("answers no draft");
  await expect(saidAnswer(DRAFT, { edit: "/no/such/file" })).rejects.toThrow("cannot be read");
});

test("a question and a draft are shown line by line, and a line of a draft passes for no other", () => {
  expect(questionLines(ASKED)).toEqual(["Which way?", "  post  By post", "  or words of your own"]);
  expect(questionLines(DRAFT)).toEqual(["Draft for the letter:", "  | Dear all", "  | "]);
});
