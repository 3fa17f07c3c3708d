import { assert } from "#base";
import type { AuditActor, Gate } from "#model";
import type { GateRunner, Log, Randomness, WorkStore } from "#ports";
import {
  advanceRun,
  checkNotRun,
  type PlannerFact,
  type RunEffect,
  type RunFact,
  type RunState,
  type RunWrite,
} from "#work";
import type { ConnectionUses } from "../connections/uses.ts";
import { checkDecision } from "./ask/check-decision.ts";
import { lookForDecision, wakeAt, type DecisionDeps } from "./ask/look-for-decision.ts";
import { askGates } from "./ask/ask-gates.ts";
import { prepareAsked } from "./ask/prepare-asked.ts";
import { lookForAdvice, type AdviceDeps } from "./consult/look-for-advice.ts";
import { checkBegin, type GateDeps } from "./entry-gate.ts";
import { mayPass, type LoadedPlan } from "./load-plan.ts";
import type { RunModel } from "./model/run-model.ts";
import type { RunNetwork } from "./network.ts";
import { performChecks, withChanges } from "./perform-checks.ts";
import { performStep, checkProgress, stepProgress, thinkProgress, withLine } from "./perform-step.ts";
import type { RunSpaces } from "./spaces.ts";
import { type DrivenRun, newGoing, type Going } from "./steer/driven.ts";
import type { Place } from "./turns.ts";

export type DriveDeps = GateDeps &
  DecisionDeps &
  AdviceDeps & {
    readonly store: WorkStore;
    readonly randomness: Randomness;
    readonly spaces: RunSpaces;
    readonly network: RunNetwork;
    readonly model: RunModel;
    readonly connections: ConnectionUses;
    readonly planner: PlannerFact;
    /** Asks the gates of the configuration, then those it is given. */
    readonly gates: GateRunner;
    readonly systemGates: readonly Gate[];
    readonly log: Log;
  };

export type Driving = {
  readonly loaded: LoadedPlan;
  readonly state: RunState;
  /** Whether the store knows the run already. */
  readonly known: "new" | "kept";
  /** Its place among those that run at once, which it gives back while it rests. */
  readonly place: Place;
};

type Parts = {
  readonly deps: DriveDeps;
  readonly loaded: LoadedPlan;
  readonly place: Place;
  readonly going: Going;
};

/**
 * Performs what the machine of `#work` decides, one effect after the other, and tells it what came of each. A change
 * that cannot be kept stops the run where it is: nothing is done that the store does not know of.
 */
export function driveRun(deps: DriveDeps, { loaded, state, known, place }: Driving): DrivenRun {
  const going = newGoing({ state, known });
  const parts: Parts = { deps, loaded, place, going };
  going.todo.push(...tell(parts, { kind: "begin", at: deps.clock.now() }));
  const ended = go(parts);
  return {
    ended,
    progress: () => (isResting(going) ? null : going.progress),
    isBroken: () => going.isBroken,
    isResting: () => isResting(going),
    look: () => going.wake.resolve(),
    pause: (actor) => wish(parts, { kind: "pause", actor }),
    resume: (actor) => wish(parts, { kind: "resume", actor }),
    cancel: (actor) => {
      going.actor = actor;
      const effects = tell(parts, { kind: "cancel", at: deps.clock.now() });
      if (effects.some(({ kind }) => kind === "stop_running")) stopRunning(going);
      else push(going, effects);
    },
    leave: async () => {
      going.isLeaving = true;
      going.wake.resolve();
      stopRunning(going);
      await closeSpaces(going);
      await ended;
    },
  };
}

async function go(parts: Parts): Promise<void> {
  const { deps, going } = parts;
  try {
    for (let effect = await nextEffect(parts); effect !== null; effect = await nextEffect(parts)) {
      const done = await perform(parts, effect);
      if (done === "stop" || going.isLeaving) break;
      if (done !== "nothing") going.todo.push(...tell(parts, done));
    }
  } catch (cause) {
    going.isBroken = true;
    deps.log.error("run_broken", { run_id: parts.loaded.grant.runId, cause });
  } finally {
    await closeSpaces(going);
  }
}

const isResting = ({ state }: Going): boolean => state.phase === "paused" || state.phase === "waiting";

/** Null when nothing is left to do; what rests waits for somebody's word, and meanwhile others have its place. */
async function nextEffect(parts: Parts): Promise<RunEffect | null> {
  const { going, place } = parts;
  while (!going.isLeaving) {
    const [effect] = going.todo;
    if (effect !== undefined && (KEEPS.has(effect.kind) || (await hasPlace(parts)))) return going.todo.shift() ?? null;
    if (effect !== undefined) continue;
    const isConsulting = going.state.phase === "consulting";
    if (!isResting(going) && !isConsulting && going.wishes === 0) return null;
    const stopWaiting = await (isConsulting ? hearAdvice(parts) : hearDecision(parts));
    if (stopWaiting === null) continue;
    place.rest(going.state.executions > 0 ? "begun" : "unbegun");
    await going.wake.promise;
    going.wake = Promise.withResolvers();
    stopWaiting();
  }
  return null;
}

/** What is only written needs no place. */
const KEEPS: ReadonlySet<RunEffect["kind"]> = new Set(["record", "ask", "finish", "close_space", "stop_running"]);

/** False when something else came first. What is to end takes no place any more. */
async function hasPlace({ going, place }: Parts): Promise<boolean> {
  if (going.state.isCancelled) return true;
  const isThere = await Promise.race([place.goOn().then(() => true), going.wake.promise.then(() => false)]);
  if (!isThere) going.wake = Promise.withResolvers();
  return isThere;
}

/** Null when what it waits for was decided; otherwise what ends the wait for the end of its time. */
async function hearDecision(parts: Parts): Promise<(() => void) | null> {
  const { deps, going } = parts;
  const { question, runId } = going.state.run;
  if (going.state.phase === "paused") {
    // Somebody let it go on in the moment in which it was taken up.
    const kept = await deps.store.find(runId);
    const isHeld = !kept.ok || kept.value?.status === "paused" || going.state.phase !== "paused";
    if (!isHeld) going.todo.push(...tell(parts, { kind: "resume", at: deps.clock.now() }));
    return isHeld ? () => {} : null;
  }
  if (going.state.phase !== "waiting" || question === undefined) return () => {};
  const decision = await lookForDecision(deps, question);
  if (decision.verdict === null) return wakeAt(deps, { dueAt: decision.dueAt, wake: () => going.wake.resolve() });
  const { requestId } = question;
  const { verdict } = decision;
  going.todo.push(...tell(parts, { kind: "decided", at: deps.clock.now(), requestId, verdict }));
  return null;
}

/** How long it rests when it cannot be read what the planner said. */
const REST_MS = 5_000;

/** The same for what the planner says. Its time is a moment that is kept, so that a restart does not begin it anew. */
async function hearAdvice(parts: Parts): Promise<(() => void) | null> {
  const { deps, going } = parts;
  const { consult } = going.state.run;
  assert(consult !== undefined, "CONSULT-01 a run that waits for advice has asked for it");
  going.progress = null;
  const advice = await lookForAdvice(deps, consult);
  const { consultationId, dueAt } = consult;
  if (advice === null) {
    const wake = (): void => going.wake.resolve();
    return deps.clock.now() < dueAt ? wakeAt(deps, { dueAt, wake }) : deps.timers.after(REST_MS, wake);
  }
  going.todo.push(...tell(parts, { kind: "advised", at: deps.clock.now(), consultationId, ...advice }));
  return null;
}

function push(going: Going, effects: readonly RunEffect[]): void {
  going.todo.push(...effects);
  going.wake.resolve();
}

type Wish = { readonly kind: "pause" | "resume"; readonly actor: AuditActor };

/** What was asked for is kept at once, beside whatever runs; the rest of it follows in its turn. */
async function wish(parts: Parts, { kind, actor }: Wish): Promise<boolean> {
  const { deps, going } = parts;
  going.askedBy = actor;
  const [first, ...rest] = tell(parts, { kind, at: deps.clock.now() });
  if (first === undefined) return kind === "pause";
  assert(first.kind === "record", "what is asked for is kept first");
  going.wishes += 1;
  const kept = await keep(parts, first);
  going.wishes -= 1;
  const isKept = kept === "nothing";
  push(going, isKept ? rest : kept === "stop" ? [] : tell(parts, kept));
  return isKept;
}

function tell({ going }: Parts, fact: RunFact): readonly RunEffect[] {
  const { state, effects } = advanceRun(going.state, fact);
  going.state = state;
  return effects;
}

type Performed = RunFact | "nothing" | "stop";

async function perform(parts: Parts, effect: RunEffect): Promise<Performed> {
  const { deps, going } = parts;
  switch (effect.kind) {
    case "check_approval":
      return checkApproval(parts);
    case "record":
    case "finish":
      return keep(parts, effect);
    case "ask":
      return ask(parts, effect);
    case "check_decision":
      return confirm(parts, effect);
    case "open_space":
      return openSpace(parts);
    case "run_step": {
      assert(going.space !== null, "a step has its workspace");
      going.progress = stepProgress(going.state, { ...effect, at: deps.clock.now() });
      const performed = await performStep({
        space: deps.spaces.asStep(going.space, effect),
        effect,
        artifactsAt: deps.spaces.artifactsIn(going.space),
        inputFor: (call) => deps.spaces.inputFor(skillPlan(parts.loaded), call),
        network: deps.network.forStep(parts.loaded, effect),
        onLine: (line) => void (going.progress = withLine(going.progress, line)),
      });
      return { kind: "step_ended", at: deps.clock.now(), ...performed };
    }
    case "ask_model": {
      going.progress = thinkProgress(going.state, { at: deps.clock.now() });
      const answer = await deps.model.ask(parts.loaded.grant.runId, effect, going.stopping.promise);
      return { kind: "model_answered", at: deps.clock.now(), executionId: effect.executionId, answer };
    }
    case "prepare_question":
      return prepareStep(parts, effect);
    case "check_gates":
      return checkGates(parts, effect);
    case "run_checks":
      return runChecks(parts);
    case "stop_running":
    case "close_space":
      await closeSpaces(going);
      return "nothing";
  }
}

async function checkApproval({ deps, loaded, going }: Parts): Promise<Performed> {
  const checked = await checkBegin(deps, { ...loaded, run: going.state.run });
  const at = deps.clock.now();
  if (checked.ok) going.cleared = checked.value;
  // What could not be read now may be read at the next start; until then nothing runs. What is damaged blocks it.
  else if (mayPass(checked.error)) return stop(deps, { loaded, error: checked.error });
  return { kind: "approval_checked", at, refusal: checked.ok ? null : checked.error.code };
}

type Effect<K extends RunEffect["kind"]> = Extract<RunEffect, { readonly kind: K }>;

async function checkGates({ deps, loaded, going }: Parts, moment: Effect<"check_gates">): Promise<Performed> {
  const { state, stopping } = going;
  const { outcome, request } = await askGates(deps, { loaded, state, stopping: stopping.promise, moment });
  going.request = request;
  return { kind: "gates_checked", at: deps.clock.now(), outcome };
}

async function prepareStep({ deps, loaded, going }: Parts, asking: Effect<"prepare_question">): Promise<Performed> {
  const { state, space } = going;
  assert(space !== null, "a step has its workspace");
  const { outcome, request } = await prepareAsked(deps, { loaded, state, space, ...asking });
  going.request = request;
  return { kind: "question_ready", at: deps.clock.now(), outcome };
}

/** The request and the run that waits for it are kept together, or the run does not wait. */
async function ask(parts: Parts, { run: asking, entries, events }: Effect<"ask">): Promise<Performed> {
  const { going, deps, loaded } = parts;
  const run = { ...asking, isPausing: going.state.run.isPausing };
  const { request, actor } = going;
  assert(request !== null, "WORK-24 what is asked was prepared");
  going.request = null;
  const at = deps.clock.now();
  const asked = await going.keep(() => deps.store.ask({ run, entries, events, at, actor }, request));
  if (asked.ok) deps.onChanged();
  else if (asked.error.code === "too_many_pending")
    return { kind: "decided", at, requestId: request.requestId, verdict: "unasked" };
  return asked.ok ? "nothing" : stop(deps, { loaded, error: asked.error });
}

async function confirm({ deps, loaded }: Parts, { question, call }: Effect<"check_decision">): Promise<Performed> {
  const checked = await checkDecision(deps, { question, call });
  if (!checked.ok && mayPass(checked.error)) return stop(deps, { loaded, error: checked.error });
  const at = deps.clock.now();
  return checked.ok
    ? { kind: "decision_checked", at, refusal: null, ...checked.value }
    : { kind: "decision_checked", at, refusal: checked.error.code, tokenId: null };
}

const keep = (parts: Parts, write: RunWrite): Promise<Performed> => parts.going.keep(() => keepNow(parts, write));

async function keepNow(
  { deps, loaded, going }: Parts,
  { run: decided, entries, events, unbegun, ...asked }: RunWrite,
): Promise<Performed> {
  // A pause that was asked for since this was decided is not forgotten by it.
  const { isPausing } = going.state.run;
  const run = decided.endedAt === null ? { ...decided, isPausing } : decided;
  const isAsked = events.some(({ kind }) => kind === "run_paused" || kind === "run_resumed");
  const actor = isAsked ? going.askedBy : going.actor;
  const consult = asked.consult === undefined ? {} : { consult: asked.consult };
  const change = { run, entries, events, at: deps.clock.now(), actor, ...consult };
  const kept = await (going.isKept ? deps.store.save(change) : deps.store.begin(change));
  if (!kept.ok && kept.error.code === "approval_lapsed") {
    // The step does not begin, and the run ends instead.
    going.todo.length = 0;
    const unkept = { run, entries, ...(unbegun === undefined ? {} : { unbegun }) };
    return { kind: "approval_lapsed", at: change.at, reason: kept.error.reason, unkept };
  }
  if (!kept.ok) return stop(deps, { loaded, error: kept.error });
  going.isKept = true;
  deps.onChanged();
  return "nothing";
}

function stop({ log }: DriveDeps, { loaded, error }: { readonly loaded: LoadedPlan; readonly error: object }): "stop" {
  log.error("run_stopped", { run_id: loaded.grant.runId, ...error });
  return "stop";
}

const skillPlan = ({ item, skills: versions }: LoadedPlan) => ({ skills: item.skills, versions });

async function openSpace({ deps, loaded, going }: Parts): Promise<Performed> {
  assert(going.cleared !== null, "INV-01 the approval was checked");
  const opened = await deps.spaces.forSteps(going.cleared, { ...loaded.item, ...skillPlan(loaded) });
  const at = deps.clock.now();
  if (opened.ok) going.space = opened.value;
  return { kind: "space_opened", at, refusal: opened.ok ? null : opened.error };
}

async function runChecks({ deps, loaded, going }: Parts): Promise<Performed> {
  const { cleared, space } = going;
  assert(cleared !== null && space !== null, "checks look at a workspace");
  const plan = loaded.item;
  const { workspace } = space;
  const opened = await deps.spaces.forChecks(cleared, { plan, workspace });
  if (!opened.ok) {
    const results = plan.verify.map((check) => checkNotRun(check, opened.error));
    return { kind: "checks_ran", at: deps.clock.now(), results };
  }
  going.checkSpace = opened.value;
  const results = await performChecks({
    plan,
    networkFor: deps.network.forChecks(loaded),
    space: opened.value,
    workspace,
    isStopped: () => going.isLeaving || going.state.isCancelled,
    onCheck: ({ name }) => void (going.progress = checkProgress(going.state, { name, at: deps.clock.now() })),
    onLine: (line) => void (going.progress = withLine(going.progress, line)),
  });
  await opened.value.close();
  going.checkSpace = null;
  const changed = await deps.spaces.changedIn(space, plan);
  return { kind: "checks_ran", at: deps.clock.now(), results: withChanges(results, changed) };
}

/** What runs is ended; its fact still comes. */
function stopRunning(going: Going): void {
  going.stopping.resolve();
  void closeSpaces(going);
}

/** Ends what runs in them, and removes them. */
async function closeSpaces(going: Going): Promise<void> {
  const open = [going.checkSpace, going.space];
  await Promise.all(open.map((space) => space?.close()));
}
