import { assert, oneLine, type Instant } from "#base";
import type { AuditActor, Gate, RunProgress, SandboxLine } from "#model";
import type { Clock, GateRunner, Log, SandboxSpace, WorkStore } from "#ports";
import { advanceRun, checkNotRun, type RunEffect, type RunFact, type RunState, type RunWrite } from "#work";
import { checkEntry, type ClearedRun, type GateDeps } from "./entry-gate.ts";
import { mayPass, type LoadedPlan } from "./load-plan.ts";
import type { RunNetwork } from "./network.ts";
import { performChecks, withChanges } from "./perform-checks.ts";
import { performGates } from "./perform-gates.ts";
import { attemptEnv, performStep } from "./perform-step.ts";
import type { RunSpaces } from "./spaces.ts";

export type DriveDeps = GateDeps & {
  readonly store: WorkStore;
  readonly spaces: RunSpaces;
  readonly network: RunNetwork;
  /** Asks the gates of the configuration, then those it is given. */
  readonly gates: GateRunner;
  readonly systemGates: readonly Gate[];
  /** Whether everything is stopped; what cannot be read counts as stopped. */
  readonly isStopped: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told after each change that was kept. */
  readonly onChanged: () => void;
};

export type Driving = {
  readonly loaded: LoadedPlan;
  readonly state: RunState;
  /** Whether the store knows the run already. */
  readonly known: "new" | "kept";
};

/** One run on its way. */
export type DrivenRun = {
  /** Settles when the run is over, or when it was left for the next start. */
  readonly ended: Promise<void>;
  progress(): RunProgress | null;
  /** Whether a mistake of Silas itself ended it, so that its end was not kept. */
  isBroken(): boolean;
  /** Whether somebody holds it, so that nothing of it runs. */
  isResting(): boolean;
  /** Has it rest before its next step. Settles when that is kept; false when it could not be. */
  pause(actor: AuditActor): Promise<boolean>;
  /** Lets it go on where it rests, or takes the wish back before it did; false when nobody held it. */
  resume(actor: AuditActor): Promise<boolean>;
  /** Ends what runs at once, as the owner's word. */
  cancel(actor: AuditActor): void;
  /** Ends what runs at once and writes nothing more: the next start finds it as it was. */
  leave(): Promise<void>;
};

const SYSTEM: AuditActor = { kind: "system" };
const LINE_CHARS = 200;

/** What changes while a run is on its way. */
type Going = {
  state: RunState;
  /** What is still to be done, in order. */
  readonly todo: RunEffect[];
  /** One write after the other: a pause is asked for while a step runs. */
  keeping: Promise<unknown>;
  /** Settled when there is something to do again, or when it is left. */
  wake: PromiseWithResolvers<void>;
  /** Settled when what runs is to end. */
  readonly stopping: PromiseWithResolvers<void>;
  isKept: boolean;
  isLeaving: boolean;
  isBroken: boolean;
  /** Only the entry gate gives it, and nothing is opened without it. */
  cleared: ClearedRun | null;
  space: SandboxSpace | null;
  checkSpace: SandboxSpace | null;
  progress: RunProgress | null;
  /** Who ended it; Silas itself unless somebody did. */
  actor: AuditActor;
  /** Who had it rest or go on. */
  askedBy: AuditActor;
};
type Parts = { readonly deps: DriveDeps; readonly loaded: LoadedPlan; readonly going: Going };

/**
 * Performs what the machine of `#work` decides, one effect after the other, and tells it what came of each. A change
 * that cannot be kept stops the run where it is: nothing is done that the store does not know of.
 */
export function driveRun(deps: DriveDeps, { loaded, state, known }: Driving): DrivenRun {
  const going: Going = {
    state,
    todo: [],
    keeping: Promise.resolve(),
    wake: Promise.withResolvers(),
    stopping: Promise.withResolvers(),
    isKept: known === "kept",
    isLeaving: false,
    isBroken: false,
    cleared: null,
    space: null,
    checkSpace: null,
    progress: null,
    actor: SYSTEM,
    askedBy: SYSTEM,
  };
  const parts: Parts = { deps, loaded, going };
  going.todo.push(...tell(parts, { kind: "begin", at: deps.clock.now() }));
  const ended = go(parts);
  return {
    ended,
    progress: () => (going.state.phase === "paused" ? null : going.progress),
    isBroken: () => going.isBroken,
    isResting: () => going.state.phase === "paused",
    pause: (actor) => ask(parts, { kind: "pause", actor }),
    resume: (actor) => ask(parts, { kind: "resume", actor }),
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
    for (let effect = await nextEffect(going); effect !== null; effect = await nextEffect(going)) {
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

/** Null when nothing is left to do; what is paused waits for somebody's word. */
async function nextEffect(going: Going): Promise<RunEffect | null> {
  while (!going.isLeaving) {
    const effect = going.todo.shift();
    if (effect !== undefined) return effect;
    if (going.state.phase !== "paused") return null;
    await going.wake.promise;
    going.wake = Promise.withResolvers();
  }
  return null;
}

function push(going: Going, effects: readonly RunEffect[]): void {
  going.todo.push(...effects);
  going.wake.resolve();
}

type Asked = { readonly kind: "pause" | "resume"; readonly actor: AuditActor };

/** What was asked for is kept at once, beside whatever runs; the rest of it follows in its turn. */
async function ask(parts: Parts, { kind, actor }: Asked): Promise<boolean> {
  const { deps, going } = parts;
  going.askedBy = actor;
  const [first, ...rest] = tell(parts, { kind, at: deps.clock.now() });
  if (first === undefined) return kind === "pause";
  assert(first.kind === "record", "what is asked for is kept first");
  const isKept = (await keep(parts, first)) !== "stop";
  if (isKept) push(going, rest);
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
    case "open_space":
      return openSpace(parts);
    case "run_step": {
      assert(going.space !== null, "a step has its workspace");
      going.progress = stepProgress(parts, effect);
      const outcome = await performStep({
        space: going.space,
        effect,
        env: attemptEnv(going.state.run),
        artifactsAt: deps.spaces.artifactsIn(going.space),
        network: deps.network.forStep(parts.loaded, effect),
        onLine: (line) => hear(going, line),
      });
      return { kind: "step_ended", at: deps.clock.now(), executionId: effect.executionId, outcome };
    }
    case "check_gates": {
      const { gates, clock } = deps;
      const { item: plan, grant } = parts.loaded;
      const { stopping } = going;
      const outcome = await performGates({ gates, plan, runId: grant.runId, stopping: stopping.promise }, effect);
      return { kind: "gates_checked", at: clock.now(), outcome };
    }
    case "run_checks":
      return runChecks(parts);
    case "stop_running":
    case "close_space":
      await closeSpaces(going);
      return "nothing";
  }
}

async function checkApproval({ deps, loaded, going }: Parts): Promise<Performed> {
  const checked = await checkEntry(deps, loaded);
  const at = deps.clock.now();
  if (checked.ok) going.cleared = checked.value;
  // What could not be read now may be read at the next start; until then nothing runs. What is damaged blocks it.
  else if (mayPass(checked.error)) return stop(deps, { loaded, error: checked.error });
  return { kind: "approval_checked", at, refusal: checked.ok ? null : checked.error.code };
}

function keep(parts: Parts, write: RunWrite): Promise<Performed> {
  const kept = parts.going.keeping.then(() => keepNow(parts, write));
  parts.going.keeping = kept.catch(() => {});
  return kept;
}

async function keepNow(
  { deps, loaded, going }: Parts,
  { run: decided, entries, events }: RunWrite,
): Promise<Performed> {
  // A pause that was asked for since this was decided is not forgotten by it.
  const { isPausing } = going.state.run;
  const run = decided.endedAt === null ? { ...decided, isPausing } : decided;
  const isAsked = events.some(({ kind }) => kind === "run_paused" || kind === "run_resumed");
  const actor = isAsked ? going.askedBy : going.actor;
  const change = { run, entries, events, at: deps.clock.now(), actor };
  const kept = await (going.isKept ? deps.store.save(change) : deps.store.begin(change));
  if (!kept.ok) return stop(deps, { loaded, error: kept.error });
  going.isKept = true;
  deps.onChanged();
  return "nothing";
}

function stop({ log }: DriveDeps, { loaded, error }: { readonly loaded: LoadedPlan; readonly error: object }): "stop" {
  log.error("run_stopped", { run_id: loaded.grant.runId, ...error });
  return "stop";
}

async function openSpace({ deps, loaded, going }: Parts): Promise<Performed> {
  assert(going.cleared !== null, "INV-01 the approval was checked");
  const opened = await deps.spaces.forSteps(going.cleared, loaded.item);
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
    onCheck: ({ name }) => void (going.progress = checkProgress(going, { name, at: deps.clock.now() })),
    onLine: (line) => hear(going, line),
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

function stepProgress({ deps, going }: Parts, { stepIndex }: { readonly stepIndex: number }): RunProgress {
  const { plan, run } = going.state;
  const name = plan.steps[stepIndex]?.name ?? "";
  const place = { attempt: run.attempts, step: stepIndex + 1, steps: plan.steps.length };
  return { ...place, name, lastLine: "", since: deps.clock.now() };
}

const checkProgress = (
  { state }: Going,
  { name, at }: { readonly name: string; readonly at: Instant },
): RunProgress => ({
  attempt: state.run.attempts,
  step: null,
  steps: state.plan.steps.length,
  name,
  lastLine: "",
  since: at,
});

function hear(going: Going, { text }: SandboxLine): void {
  if (going.progress !== null) going.progress = { ...going.progress, lastLine: oneLine(text).slice(0, LINE_CHARS) };
}
