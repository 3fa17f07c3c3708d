import { expect, test } from "vitest";
import type { Instant } from "#base";
import type { ToolCall } from "#tools";
import { beginStep } from "./start-step.ts";
import type { RunState } from "./facts.ts";
import { cut } from "./ledger.ts";

test("a text is cut to its length, and never within a character", () => {
  expect([cut("abc", 2), cut("abc", 3), cut("abc", 4)]).toEqual(["ab", "abc", "abc"]);
  expect([cut("a😀", 2), cut("a😀", 3)]).toEqual(["a", "a😀"]);
});

test("a question is made ready without a record where there is nothing to keep", () => {
  const call = { tool: "ask_owner", args: { question: "Which?", file: "answer.txt" } } as never as ToolCall;
  const { effects } = beginStep({ pass: [] } as never as RunState, {
    at: "2026-11-15T09:00:00.000Z" as Instant,
    entries: [],
    call,
  });
  expect(effects.map(({ kind }) => kind)).toEqual(["prepare_question"]);
});
