import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { questionTokens, RETURN_CHARS, type LedgerEntry } from "#model";
import type { ToolCall } from "#tools";
import type { RunEffect } from "../run/facts.ts";
import { CHECKS, live, newWorld, planOf, promptOf } from "../run/world.fixture.ts";
import { riskOfCall } from "./high-risk.ts";
import { executorMessages, instructionsFor } from "./instructions.ts";
import type { ModelPlan } from "./answers.ts";
import { readMove } from "./read-move.ts";

type Question = Extract<RunEffect, { kind: "ask_model" }>;

const PLAN: ModelPlan = { executor: "model", tools: ["file_read", "file_write"], files: { read: [], write: [] } };

describe("a model that carries out work, at the edges of what it may say and cost", () => {
  test("only an attempt after the first is told why the one before failed", () => {
    const told = (attempts: number) => instructionsFor({ body: "Do it.", attempts, lastError: "no", guidance: null });
    expect(told(1)).toBe("Do it.");
    expect(told(2)).toContain("# Previous attempt 1 failed");
  });

  test("a result is cut only when it is longer than what is shown", () => {
    const prompt = (chars: number) => {
      const entry = { stepIndex: 0, success: true, error: null, returnValue: "x".repeat(chars) };
      const pass = [entry as never as LedgerEntry];
      return promptOf({ messages: executorMessages({ instructions: "Do it.", steps: [], pass, problem: null }) });
    };
    expect(prompt(LIMITS.modelResultChars)).not.toContain("(cut)");
    expect(prompt(LIMITS.modelResultChars + 1)).toContain("x\n(cut)");
  });

  test("an answer is as long as the limit at most", () => {
    const problemOf = (chars: number) => {
      const move = readMove(`{${" ".repeat(chars - 2)}}`, PLAN);
      return move.ok ? null : move.error.summary;
    };
    expect(problemOf(RETURN_CHARS)).toContain("summary");
    expect(problemOf(RETURN_CHARS + 1)).toContain("longer than");
  });

  test("a call is named whole as long as its name fits", () => {
    const nameFor = (chars: number) => {
      const path = "a".repeat(chars - "file_write ".length);
      const move = readMove(JSON.stringify({ tool: "file_write", args: { path, content: "x" } }), PLAN);
      return move.ok && move.value.kind === "call" ? move.value.step.name : null;
    };
    expect(nameFor(80)).toBe(`file_write ${"a".repeat(69)}`);
    expect(nameFor(81)).toBe(`file_write ${"a".repeat(29)}…`);
  });

  test("after a program has run, changing a file is asked about, and reading one is not", () => {
    const files = { read: [], write: ["/srv/pages"] };
    const before = [{ run: null, tool: "shell_exec", args: { argv: ["true"] } }];
    const risk = (call: object) => riskOfCall(call as ToolCall, { files, before: before as never });
    expect(risk({ tool: "file_write", args: { path: "a", content: "x" } })).toContain("after a program has run");
    expect(risk({ tool: "file_read", args: { path: "a" } })).toBeNull();
  });

  test("a model is asked as long as there is room for the shortest answer", () => {
    const asked = (maxTokens: number): readonly Question[] => {
      const questions: Question[] = [];
      const model = (question: Question) => {
        questions.push(question);
        return { spoke: false, error: "silent", tokensUsed: 0 } as never;
      };
      const lines = `executor: model\ntools: [file_read]\nbudget: { max_attempts: 1, max_tokens: ${maxTokens} }\n`;
      live(newWorld(), { plan: planOf(lines + CHECKS), answers: { model } });
      return questions;
    };
    const [first] = asked(20_000);
    if (first === undefined) throw new Error("it is asked");
    const costs = questionTokens({ ...first, system: [first.system] });
    expect(asked(costs + LIMITS.modelAnswerTokensMin)[0]?.outputTokensMax).toBe(LIMITS.modelAnswerTokensMin);
    expect(asked(costs + LIMITS.modelAnswerTokensMin - 1)).toEqual([]);
  });
});
