import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "#base";
import { spawnPolicyHash, spawnsTask } from "./spawn.ts";

type Goal = { readonly [field: string]: JsonValue };

const GATES = [
  { name: "b", on: "on_tool_call", on_block: "stop" },
  { name: "a", on: "after_step", after_step: 2, on_block: "report" },
];
const CHECKS = [
  { name: "up", run: "curl x", expect: { exit_code: 0 }, timeout: 60, network: true },
  { name: "size", run: "test -s y", expect: { exit_code: 0 }, timeout: 5, network: false },
];
const ESCALATION = {
  fix: { action: "spawn_task", queue: null, max_retries: 2 },
  stop: { action: "report", queue: null, max_retries: 0 },
  other: { action: "retry", queue: null, max_retries: 9 },
};
const GOAL: Goal = {
  id: "goal-1",
  on_failure: "fix",
  failure_context: "Repair.\n$failed_checks\n",
  skills: ["b", "a", "b"],
  gates: GATES,
  verify: CHECKS,
  escalation: ESCALATION,
  body: "Whatever.",
};
const HASH = spawnPolicyHash(GOAL);

test("[APPR-24] the policy of a goal has a fixed hash: template, skills, gates, checks and reached escalations", () => {
  // Computed by another program from the definition.
  expect(HASH).toBe("ac313ce747a31311d1d837bffc8dfe0eb2a8609c0463a2ec757b57d897101ed2");
  expect(spawnPolicyHash({ ...GOAL, failure_context: null })).toBe(spawnPolicyHash({ ...GOAL, failure_context: "" }));
});

describe("what moves the policy", () => {
  const turned = fc.record({
    skills: fc.shuffledSubarray(["a", "b", "a", "b"], { minLength: 2 }).filter((names) => new Set(names).size === 2),
    gates: fc.shuffledSubarray(GATES, { minLength: 2 }),
    verify: fc.shuffledSubarray(CHECKS, { minLength: 2 }),
    keys: fc.shuffledSubarray(Object.keys(GOAL), { minLength: Object.keys(GOAL).length }),
  });

  test("[APPR-25] order and repetition do not, nor the details of one failure, which are in no goal", () => {
    fc.assert(
      fc.property(turned, ({ keys, ...parts }) => {
        const goal: Goal = { ...GOAL, ...parts };
        const shuffled = Object.fromEntries(keys.toReversed().map((key) => [key, goal[key] ?? null]));
        expect(spawnPolicyHash(shuffled)).toBe(HASH);
        const reversed = goal["gates"] as readonly object[];
        const inside = reversed.map((gate) => Object.fromEntries(Object.entries(gate).toReversed()));
        expect(spawnPolicyHash({ ...goal, gates: inside as JsonValue })).toBe(HASH);
      }),
      { numRuns: 60 },
    );
  });

  test("[APPR-25] every field of every gate and check, a skill, a character of the template and an escalation do", () => {
    const changes: Goal[] = [
      { failure_context: "Repair.\n$failed_checks" },
      { failure_context: "repair.\n$failed_checks\n" },
      { skills: ["a"] },
      { skills: ["a", "b", "c"] },
      { gates: [] },
      { verify: [...CHECKS, ...CHECKS] },
      { escalation: { ...ESCALATION, fix: { ...ESCALATION.fix, max_retries: 3 } } },
      { escalation: { ...ESCALATION, stop: { ...ESCALATION.stop, action: "retry" } } },
    ];
    for (const [name, list] of [
      ["gates", GATES],
      ["verify", CHECKS],
    ] as const) {
      for (const [index, entry] of list.entries()) {
        for (const field of Object.keys(entry)) {
          changes.push({ [name]: list.with(index, { ...entry, [field]: "another" } as never) as JsonValue });
        }
      }
    }
    for (const change of changes) {
      expect(spawnPolicyHash({ ...GOAL, ...change }), JSON.stringify(change)).not.toBe(HASH);
    }
  });

  test("[APPR-26] only escalations that a failure or a gate can reach count, and only if there are any of that name", () => {
    const { other: _other, ...reached } = ESCALATION;
    expect(spawnPolicyHash({ ...GOAL, escalation: reached })).toBe(HASH);
    const edited = { ...ESCALATION, other: { action: "report", queue: "x", max_retries: 1 } };
    expect(spawnPolicyHash({ ...GOAL, escalation: edited })).toBe(HASH);
    expect(spawnPolicyHash({ ...GOAL, escalation: { ...edited, report: ESCALATION.stop } })).not.toBe(HASH);
    expect(spawnPolicyHash({ ...GOAL, on_failure: "other" })).not.toBe(HASH);
  });
});

test("a goal begins a task when it says so itself or by an escalation, and by no inherited name", () => {
  expect(spawnsTask(GOAL)).toBe(true);
  expect(spawnsTask({ ...GOAL, on_failure: "spawn_task", escalation: {} })).toBe(true);
  for (const name of ["stop", "other", "report", "toString", "__proto__"]) {
    expect(spawnsTask({ ...GOAL, on_failure: name }), name).toBe(false);
  }
});
