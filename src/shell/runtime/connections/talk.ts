import { oneLine, parseStrictJson, type Instant } from "#base";
import { scriptLineSchema, type ConnectionFailure, type SetupStep } from "#model";
import type { Callback, CallbackQuery, SandboxInput } from "#ports";
import { advanceSetup, SETUP_BEGINS, type SetupEffect, type SetupFact, type SetupState, type StepPayload } from "#work";
import { faultFailure, unknownFailure } from "./answers.ts";
import { SYSTEM, type ConnectionDeps } from "./deps.ts";
import { hostOf, refOf, type runScript, type TalkControl } from "./run-script.ts";
import type { SetupEnd, SetupOrder } from "./setup.ts";

export type ShownStep = { readonly stepId: string; readonly step: SetupStep; readonly shownAt: Instant };

/** What a conversation has come to; the machine decides, and this is done about it. */
type Now = {
  state: SetupState;
  shown: ShownStep | null;
  input: SandboxInput | null;
  control: TalkControl | null;
  callback: Callback | null;
  problem: string | null;
  isCancelled: boolean;
};
type Talking = { readonly deps: ConnectionDeps; readonly order: SetupOrder; readonly now: Now };

export type SetupTalk = ReturnType<typeof createTalk>;

/** One conversation with the setup script of a connection. */
export function createTalk(deps: ConnectionDeps, order: SetupOrder) {
  const now: Now = {
    state: SETUP_BEGINS,
    shown: null,
    input: null,
    control: null,
    callback: null,
    problem: null,
    isCancelled: false,
  };
  const talking = { deps, order, now };
  return {
    shown: () => now.shown,
    listens: (callback: Callback | null) => void (now.callback = callback),
    begin: (input: SandboxInput, control: TalkControl): void => {
      Object.assign(now, { input, control });
      if (now.isCancelled) control.stop();
    },
    onLine: (text: string): void => hear(talking, text),
    onCallback: (query: CallbackQuery): void => comeBack(talking, query),
    look: () => look(talking),
    answer: (stepId: string, payload: StepPayload): boolean => {
      if (now.shown?.stepId !== stepId) return false;
      turn(talking, { kind: "answer", stepId, payload });
      return true;
    },
    cancel: (): void => {
      now.isCancelled = true;
      now.input?.say(`${JSON.stringify({ type: "cancel", reason: "user_cancelled" })}\n`);
      now.control?.stop();
    },
    endedAs: (ran: Awaited<ReturnType<typeof runScript>>): SetupEnd => endedAs(talking, ran),
  };
}

function turn(talking: Talking, fact: SetupFact): void {
  const next = advanceSetup(talking.now.state, fact);
  talking.now.state = next.state;
  for (const effect of next.effects) perform(talking, effect);
}

function perform(talking: Talking, effect: SetupEffect): void {
  const { deps, order, now } = talking;
  switch (effect.kind) {
    case "say":
      return now.input?.say(`${JSON.stringify(effect.line)}\n`);
    case "end":
      return now.input?.end();
    case "log":
      return deps.log.info("connection_script", { connection_id: order.of.record.connectionId });
    case "show":
      return void show(talking, effect);
  }
}

/** What is no message ends the script: whoever breaks the protocol is not guessed at. [SETUP-02] */
function hear(talking: Talking, text: string): void {
  const read = parseStrictJson(text);
  const line = scriptLineSchema.safeParse(read.ok ? read.value : null);
  if (line.success) turn(talking, { kind: "line", line: line.data });
  else stop(talking, "it said a line that is no message of a setup");
}

function stop({ now }: Talking, problem: string): void {
  now.problem ??= problem;
  now.control?.stop();
}

async function show(talking: Talking, { stepId, step }: Pick<ShownStep, "stepId" | "step">): Promise<void> {
  const { deps, now } = talking;
  if (step.type === "browser_redirect" && step.listening_on !== now.callback?.listeningOn) {
    return stop(talking, "it says it listens where Silas does not");
  }
  now.shown = { stepId, step, shownAt: deps.clock.now() };
  if (step.type === "secure_input" && !(await ask(talking, step.request))) {
    return stop(talking, "its secret could not be asked for");
  }
  deps.review.changed();
}

type Wanted = Extract<SetupStep, { readonly type: "secure_input" }>["request"];

async function ask({ deps, order }: Talking, request: Wanted): Promise<boolean> {
  const { of, manifest, incremental } = order;
  const { ref_id: name, label, input_hint: inputHint, guidance } = request;
  // What is typed takes the place of what opens it now, before anybody knows whether it works.
  if (incremental.length > 0) return false;
  if (!Object.hasOwn(manifest.credentials, name)) return false;
  const help = { instructions: guidance.instructions, helpUrl: guidance.help_url };
  const wanted = { refId: refOf(of, name), label, inputHint, guidance: help, host: hostOf(manifest, name) };
  return (await deps.secrets.ask(wanted, SYSTEM)).ok;
}

/** Whether the secret that is asked for is in the vault by now; only Silas's own write counts. [SETUP-13] */
async function look(talking: Talking): Promise<void> {
  const { deps, order, now } = talking;
  const { of, manifest } = order;
  const waiting = now.shown;
  if (waiting === null || waiting.step.type !== "secure_input") return;
  const name = waiting.step.request.ref_id;
  const listed = await deps.inputs.list(deps.clock.now());
  const isStored = listed.ok && listed.value.some((one) => one.refId === refOf(of, name) && one.state === "fulfilled");
  if (!isStored || now.shown !== waiting) return;
  now.shown = null;
  const secret = (await now.control?.hold(name)) ?? null;
  if (secret === null) return stop(talking, "its secret could not be read from the vault");
  // Whoever may hold it gets it here, once; anything that has a host goes there by the gateway.
  const text = hostOf(manifest, name) === null ? { secret: Buffer.from(secret).toString("utf8") } : {};
  turn(talking, { kind: "answer", stepId: waiting.stepId, payload: { action: "done", ...text } });
}

function comeBack(talking: Talking, { code, state, error }: CallbackQuery): void {
  const { shown } = talking.now;
  if (shown?.step.type !== "browser_redirect") return;
  // A page that somebody else made brings another state, or none. A script that sends none checks what comes itself.
  const sent = URL.parse(shown.step.auth_url)?.searchParams.get("state") ?? null;
  if (sent !== null && sent !== state) return;
  const payload = code === null ? ({ action: "trouble", error } as const) : ({ action: "done", code, state } as const);
  turn(talking, { kind: "answer", stepId: shown.stepId, payload });
}

function endedAs({ order: { of }, now }: Talking, ran: Awaited<ReturnType<typeof runScript>>): SetupEnd {
  const { state, problem, isCancelled } = now;
  now.shown = null;
  if (isCancelled) return { kind: "cancelled" };
  if (problem !== null) return failed(unknownFailure(of.service, oneLine(`The setup was ended: ${problem}.`)));
  if (state.failure !== null) return failed(state.failure);
  if (!ran.ok) return failed(faultFailure(of.service, ran.error));
  if (state.completion === null) return failed(unknownFailure(of.service, "The setup ended without saying how."));
  return { kind: "completed", completion: state.completion, handed: ran.value.handed };
}

const failed = (failure: ConnectionFailure): SetupEnd => ({ kind: "failed", failure });
