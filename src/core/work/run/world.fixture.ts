/** A world in which runs of steps happen: it performs effects, remembers them, and answers with facts. */
import { instantFromMs, sha256Hex, type Instant } from "#base";
import type {
  AwaitedAdvice,
  CheckResult,
  ExecutionResult,
  LedgerEntry,
  RunQuestion,
  RunRecord,
  StepReply,
} from "#model";
import { accepted, taskFile } from "../../../../test/plan-texts.ts";
import { callIn } from "./start-step.ts";
import type {
  Advice,
  GatesHeld,
  GatesPassed,
  ModelSilent,
  ModelSpoke,
  QuestionReady,
  QuestionRefused,
  RunEffect,
  RunEvent,
  RunFact,
  RunPlan,
  RunState,
  Verdict,
} from "./facts.ts";
import { advanceRun, createRun, reloadRun } from "./machine.ts";
import { sealResult, type StepSeen } from "./result.ts";

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

type StepEnd = Exclude<StepSeen, { readonly end: null }>;
export const success = (rest: Partial<StepEnd> = {}): StepEnd => ({
  end: { kind: "exit", code: 0 },
  stdout: "said",
  stderr: "",
  durationMs: 5,
  artifacts: { one: artifact("one"), both: artifact("both") },
  ...rest,
});
export const failure = (code = 1): StepEnd => success({ end: { kind: "exit", code }, stderr: "no luck\n" });
/** A result that a step might give, with another number or place where a test wants one. */
export const resultOf = (rest: Partial<ExecutionResult> = {}): ExecutionResult => ({
  executionId: "run-1.1",
  stepIndex: 0,
  success: true,
  returnValue: "said",
  content: [{ type: "text", text: "said" }],
  metadata: { exit: { kind: "exit", code: 0 }, artifactBytes: {} },
  artifacts: {},
  taint: "external",
  error: null,
  durationSeconds: 0.005,
  tokensUsed: 0,
  costUsd: 0,
  ...rest,
});
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
  readonly step?: (call: Extract<RunEffect, { kind: "run_step" }>) => StepSeen;
  readonly checks?: (call: Extract<RunEffect, { kind: "run_checks" }>) => readonly CheckResult[];
  readonly gates?: (call: Extract<RunEffect, { kind: "check_gates" }>) => GatesPassed | GatesHeld;
  readonly model?: (question: Extract<RunEffect, { kind: "ask_model" }>) => ModelSpoke | ModelSilent;
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
  /** What the owner says to what is asked; null or left out, nobody says anything. */
  readonly verdict?: (question: RunQuestion) => Verdict | null;
  /** What the planner says; left out, nobody says anything, and the time for it is over. */
  readonly advice?: (consult: AwaitedAdvice) => Advice;
  /** What a step asks. */
  readonly question?: (asking: Extract<RunEffect, { kind: "prepare_question" }>) => QuestionReady | QuestionRefused;
  /** What the owner said to it. */
  readonly reply?: (call: Extract<RunEffect, { kind: "check_decision" }>) => StepReply;
  /** Why the approval of a call does not hold. */
  readonly decision?: (call: Extract<RunEffect, { kind: "check_decision" }>) => string | null;
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
      ? createRun({
          plan,
          systemGates: [],
          planner: "set",
          runId: "run-1",
          tokenId: "token-1",
          planHash: sha256Hex("plan"),
          at: at(),
        })
      : reloadRun({ plan, systemGates: [], planner: "set", run, ledger, at: at() });
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
    const { question, consult } = state.run;
    if (state.phase === "consulting" && facts.length === 0 && consult !== undefined) {
      const { consultationId } = consult;
      facts.push({ kind: "advised", consultationId, ...(answers.advice?.(consult) ?? NO_ADVICE), at: at() });
    }
    if (state.phase === "waiting" && facts.length === 0 && question !== undefined) {
      const verdict = answers.verdict?.(question) ?? null;
      world.now += answers.pauseMs ?? 0;
      if (verdict !== null) facts.push({ kind: "decided", at: at(), requestId: question.requestId, verdict });
    }
  }
  return state;
}

export const PASSED: GatesPassed = { pass: true, toolArgs: null, output: null };

const NO_ADVICE: Advice = { guidance: null, tokensUsed: 0 };

const NOBODY: ModelSilent = { spoke: false, error: "nobody answers" };

const NOT_ASKED: QuestionRefused = { ready: false, error: "nobody asks" };

type Answer = RunFact extends infer F ? (F extends RunFact ? Omit<F, "at"> : never) : never;

function perform(world: World, { effect, answers }: { effect: RunEffect; answers: Answers }): Answer | null {
  switch (effect.kind) {
    case "check_approval":
      return { kind: "approval_checked", refusal: answers.approval?.() ?? null };
    case "open_space":
      return { kind: "space_opened", refusal: answers.space?.() ?? null };
    case "run_step": {
      const seen = answers.step?.(effect) ?? success();
      const names = Object.keys(effect.artifacts);
      return { kind: "step_ended", result: sealResult({ envelope: effect.envelope, names, seen, taint: "external" }) };
    }
    case "ask_model": {
      const answer = answers.model?.(effect) ?? NOBODY;
      return { kind: "model_answered", executionId: effect.executionId, answer };
    }
    case "check_gates":
      return { kind: "gates_checked", outcome: answers.gates?.(effect) ?? PASSED };
    case "run_checks":
      return {
        kind: "checks_ran",
        results: answers.checks?.(effect) ?? effect.checks.map(({ name }) => checked(name)),
      };
    case "prepare_question":
      return { kind: "question_ready", outcome: answers.question?.(effect) ?? NOT_ASKED };
    case "check_decision": {
      const refusal = answers.decision?.(effect) ?? null;
      const tokenId = refusal === null ? `token of ${effect.question.requestId}` : null;
      const reply = answers.reply?.(effect);
      return { kind: "decision_checked", refusal, tokenId, ...(reply === undefined ? {} : { reply }) };
    }
    case "record":
    case "ask":
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
  { run, entries, events: more }: Extract<RunEffect, { kind: "record" | "ask" | "finish" }>,
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
/** What was called, in order. */
export const callsOf = (world: World) =>
  world.effects.flatMap((effect) => (effect.kind === "run_step" ? [callIn(effect.envelope)] : []));

/** Everything that a model is asked, as one text. */
export const promptOf = (asked: Pick<Extract<RunEffect, { kind: "ask_model" }>, "messages"> | undefined): string =>
  (asked?.messages ?? [])
    .flatMap(({ parts }) => parts.map((part) => (part.kind === "tool_call" ? `${part.name} ${part.args}` : part.text)))
    .join("\n");
