import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { err, ok } from "#base";
import { TAINTS, type AnswerPart, type ModelAnswer, type Taint } from "#model";
import { PROPOSE_PLAN, responseOf, textMessage } from "./planner.ts";
import {
  advanceConversation,
  beginConversation,
  type ConversationEffect,
  type ConversationFact,
  type ConversationTool,
  type Opening,
} from "./conversation.ts";
import { PURPOSES } from "./purposes.ts";

/** A tool whose result goes back to the model. It takes one number. */
const LOOK: ConversationTool = {
  name: "look",
  description: "Looks.",
  inputSchema: {},
  use: "perform",
  read: (args) =>
    typeof (args as { readonly at?: unknown } | null)?.at === "number" ? ok(args) : err("look takes at, a number."),
};

const openingOf = (over: Partial<Opening> = {}): Opening => ({
  purpose: "planner",
  system: ["You answer."],
  messages: [textMessage("user", "hello")],
  tools: [PROPOSE_PLAN, LOOK],
  taint: "owner",
  outputTokensMax: 100,
  ...over,
});

const text = (said: string): AnswerPart => ({ kind: "text", text: said });
const call = (name: string, args: unknown, callId = "c1"): AnswerPart => ({
  kind: "tool_call",
  callId,
  name,
  args: typeof args === "string" ? args : JSON.stringify(args),
});
const answer = (parts: readonly AnswerPart[], finish: ModelAnswer["finish"] = "stop"): ConversationFact => ({
  kind: "answered",
  answer: { parts, finish, tokensIn: 1, tokensOut: 1, bytesReceived: 1 },
});
const result = (callId: string, taint: Taint = "owner"): ConversationFact => ({
  kind: "performed",
  callId,
  text: "seen",
  isError: false,
  taint,
});

/** Plays facts and answers with all effects, each checked to be the only one. */
function play(opening: Opening, facts: readonly ConversationFact[]): readonly ConversationEffect[] {
  let step = beginConversation(opening);
  const effects = [...step.effects];
  for (const fact of facts) {
    step = advanceConversation(step.state, fact);
    expect(step.effects.length).toBeLessThanOrEqual(1);
    effects.push(...step.effects);
  }
  return effects;
}
const lastOf = (effects: readonly ConversationEffect[]) => effects.at(-1);
const toldIn = (effect: ConversationEffect | undefined): string =>
  JSON.stringify(effect?.kind === "ask" ? effect.question.messages.at(-1) : null);

describe("a conversation", () => {
  test("words end it, and are the answer", () => {
    const effects = play(openingOf(), [answer([text("It is "), text("Monday.")])]);
    expect(effects.map(({ kind }) => kind)).toEqual(["ask", "end"]);
    expect(lastOf(effects)).toMatchObject({ end: { kind: "said", text: "It is Monday.", call: null, taint: "owner" } });
  });

  test("[FLOW-07] a plan reaches the owner by a call that ends the conversation, with the words beside it", () => {
    const plan = { plan_markdown: "---\nid: task-a\n---", continuation_of: null };
    const end = lastOf(play(openingOf(), [answer([text("I would count."), call("propose_plan", plan)])]));
    expect(end).toMatchObject({ end: { kind: "said", call: { name: "propose_plan", args: plan } } });
    if (end?.kind !== "end" || end.end.kind !== "said") throw new Error("it ended");
    expect(responseOf(end.end)).toEqual({ message: "I would count.", plan_action: { action: "propose", ...plan } });
    expect(responseOf({ text: "", call: end.end.call }).message).not.toBe("");
    expect(responseOf({ text: "No.", call: null })).toEqual({ message: "No." });
  });

  test("[FLOW-07] a model is offered exactly the arguments of a plan that are read, and no other has an effect", () => {
    const written = { plan_markdown: "# A plan", continuation_of: "task-1", action: "revise", needs_approval: false };
    const read = { plan_markdown: "# A plan", continuation_of: "task-1" };
    const { properties } = PROPOSE_PLAN.inputSchema as { readonly properties: object };
    expect(Object.keys(properties)).toEqual(Object.keys(read));
    expect(PROPOSE_PLAN.read(written)).toEqual(ok(read));
    expect(PROPOSE_PLAN.read({ plan_markdown: "# A plan" })).toEqual(ok({ ...read, continuation_of: null }));
    const wrong = PROPOSE_PLAN.read({ plan_markdown: "# A plan", continuation_of: 7 });
    expect(wrong).toEqual(err("`continuation_of` must be one line of at most 128 characters, or null."));
    expect(PROPOSE_PLAN.read(null)).toMatchObject({ ok: false });
  });

  test.each([
    ["an unknown tool", call("delete_all", {}), 'There is no tool \\"delete_all\\"'],
    ["arguments that are no JSON", call("look", "{at: 1"), "not valid JSON"],
    ["another tool's arguments", call("look", { plan_markdown: "x" }), "look takes at"],
    ["a wrong type", call("propose_plan", { plan_markdown: 7 }), "plan_markdown"],
    ["no arguments", call("look", ""), "look takes at"],
  ])("%s goes back to the model as a result that says what is wrong, and nothing is performed", (_what, bad, words) => {
    const effects = play(openingOf(), [answer([bad])]);
    expect(effects.map(({ kind }) => kind)).toEqual(["ask", "ask"]);
    expect(toldIn(lastOf(effects))).toContain(words);
    expect(toldIn(lastOf(effects))).toContain('"isError":true');
  });

  test("one call that does not fit keeps the others of its answer from being performed, and says so", () => {
    const effects = play(openingOf(), [answer([call("look", { at: 1 }), call("look", {}, "c2")])]);
    expect(effects.map(({ kind }) => kind)).toEqual(["ask", "ask"]);
    expect(toldIn(lastOf(effects))).toContain("Not performed");
  });

  test("calls are performed one after the other, and their results go back in one message", () => {
    const calls = answer([call("look", { at: 1 }), call("look", { at: 2 }, "c2")]);
    const effects = play(openingOf(), [calls, result("c1"), result("c2"), answer([text("Done.")])]);
    expect(effects.map(({ kind }) => kind)).toEqual(["ask", "perform", "perform", "ask", "end"]);
    expect(effects[3]).toMatchObject({ question: { messages: [{}, { role: "assistant" }, { role: "tool" }] } });
    expect(toldIn(effects[3]).match(/"callId":"c\d"/g)).toEqual(['"callId":"c1"', '"callId":"c2"']);
  });

  test("[TAINT-06] what a tool returns lowers the trust of all that follows, and never raises it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TAINTS), fc.constantFrom(...TAINTS), (before, returned) => {
        const facts = [answer([call("look", { at: 1 })]), result("c1", returned), answer([text("So.")])];
        const least = TAINTS[Math.max(TAINTS.indexOf(before), TAINTS.indexOf(returned))];
        const effects = play(openingOf({ taint: before }), facts);
        expect(effects[2]).toMatchObject({ kind: "ask", taint: least });
        expect(lastOf(effects)).toMatchObject({ end: { taint: least } });
      }),
    );
  });

  test("slips in a row end it: with what was said so far, or as unreadable when nothing was", () => {
    const { slipsMax } = PURPOSES.planner;
    const bad = answer([call("nothing", {})]);
    const slips = Array.from({ length: slipsMax + 1 }, () => bad);
    expect(lastOf(play(openingOf(), slips))).toEqual({
      kind: "end",
      end: { kind: "failed", failure: "model_unreadable" },
    });
    const spoken = [answer([text("Let me see."), call("nothing", {})]), ...slips.slice(1)];
    expect(lastOf(play(openingOf(), spoken))).toMatchObject({ end: { kind: "said", text: "Let me see.", call: null } });
  });

  test("an answer without words or calls is none; one that its provider withheld was refused", () => {
    const failed = (failure: string) => ({ kind: "end", end: { kind: "failed", failure } });
    expect(lastOf(play(openingOf(), [answer([text("  ")])]))).toEqual(failed("model_unreadable"));
    expect(lastOf(play(openingOf(), [answer([], "content_filter")]))).toEqual(failed("model_refused"));
    expect(lastOf(play(openingOf(), [{ kind: "failed", failure: "model_busy" }]))).toEqual(failed("model_busy"));
  });

  test("[WORK-19] answers of an executor go to its run unjudged, whatever they call", () => {
    const parts = [text("I write."), call("no_such_tool", "{")];
    expect(lastOf(play(openingOf({ purpose: "executor" }), [answer(parts)]))).toMatchObject({
      end: { kind: "said", parts, call: null },
    });
  });

  test("equal facts give equal effects; it always ends within its limits; late facts change nothing", () => {
    const part = fc.oneof(
      fc.string({ maxLength: 8 }).map(text),
      fc
        .tuple(
          fc.constantFrom("look", "propose_plan", "other"),
          fc.constantFrom("{}", '{"at":1}', "{", '{"plan_markdown":"x"}'),
        )
        .map(([name, args]) => call(name, args)),
    );
    const facts = fc.array(
      fc.oneof(
        fc.array(part, { maxLength: 3 }).map((parts) => answer(parts)),
        fc.constantFrom(result("c1"), result("c2"), { kind: "failed", failure: "model_timeout" } as const),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(facts, (all) => {
        const effects = play(openingOf(), all);
        expect(play(openingOf(), all)).toEqual(effects);
        expect(effects.filter(({ kind }) => kind === "ask").length).toBeLessThanOrEqual(PURPOSES.planner.callsMax);
        expect(effects.slice(0, -1).filter(({ kind }) => kind === "end")).toEqual([]);
        // A performed call was offered, and its arguments fit.
        const performed = effects.flatMap((effect) => (effect.kind === "perform" ? [effect.call] : []));
        expect(performed.filter(({ name, args }) => name !== LOOK.name || !LOOK.read(args).ok)).toEqual([]);
      }),
    );
  });
});
