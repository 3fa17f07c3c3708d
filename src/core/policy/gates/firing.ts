import { assert } from "#base";
import type { Gate, GateContext, GateFiring, GateNote, GateOutcome, GateAction, GateCode, GateResult } from "#model";
import { readAnswer, type GateFact, type ReadAnswer } from "./answer.ts";
import { gatesFor, hasTrigger, isMoment, type Moment } from "./lanes.ts";
import { notesOfResults, notesOfRewrite, type Judged, type NotePlace } from "./notes.ts";
import { takeRewrite, type Change } from "./rewrite.ts";

/** One firing between two answers. A value: asking again from the same state gives the same next state. [GATE-25] */
type FiringState = {
  readonly place: NotePlace;
  /** Gates of the policy lane that are still to be asked, in order. */
  readonly waiting: readonly Gate[];
  /** Gates of the policy lane that the limit of the turn leaves no room for; each of them blocks. [LIM-04] */
  readonly over: readonly Gate[];
  readonly quality: readonly Gate[];
  readonly malformed: ReadonlySet<Gate>;
  readonly context: GateContext;
  readonly toolArgsAre: "proposed" | "approved";
  readonly judged: readonly Judged[];
  readonly notes: readonly GateNote[];
  readonly evaluations: number;
  readonly evaluationsMax: number;
  /** How many gates had answered when the context last changed. */
  readonly answeredBefore: number;
  /** Gates that answered before the context last changed are asked once more, about what it became. */
  readonly round: "first" | "again";
};

type FiringStart = {
  readonly system: readonly Gate[];
  readonly firing: GateFiring;
  readonly evaluationsMax: number;
};

export function beginFiring({ system, firing, evaluationsMax }: FiringStart): FiringState {
  const { trigger, itemGates = [], stepIndex, context, evaluationsBefore = 0, toolArgsAre = "approved" } = firing;
  const moment: Moment = { trigger, stepIndex: stepIndex ?? null };
  const place = { trigger, scopeId: firing.scopeId };
  const active = [...system, ...itemGates];
  const chosen = isMoment(moment) ? gatesFor({ system, item: itemGates }, moment) : { policy: [UNNAMED], quality: [] };
  // A count that is none leaves no room: it is safer to block than to begin anew.
  const isCount = Number.isSafeInteger(evaluationsBefore) && evaluationsBefore >= 0;
  const room = isCount ? Math.max(0, evaluationsMax - evaluationsBefore) : 0;
  return {
    place,
    waiting: chosen.policy.slice(0, room),
    over: chosen.policy.slice(room),
    quality: chosen.quality.slice(0, Math.max(0, room - chosen.policy.length)),
    malformed: new Set([UNNAMED, ...active.filter((gate, index) => !hasTrigger(gate) || isRepeated(active, index))]),
    context,
    toolArgsAre,
    judged: [],
    notes: [],
    evaluations: isCount ? evaluationsBefore : evaluationsMax,
    evaluationsMax,
    answeredBefore: 0,
    round: "first",
  };
}

// Whoever reads results by name must never meet the wrong gate; the first of a name is the configuration's. [GATE-02]
const isRepeated = (gates: readonly Gate[], index: number): boolean =>
  gates.findIndex(({ name }) => name === gates[index]?.name) < index;

/** The gate to ask now; null when the policy lane is done. */
export const nextGate = ({ waiting }: FiringState): Gate | null => waiting[0] ?? null;

/** Judges what became of asking the next gate, and goes on to the one after it. */
export function takeFact(state: FiringState, fact: GateFact): FiringState {
  const [gate, ...waiting] = state.waiting;
  assert(gate !== undefined, "GATE-10 a fact belongs to a gate that was asked");
  const evaluated = { ...state, waiting, evaluations: state.evaluations + 1 };
  if (state.malformed.has(gate)) return settled(evaluated, blocked(gate, "settings_malformed"));
  if (fact.kind !== "answered") return settled(evaluated, blocked(gate, SILENCE[fact.kind]));
  const answer = readAnswer(fact.answer);
  if (answer === null) return settled(evaluated, blocked(gate, "answer_malformed"));
  return withAnswer(evaluated, { gate, answer });
}

const SILENCE = { missing: "provider_missing", failed: "provider_failed", timed_out: "provider_timed_out" } as const;

function withAnswer(state: FiringState, { gate, answer }: Answered): FiringState {
  const { context, toolArgsAre, place } = state;
  const rewritten = takeRewrite({ gate, context, modified: answer.modified, toolArgsAre });
  if (!rewritten.ok) return settled(state, blocked(gate, "mutation_malformed"));
  const { changes, rejected, modifiedContext, widens } = rewritten.value;
  if (state.round === "again") return settled(state, judgeAgain({ gate, answer }, changes));
  const notes = [...state.notes, ...notesOfRewrite(gate, { changes, rejected, ...place })];
  const asks = widens && answer.action === "continue";
  const verdict = asks
    ? { action: "require_approval" as const, code: "rewrite_widens" as const, reason: REASONS.rewrite_widens() }
    : answer;
  const result = { ...policyResult(gate, verdict), value: answer.value, modifiedContext };
  const answeredBefore = changes.length > 0 ? state.judged.length : state.answeredBefore;
  return settled({ ...state, context: rewritten.value.context, notes, answeredBefore }, { gate, result });
}
type Answered = { readonly gate: Gate; readonly answer: ReadAnswer };

/**
 * What a gate says about what later gates made of the context. A rewrite is not taken any more: the last writer has won.
 * But a check of Silas's own rewrites what it would not let pass, so where it still would, it was undone. [GATE-13]
 */
function judgeAgain({ gate, answer }: Answered, changes: readonly Change[]): Judged {
  const isUndone = changes.length > 0 && (gate.provider === "predicate" || gate.provider === "guardrails_ai");
  if (isUndone) return blocked(gate, "rewrite_undone");
  return { gate, result: { ...policyResult(gate, answer), value: answer.value } };
}

function settled(state: FiringState, judged: Judged): FiringState {
  if (state.round === "first") return askAgain({ ...state, judged: [...state.judged, judged] });
  return {
    ...state,
    judged: state.judged.map((before) => (before.gate === judged.gate ? stricter(before, judged) : before)),
  };
}

/** A second answer counts where it is stricter; it gives nothing free that was held. */
function stricter(before: Judged, again: Judged): Judged {
  const isStricter = strictest([before.result.action, again.result.action]) !== before.result.action;
  return isStricter
    ? { ...again, result: { ...again.result, modifiedContext: before.result.modifiedContext } }
    : before;
}

/** Once everybody answered, and nothing blocks: whoever answered about something that was changed later. */
function askAgain(state: FiringState): FiringState {
  const { waiting, over, judged, answeredBefore, evaluations, evaluationsMax, quality } = state;
  const isBlocked = over.length > 0 || judged.some(({ result }) => result.action === "block");
  if (waiting.length > 0 || answeredBefore === 0 || isBlocked) return state;
  const earlier = judged.slice(0, answeredBefore).map(({ gate }) => gate);
  const room = evaluationsMax - evaluations;
  const unasked = new Set(earlier.slice(room));
  return {
    ...state,
    round: "again",
    waiting: earlier.slice(0, room),
    quality: quality.slice(0, Math.max(0, room - earlier.length)),
    judged: judged.map((one) => (unasked.has(one.gate) ? blocked(one.gate, "evaluations_exceeded") : one)),
  };
}

type ClosedFiring = GateOutcome & { readonly notes: readonly GateNote[] };

/** The outcome of the policy lane, once nobody waits any more. */
export function closeFiring(state: FiringState): ClosedFiring {
  assert(state.waiting.length === 0, "GATE-10 every policy gate is asked before the lane closes");
  const judged = [...state.judged, ...state.over.map((gate) => blocked(gate, "evaluations_exceeded"))];
  const { place, context } = state;
  const first = judged.find(({ result }) => result.action === "block");
  return {
    policy: judged.map(({ result }) => result),
    context,
    verdict: strictest(judged.map(({ result }) => result.action)),
    firstBlock: first?.result ?? null,
    escalation: first?.gate.onBlock ?? null,
    evaluations: state.evaluations + state.quality.length,
    notes: [...state.notes, ...notesOfResults(judged, place)],
  };
}

/** What could not be recorded does not happen. */
export function withoutRecord(closed: GateOutcome): GateOutcome {
  const { result } = blocked(UNNAMED, "record_failed");
  return {
    ...closed,
    policy: [...closed.policy, result],
    verdict: "block",
    firstBlock: closed.firstBlock ?? result,
    escalation: closed.escalation ?? UNNAMED.onBlock,
  };
}

/** What all of them together come to. */
function strictest(actions: readonly GateAction[]): GateAction {
  if (actions.includes("block")) return "block";
  return actions.includes("require_approval") ? "require_approval" : "continue";
}

type Verdict = { readonly action: GateAction; readonly code: GateCode; readonly reason: string };

/** A result of the policy lane has no score and no flags, whatever its provider says. [GATE-04] */
function policyResult(gate: Gate, { action, code, reason }: Verdict): GateResult {
  const rest = { value: null, score: null, flags: [], modifiedContext: null };
  return { gateName: gate.name, lane: "policy", action, code, reason, ...rest };
}

/** A block that nobody answered: the rules of the house gave it. */
function blocked(gate: Gate, code: keyof typeof REASONS): Judged {
  return { gate, result: policyResult(gate, { action: "block", code, reason: REASONS[code](gate) }) };
}

const REASONS = {
  answer_malformed: () => "The check gave no readable answer",
  evaluations_exceeded: () => "Too many gate checks in one turn",
  mutation_malformed: () => "The check asked for a change that cannot be made",
  provider_failed: () => "The check failed",
  provider_missing: ({ provider }: Gate) => `No provider: ${provider}`,
  provider_timed_out: () => "The check did not answer in time",
  record_failed: () => "The result could not be recorded",
  rewrite_undone: () => "A later check undid what this one demands",
  rewrite_widens: () => "The check changed arguments you had approved; the new ones need your approval",
  settings_malformed: () => "The gate is not written in a way that can be checked",
} satisfies { readonly [C in GateCode]?: (gate: Gate) => string };

/** Stands for Silas itself where no gate is to blame. */
const UNNAMED: Gate = {
  name: "gates",
  on: "after_step",
  afterStep: null,
  provider: "predicate",
  type: "approval_always",
  check: null,
  config: {},
  extract: null,
  autoApprove: null,
  requireApproval: null,
  block: null,
  allowedValues: null,
  approvalValues: null,
  onBlock: "report",
  checkCommand: null,
  checkExpect: null,
  promoteToPolicy: false,
};
