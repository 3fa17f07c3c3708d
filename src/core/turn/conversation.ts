import { parseStrictJson, type Result } from "#base";
import {
  questionTokens,
  type AnswerPart,
  type ConversationMessage,
  type ModelAnswer,
  type ModelFailure,
  type ModelPurpose,
  type ModelQuestion,
  type OfferedTool,
  type Taint,
  type ToolCallPart,
  type ToolResultPart,
} from "#model";
import { deriveTaint } from "#policy";
import { PURPOSES } from "./purposes.ts";

/** A tool of a conversation. */
export type ConversationTool = OfferedTool & {
  /** Reads the arguments of a call; a problem is a sentence for the model. */
  readonly read: (args: unknown) => Result<unknown, string>;
  /** `end`: a call of it is the end of the conversation, and something else acts on it. `perform`: its result goes back. */
  readonly use: "end" | "perform";
};

export type Opening = {
  readonly purpose: ModelPurpose;
  readonly system: readonly string[];
  readonly messages: readonly ConversationMessage[];
  /** Those of a conversation whose calls go to a run need not be read here. */
  readonly tools: readonly (OfferedTool | ConversationTool)[];
  /** Of everything in it. */
  readonly taint: Taint;
  readonly outputTokensMax: number;
};

export type ConversationFact =
  | { readonly kind: "answered"; readonly answer: ModelAnswer }
  | { readonly kind: "failed"; readonly failure: ModelFailure }
  | {
      readonly kind: "performed";
      readonly callId: string;
      readonly text: string;
      readonly isError: boolean;
      readonly taint: Taint;
    };

/** A call that was read: its tool exists and its arguments fit. */
type ReadCall = { readonly callId: string; readonly name: string; readonly args: unknown };

export type ConversationEffect =
  | {
      readonly kind: "ask";
      readonly question: ModelQuestion;
      readonly taint: Taint;
      /** The most that this question and its answer can come to. */
      readonly tokensMax: number;
    }
  | { readonly kind: "perform"; readonly call: ReadCall }
  | { readonly kind: "end"; readonly end: ConversationEnd };

export type ConversationEnd =
  | {
      readonly kind: "said";
      readonly text: string;
      /** The parts of the last answer, as the model gave them. */
      readonly parts: readonly AnswerPart[];
      /** The call that ended it; null when it ended with words. */
      readonly call: ReadCall | null;
      readonly taint: Taint;
    }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

type Conversation = Opening & {
  readonly phase: "asking" | "performing" | "over";
  readonly calls: number;
  /** Answers in a row with a call that did not fit. */
  readonly slips: number;
  /** What was said so far, one text for each answer. */
  readonly said: readonly string[];
  /** Calls of the last answer that are still to be performed, and the results of the others. */
  readonly waiting: readonly ReadCall[];
  readonly results: readonly ToolResultPart[];
};

type Step = { readonly state: Conversation; readonly effects: readonly ConversationEffect[] };

/**
 * The one loop in which a model is asked: question, answer, tool calls, results, until there is an answer or a limit is
 * reached. Pure: the same opening and facts give the same effects, so that a conversation can be replayed.
 * INVARIANT: a call is performed only if its tool was offered and its arguments fit; anything else goes back to the model
 * as a result that says what is wrong.
 */
export function beginConversation(opening: Opening): Step {
  return ask({ ...opening, phase: "asking", calls: 0, slips: 0, said: [], waiting: [], results: [] });
}

export function advanceConversation(state: Conversation, fact: ConversationFact): Step {
  if (state.phase === "asking" && fact.kind === "answered") return answered(state, fact.answer);
  if (state.phase === "asking" && fact.kind === "failed") return end(state, fact);
  if (state.phase === "performing" && fact.kind === "performed") return performed(state, fact);
  // A fact that comes late changes nothing.
  return { state, effects: [] };
}

function ask(before: Conversation): Step {
  const { system, messages, tools, taint, outputTokensMax } = before;
  const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const question = { system, messages, tools: offered, outputTokensMax };
  const state: Conversation = { ...before, phase: "asking", calls: before.calls + 1 };
  return { state, effects: [{ kind: "ask", question, taint, tokensMax: questionTokens(question) + outputTokensMax }] };
}

function answered(before: Conversation, { parts, finish }: ModelAnswer): Step {
  const text = textOf(parts);
  const state: Conversation = {
    ...before,
    said: text === "" ? before.said : [...before.said, text],
    messages: [...before.messages, { role: "assistant", parts }],
    results: [],
    waiting: [],
  };
  if (PURPOSES[state.purpose].calls === "run") return end(state, { kind: "said", call: null, parts });
  const calls = parts.filter((part) => part.kind === "tool_call");
  if (calls.length === 0) {
    if (state.said.length > 0) return end(state, { kind: "said", call: null, parts });
    return end(state, { kind: "failed", failure: finish === "content_filter" ? "model_refused" : "model_unreadable" });
  }
  const read = calls.map((call) => ({ call, ...readCall(state.tools, call) }));
  const slip = read.some(({ ok }) => !ok);
  const ending = read.find((one) => one.ok && toolOf(state.tools, one.call.name)?.use === "end");
  if (!slip && ending?.ok === true) return end(state, { kind: "said", call: ending.value, parts });
  const results = read.flatMap((one) => (one.ok ? [] : [resultOf(one.call, { text: one.error, isError: true })]));
  const waiting = slip ? [] : read.flatMap((one) => (one.ok ? [one.value] : []));
  const left = slip ? read.filter(({ ok }) => ok).map(({ call }) => resultOf(call, NOT_PERFORMED)) : [];
  const next: Conversation = { ...state, waiting, results: [...results, ...left], slips: slip ? state.slips + 1 : 0 };
  return waiting.length > 0 ? performNext(next) : goOn(next);
}

/** Calls of one answer are performed together or not at all, so that the model knows where it stands. */
const NOT_PERFORMED = { text: "Not performed, because another call of the same answer did not fit.", isError: true };

const textOf = (parts: readonly AnswerPart[]): string =>
  parts
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("")
    .trim();

const toolOf = (tools: Opening["tools"], name: string): ConversationTool | undefined =>
  tools.find((tool): tool is ConversationTool => tool.name === name && "read" in tool);

/** The call as its tool reads it, or a sentence for the model. */
function readCall(tools: Opening["tools"], { callId, name, args }: ToolCallPart): Result<ReadCall, string> {
  const tool = toolOf(tools, name);
  if (tool === undefined) {
    const known = tools.map((one) => one.name).join(", ");
    return refuse(`There is no tool "${name}". ${known === "" ? "There are no tools." : `The tools are: ${known}.`}`);
  }
  const json = parseStrictJson(args.trim() === "" ? "{}" : args);
  if (!json.ok) return refuse(`The arguments of ${name} are not valid JSON.`);
  const read = tool.read(json.value);
  return read.ok ? { ok: true, value: { callId, name, args: read.value } } : read;
}

const refuse = (error: string): Result<never, string> => ({ ok: false, error });

type Told = { readonly text: string; readonly isError: boolean };

const resultOf = (
  { callId, name }: Pick<ToolCallPart, "callId" | "name">,
  { text, isError }: Told,
): ToolResultPart => ({
  kind: "tool_result",
  callId,
  name,
  text,
  isError,
});

function performNext(before: Conversation): Step {
  const state: Conversation = { ...before, phase: "performing" };
  const [call] = state.waiting;
  return call === undefined ? goOn(state) : { state, effects: [{ kind: "perform", call }] };
}

/** What a tool returns lowers the trust of everything that follows. */
function performed(
  before: Conversation,
  { callId, taint, ...told }: Extract<ConversationFact, { kind: "performed" }>,
): Step {
  const [call, ...waiting] = before.waiting;
  if (call === undefined || call.callId !== callId) return { state: before, effects: [] };
  return performNext({
    ...before,
    waiting,
    taint: deriveTaint([before, { taint }]),
    results: [...before.results, resultOf(call, told)],
  });
}

/** Asks again with the results, unless a limit is reached. */
function goOn(before: Conversation): Step {
  const { callsMax, slipsMax } = PURPOSES[before.purpose];
  const state: Conversation = { ...before, messages: [...before.messages, { role: "tool", parts: before.results }] };
  if (state.calls < callsMax && state.slips <= slipsMax) return ask(state);
  if (state.said.length === 0) return end(state, { kind: "failed", failure: "model_unreadable" });
  return end(state, { kind: "said", call: null, parts: [] });
}

type Ending =
  | { readonly kind: "said"; readonly call: ReadCall | null; readonly parts: readonly AnswerPart[] }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

function end(before: Conversation, ending: Ending): Step {
  const { said, taint } = before;
  const ended: ConversationEnd =
    ending.kind === "failed"
      ? { kind: "failed", failure: ending.failure }
      : { ...ending, text: said.join("\n\n"), taint };
  return { state: { ...before, phase: "over" }, effects: [{ kind: "end", end: ended }] };
}
