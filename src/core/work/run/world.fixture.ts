/** A world in which runs of steps happen: it performs effects, remembers them, and answers with facts. */
import { instantFromMs, sha256Hex, type Instant } from "#base";
import type { CheckResult, LedgerEntry, RunRecord } from "#model";
import { accepted, taskFile } from "../../../../test/plan-texts.ts";
import type {
  GatesHeld,
  GatesPassed,
  RunEffect,
  RunEvent,
  RunFact,
  RunPlan,
  RunState,
  StepEnd,
  StepNotRun,
} from "./facts.ts";
import { advanceRun, createRun, reloadRun } from "./machine.ts";

const START = Date.UTC(2026, 10, 15, 21);
export function instant(ms: number): Instant {
  const moment = instantFromMs(START + ms);
  if (!moment.ok) throw new Error("no moment");
  return moment.value;
}

export const planOf = (lines: string): RunPlan => accepted(taskFile(lines)).item;
export const TWO_STEPS = `
steps:
  - { name: first, run: make one, artifacts: { one: one.txt, both: a.txt } }
  - { name: second, run: make two, artifacts: { both: b.txt } }
`;
export const CHECKS = `
verify:
  - { name: right, run: cat one.txt, expect: { equals: "1" } }
  - { name: there, run: ls, expect: { not_empty: true } }
`;

export const success = (rest: Partial<StepEnd> = {}): StepEnd => ({
  end: { kind: "exit", code: 0 },
  stdout: "said",
  stderr: "",
  durationMs: 5,
  artifacts: { one: artifact("one"), both: artifact("both") },
  ...rest,
});
export const failure = (code = 1): StepEnd => success({ end: { kind: "exit", code }, stderr: "no luck\n" });
export const artifact = (text: string) => ({ sha256: sha256Hex(text), size: text.length });
export const checked = (name: string, isPassed = true): CheckResult => ({
  name,
  passed: isPassed,
  reason: isPassed ? "Passed" : "The output is another text",
  output: "",
  exitCode: 0,
});

export type Answers = {
  readonly approval?: () => string | null;
  readonly space?: () => string | null;
  readonly step?: (call: Extract<RunEffect, { kind: "run_step" }>) => StepEnd | StepNotRun;
  readonly checks?: (call: Extract<RunEffect, { kind: "run_checks" }>) => readonly CheckResult[];
  readonly gates?: (call: Extract<RunEffect, { kind: "check_gates" }>) => GatesPassed | GatesHeld;
  /** How long each effect takes. */
  readonly ms?: number;
  /** Asked before each effect: the process ends there, and what was kept stays. */
  readonly isCrash?: (effect: RunEffect) => boolean;
  /** Asked before each fact: the owner cancels first. */
  readonly isCancel?: (effect: RunEffect) => boolean;
  /** Asked before each fact: the owner asks for a pause first. */
  readonly isPause?: (effect: RunEffect) => boolean;
  /** How long a pause lasts; without it, it lasts for ever. */
  readonly pauseMs?: number;
};

export type World = {
  readonly effects: RunEffect[];
  readonly facts: RunFact[];
  readonly kept: { run: RunRecord | null; ledger: LedgerEntry[] };
  readonly events: RunEvent[];
  now: number;
};

export const newWorld = (): World => ({ effects: [], facts: [], kept: { run: null, ledger: [] }, events: [], now: 0 });

/** Runs until it is over or the process ends; the state then is what a new process would not have. */
export function live(world: World, { plan, answers = {} }: { plan: RunPlan; answers?: Answers }): RunState {
  const at = (): Instant => instant(world.now);
  const { run, ledger } = world.kept;
  let state =
    run === null
      ? createRun({ plan, systemGates: [], runId: "run-1", tokenId: "token-1", planHash: sha256Hex("plan"), at: at() })
      : reloadRun({ plan, systemGates: [], run, ledger, at: at() });
  const facts: RunFact[] = [{ kind: "begin", at: at() }];
  for (let fact = facts.shift(); fact !== undefined; fact = facts.shift()) {
    world.facts.push(fact);
    const advance = advanceRun(state, fact);
    state = advance.state;
    for (const effect of advance.effects) {
      if (answers.isCrash?.(effect) === true) return state;
      world.effects.push(effect);
      if (answers.isCancel?.(effect) === true) facts.push({ kind: "cancel", at: at() });
      if (answers.isPause?.(effect) === true) facts.push({ kind: "pause", at: at() });
      const answer = perform(world, { effect, answers });
      world.now += answers.ms ?? 10;
      if (answer !== null) facts.push({ ...answer, at: at() });
    }
    if (state.phase === "paused" && facts.length === 0 && answers.pauseMs !== undefined) {
      world.now += answers.pauseMs;
      facts.push({ kind: "resume", at: at() });
    }
  }
  return state;
}

export const PASSED: GatesPassed = { pass: true, toolArgs: null, output: null };

type Answer = RunFact extends infer F ? (F extends RunFact ? Omit<F, "at"> : never) : never;

function perform(world: World, { effect, answers }: { effect: RunEffect; answers: Answers }): Answer | null {
  switch (effect.kind) {
    case "check_approval":
      return { kind: "approval_checked", refusal: answers.approval?.() ?? null };
    case "open_space":
      return { kind: "space_opened", refusal: answers.space?.() ?? null };
    case "run_step": {
      const outcome = answers.step?.(effect) ?? success();
      return { kind: "step_ended", executionId: effect.executionId, outcome };
    }
    case "check_gates":
      return { kind: "gates_checked", outcome: answers.gates?.(effect) ?? PASSED };
    case "run_checks":
      return {
        kind: "checks_ran",
        results: answers.checks?.(effect) ?? effect.checks.map(({ name }) => checked(name)),
      };
    case "record":
    case "finish":
      keep(world, effect);
      return null;
    case "close_space":
    case "stop_running":
      return null;
  }
}

function keep(
  { kept, events }: World,
  { run, entries, events: more }: Extract<RunEffect, { kind: "record" | "finish" }>,
): void {
  kept.run = run;
  events.push(...more);
  for (const entry of entries) {
    const place = kept.ledger.findIndex(({ executionId }) => executionId === entry.executionId);
    if (place === -1) kept.ledger.push(entry);
    else kept.ledger[place] = entry;
  }
}

export const kindsOf = (world: World): readonly string[] => world.effects.map(({ kind }) => kind);
