import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { Gate, GateNote, GateTrigger } from "#model";
import { firingOf, gateOf } from "../../../../test/gate-texts.ts";
import { judgeAdvice } from "./advice.ts";
import type { GateFact } from "./answer.ts";
import { withoutRecord } from "./firing.ts";
import { answered, asking, blocking, passing, play, rewriting } from "./gates.fixture.ts";

const gates = (letters: string): readonly Gate[] => [...letters].map((name) => gateOf({ name }));
const events = (notes: readonly GateNote[]): readonly string[] => notes.map(({ event }) => event);
const args = { path: "a", deep: { x: 1, y: 2 }, amount: 5 };
const call = firingOf({ context: { message: "m", response: "r", toolArgs: args }, toolArgsAre: "proposed" });
/** One gate that wants this rewritten. */
const rewrite = (modified: unknown, fields: Partial<Gate> = {}, firing = call) =>
  play({ system: [gateOf(fields)], firing, facts: () => answered(rewriting(modified)) });

describe("verdicts", () => {
  test("[GATE-09] results, merged context and one verdict come out; advice is no part of what decides", () => {
    const out = play({ system: gates("ab"), firing: call });
    expect(out.policy.map(({ gateName, action }) => [gateName, action])).toEqual([
      ["a", "continue"],
      ["b", "continue"],
    ]);
    expect([out.verdict, out.context, out.firstBlock, out.escalation]).toEqual(["continue", call.context, null, null]);
  });

  test("[GATE-19] after the first block the rest are asked, answered and recorded, and one of them escalates", () => {
    const system = [..."abcd"].map((name) => gateOf({ name, onBlock: `handle_${name}` }));
    const out = play({ system, firing: call, facts: ({ name }) => answered("bd".includes(name) ? blocking : passing) });
    expect(out.asked.join("")).toBe("abcd");
    expect([out.verdict, out.firstBlock?.gateName, out.escalation]).toEqual(["block", "b", "handle_b"]);
    const blocked = out.notes.filter(({ event }) => event === "gate_blocked");
    expect(blocked.map(({ data }) => data)).toMatchObject([
      { gate: "b", escalates: true, on_block: "handle_b" },
      { gate: "d", escalates: false, on_block: "handle_d" },
    ]);
    expect(out.notes.find(({ event }) => event === "gates_passed")?.data).toMatchObject({ gates: ["a", "c"] });
  });

  test("a block is stricter than a question, and a question than nothing", () => {
    const verdict = (letters: string) =>
      play({
        system: gates(letters),
        firing: call,
        facts: ({ name }) => answered({ b: blocking, q: asking }[name] ?? passing),
      }).verdict;
    expect([verdict("aq"), verdict("qb"), verdict("bq"), verdict("a"), verdict("")]).toEqual([
      "require_approval",
      "block",
      "block",
      "continue",
      "continue",
    ]);
  });

  test("[GATE-24] a gate whose provider is not there blocks, and says which", () => {
    const out = play({ system: [gateOf({ provider: "script" })], firing: call, facts: () => ({ kind: "missing" }) });
    expect(out.firstBlock).toMatchObject({ action: "block", reason: "No provider: script", lane: "policy" });
  });

  test.each<[string, GateFact, string]>([
    ["throws", { kind: "failed" }, "provider_failed"],
    ["is silent", { kind: "timed_out" }, "provider_timed_out"],
    ["answers nothing", answered(undefined), "answer_malformed"],
    ["answers a word", answered("continue"), "answer_malformed"],
    ["answers an unknown action", answered({ action: "allow", reason: "" }), "answer_malformed"],
    ["gives no reason", answered({ action: "continue" }), "answer_malformed"],
    ["gives a score that is none", answered({ ...passing, value: Number.NaN }), "answer_malformed"],
    ["answers in a language of its own", answered([passing]), "answer_malformed"],
    [
      "answers with a trap",
      answered({
        get action() {
          throw new Error("trap");
        },
        reason: "",
      }),
      "answer_malformed",
    ],
  ])("[GATE-03] a provider that %s blocks", (_, fact, code) => {
    const out = play({ system: gates("a"), firing: call, facts: () => fact });
    expect([out.verdict, out.firstBlock?.code]).toEqual(["block", code]);
  });

  test("a moment nobody can name blocks, and so does a gate that nobody can ask or tell from another", () => {
    expect(play({ firing: firingOf({ trigger: "nothing" as GateTrigger }) }).verdict).toBe("block");
    expect(play({ firing: firingOf({ trigger: "after_step" }) }).verdict).toBe("block");
    expect(play({ system: [gateOf({ on: "after_step", afterStep: null })], firing: call }).verdict).toBe("block");
    const twice = play({ system: gates("a"), firing: firingOf({ ...call, itemGates: gates("a") }) });
    expect(twice.policy.map(({ action }) => action)).toEqual(["continue", "block"]);
  });

  test("what is not on record does not happen", () => {
    const passed = play({ system: gates("a"), firing: call });
    expect(withoutRecord(passed)).toMatchObject({ verdict: "block", escalation: "report" });
    const blocked = play({ system: gates("a"), firing: call, facts: () => answered(blocking) });
    expect(withoutRecord(blocked).firstBlock?.gateName).toBe("a");
  });
});

describe("the limit of a turn", () => {
  const many = gates("abcdefghij");

  test("[LIM-04] a gate that there is no room for is not asked, and blocks", () => {
    const out = play({ system: many, firing: call, evaluationsMax: 8 });
    expect([out.asked.join(""), out.evaluations, out.verdict]).toEqual(["abcdefgh", 8, "block"]);
    expect(out.policy.slice(8).map(({ code }) => code)).toEqual(["evaluations_exceeded", "evaluations_exceeded"]);
  });

  test("[LIM-04] what earlier firings of the turn used is used, and a count that is none leaves no room", () => {
    const after = (evaluationsBefore: number) =>
      play({ system: gates("ab"), firing: { ...call, evaluationsBefore } }).verdict;
    expect([after(30), after(31), after(32), after(99)]).toEqual(["continue", "block", "block", "block"]);
    expect([after(-1), after(Number.NaN), after(1.5), after(Infinity)]).toEqual(Array(4).fill("block"));
  });

  test("advice takes what room is left, and goes without where there is none", () => {
    const system = [gateOf({ name: "advice", provider: "llm" }), ...many];
    expect(play({ system, firing: call, evaluationsMax: 11 }).quality).toEqual(["advice"]);
    const full = play({ system, firing: call, evaluationsMax: 10 });
    expect([full.quality, full.verdict, full.evaluations]).toEqual([[], "continue", 10]);
  });
});

describe("rewrites", () => {
  test("[GATE-13] a later gate sees what an earlier one wrote, and the last writer of a key wins", () => {
    const seen: (string | undefined)[] = [];
    const out = play({
      system: [..."abc"].map((name) => gateOf({ name, provider: "custom" })),
      firing: call,
      facts({ name }, { message }) {
        seen.push(message);
        return answered(
          name === "b" ? rewriting({ response: "b" }) : rewriting({ message: `${message ?? ""}${name}` }),
        );
      },
    });
    expect(seen).toEqual(["m", "ma", "ma", "mac", "mac"]);
    expect(out.context).toEqual({ ...call.context, message: "mac", response: "b" });
  });

  test("[GATE-16] arguments are merged one level deep: a named one is replaced whole, the others stay", () => {
    const { context } = rewrite({ tool_args: { deep: { z: 3 }, extra: [1] } });
    expect(context.toolArgs).toEqual({ path: "a", deep: { z: 3 }, amount: 5, extra: [1] });
  });

  test("[GATE-14] [GATE-15] any other key is dropped and recorded, and the rest goes on", () => {
    const out = rewrite(
      { tool: "rm", taint: "owner", values: { a: 1 }, message: "new", "Free Text": 1 },
      { name: "g" },
    );
    expect(out.context).toEqual({ ...call.context, message: "new" });
    expect([out.verdict, out.policy[0]?.modifiedContext]).toEqual(["continue", { message: "new" }]);
    const rejected = out.notes.filter(({ event }) => event === "rejected_mutation");
    expect(rejected.map(({ data }) => ("key" in data ? data.key : null)).toSorted()).toEqual([
      `sha256:${sha256Hex("Free Text")}`,
      "taint",
      "tool",
      "values",
    ]);
    expect(rejected.every(({ data }) => "gate" in data && data.gate === "g")).toBe(true);
  });

  test.each<[string, unknown]>([
    ["a list", ["message"]],
    ["a text", "message"],
    ["a message that is no text", { message: 5 }],
    ["a reply that is nothing", { response: null }],
    ["arguments that are a list", { tool_args: [] }],
    ["arguments that are nothing", { tool_args: null }],
    ["arguments that hold a prototype", { tool_args: JSON.parse('{"__proto__": {"x": 1}}') as object }],
    ["a number nobody can write", { tool_args: { a: Number.NaN } }],
    ["half a character", { message: "\ud800" }],
    ["a function", { tool_args: { a: () => 1 } }],
    ["too many keys", Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 1]))],
  ])("[GATE-15] a rewrite into %s blocks and changes nothing", (_, modified) => {
    const out = rewrite(modified);
    expect([out.verdict, out.firstBlock?.code, out.context]).toEqual(["block", "mutation_malformed", call.context]);
    expect(out.policy[0]?.modifiedContext).toBeNull();
    expect(events(out.notes)).toEqual(["gate_blocked"]);
  });

  test("[GATE-17] each rewrite is recorded with what was and what is, neither of them readable", () => {
    const { notes } = rewrite({ message: "mail ana@example.org", tool_args: { amount: 7 } }, { name: "Ana's gate" });
    const mutations = notes.filter(({ event }) => event === "gate_mutation").map(({ data }) => data);
    expect(mutations).toMatchObject([
      { key: "message", original: sha256Hex('"m"'), modified: sha256Hex('"mail ana@example.org"'), original_chars: 3 },
      { key: "tool_args" },
    ]);
    expect(JSON.stringify(notes)).not.toMatch(/ana|mail/i);
  });

  test("what is rewritten into itself is no rewrite", () => {
    expect(events(rewrite({ message: "m", tool_args: { amount: 5 } }).notes)).toEqual(["gates_passed"]);
  });

  test("[GATE-16] arguments somebody approved are asked about again when they become more", () => {
    const approved = { ...call, toolArgsAre: "approved" } as const;
    const out = rewrite({ tool_args: { path: "b" } }, {}, approved);
    expect([out.verdict, out.policy[0]?.code]).toEqual(["require_approval", "rewrite_widens"]);
    expect(out.context.toolArgs).toMatchObject({ path: "b" });
    const { toolArgsAre: _, ...unsaid } = call;
    expect(rewrite({ tool_args: { path: "b" } }, {}, unsaid).verdict).toBe("require_approval");
    const clamp = { type: "numeric_range", config: { normalise: { clamp: { min: 0, max: 3 } } } } as const;
    expect(rewrite({ tool_args: { amount: 3 } }, clamp, approved).verdict).toBe("continue");
    expect(rewrite({ tool_args: { amount: 4 } }, clamp, approved).verdict).toBe("require_approval");
    expect(rewrite({ message: "longer" }, {}, approved).verdict).toBe("continue");
  });
});

describe("what was changed after a gate had answered", () => {
  const [first, second] = [gateOf({ name: "first" }), gateOf({ name: "second", provider: "custom" })];
  /** The first gate looks at the message, the second rewrites it. */
  const turn = (judge: (message: string) => unknown, gate = first, evaluationsMax = 32) =>
    play({
      system: [gate, second],
      firing: call,
      evaluationsMax,
      facts: ({ name }, { message = "" }) =>
        answered(name === "first" ? judge(message) : rewriting({ message: "later" })),
    });

  test("is looked at once more, and blocks or asks if it would have then", () => {
    const out = turn((message) => (message === "later" ? blocking : passing));
    expect([out.asked, out.verdict, out.firstBlock?.gateName]).toEqual([
      ["first", "second", "first"],
      "block",
      "first",
    ]);
    expect(out.policy).toHaveLength(2);
    expect(turn((message) => (message === "later" ? asking : passing)).verdict).toBe("require_approval");
    expect(turn((message) => (message === "later" ? undefined : passing)).firstBlock?.code).toBe("answer_malformed");
  });

  test("gives nothing free that was held, and what nobody changed is not asked about again", () => {
    expect(turn((message) => (message === "later" ? passing : asking)).verdict).toBe("require_approval");
    expect(turn((message) => (message === "later" ? passing : blocking)).asked).toEqual(["first", "second"]);
    expect(play({ system: gates("abc"), firing: call }).asked).toEqual(["a", "b", "c"]);
  });

  test("blocks where it undoes what a check of our own had put right; others were merely outwritten", () => {
    const fixing = (message: string) => (message === "clean" ? passing : rewriting({ message: "clean" }));
    const undone = turn(fixing);
    expect([undone.verdict, undone.firstBlock?.code]).toEqual(["block", "rewrite_undone"]);
    const outwritten = turn(fixing, gateOf({ name: "first", provider: "custom" }));
    expect([outwritten.verdict, outwritten.context.message]).toEqual(["continue", "later"]);
  });

  test("[LIM-04] asking again counts, and blocks where the turn has no room for it", () => {
    expect(turn(() => passing).evaluations).toBe(3);
    const out = turn(() => passing, first, 2);
    expect([out.verdict, out.firstBlock?.code, out.evaluations]).toEqual(["block", "evaluations_exceeded", 2]);
  });
});

describe("advice", () => {
  const advisor = gateOf({ name: "tone", provider: "llm" });
  const advise = (fact: GateFact, trigger: GateTrigger = "every_agent_response") =>
    judgeAdvice(advisor, { fact, trigger, scopeId: "owner" });

  test("it waits until the policy lane is done", () => {
    const out = play({ system: [advisor, ...gates("ab")].map((gate) => ({ ...gate })), firing: call });
    expect([out.asked.join(""), out.quality]).toEqual(["ab", ["tone"]]);
  });

  test.each([blocking, asking])(
    "[GATE-21] advice that says $action is advice, and that it tried is recorded",
    (answer) => {
      const { result, notes } = advise(answered({ ...answer, score: 0.25, flags: ["off_topic"] }));
      expect(result).toMatchObject({ lane: "quality", action: "continue", score: 0.25, flags: ["off_topic"] });
      expect(notes).toMatchObject([
        { event: "quality_lane_violation", data: { gate: "tone", tried: "action" } },
        { event: "quality_gate_output", data: { score: 0.25, flags: ["off_topic"] } },
      ]);
    },
  );

  test("a rewrite that came with advice is dropped whole", () => {
    const { result, notes } = advise(answered(rewriting({ response: "better" })));
    expect(result.modifiedContext).toBeNull();
    expect(notes[0]).toMatchObject({ event: "quality_lane_violation", data: { tried: "rewrite" } });
    expect(notes.some(({ event }) => event === "gate_mutation")).toBe(false);
  });

  test("[GATE-23] each moment has its own entry, and failure is one of them", () => {
    const at = (trigger: GateTrigger) => events(advise(answered(passing), trigger).notes);
    expect(
      (["every_user_message", "every_agent_response", "on_tool_call", "after_step"] as const).map((trigger) =>
        at(trigger),
      ),
    ).toEqual([
      ["quality_gate_input"],
      ["quality_gate_output"],
      ["quality_gate_tool_call"],
      ["quality_gate_after_step"],
    ]);
    for (const fact of [
      { kind: "missing" },
      { kind: "failed" },
      { kind: "timed_out" },
      answered({ ...passing, score: 7 }),
    ] as const) {
      const { result, notes } = advise(fact);
      expect(result).toMatchObject({ action: "continue", code: "advice_missing", score: null, flags: ["llm_error"] });
      expect(events(notes)).toEqual(["quality_gate_output"]);
    }
  });
});
