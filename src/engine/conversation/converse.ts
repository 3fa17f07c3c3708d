import { assert } from "#base";
import type { Taint } from "#model";
import {
  advanceConversation,
  beginConversation,
  type ConversationEffect,
  type ConversationEnd,
  type ConversationFact,
  type Opening,
} from "#turn";
import { callModel, type CallSubject, type ModelCall, type ModelCallDeps } from "../models/call-model.ts";

type PerformedCall = Extract<ConversationEffect, { readonly kind: "perform" }>["call"];

/** What a tool that is performed in a conversation gave back. */
type ToolOutcome = { readonly text: string; readonly isError: boolean; readonly taint: Taint };

type ConversationRequest = {
  readonly opening: Opening;
  readonly subject: Omit<CallSubject, "purpose">;
  readonly signal: AbortSignal;
  /** Performs a call of a tool whose result goes back to the model. */
  readonly perform?: (call: PerformedCall) => Promise<ToolOutcome>;
  /** Text as it arrives, before any gate. */
  readonly onText?: (delta: string) => void;
  /** Told before the first question leaves; false when the conversation must not begin after all. */
  readonly onBegin?: (reserved: { readonly tokens: number }) => Promise<boolean>;
};

/** `not_begun`: `onBegin` refused, and nothing left. */
export type ConversationOutcome = (ConversationEnd | { readonly kind: "not_begun" }) & Used;
/** Of all its calls. */
type Used = { readonly tokens: number; readonly bytesReceived: number };

/** Holds one conversation: performs what the machine of `#turn` decides and tells it what came of each effect. */
export async function converse(deps: ModelCallDeps, request: ConversationRequest): Promise<ConversationOutcome> {
  const { opening, onBegin } = request;
  let { state, effects } = beginConversation(opening);
  let used: Used = { tokens: 0, bytesReceived: 0 };
  let isBegun = false;
  const spoken = apart(request.onText);
  const begin: ModelCall["onReserved"] = async (reserved) => {
    if (isBegun) return true;
    isBegun = true;
    return onBegin === undefined || onBegin(reserved);
  };
  for (;;) {
    const [effect] = effects;
    assert(effect !== undefined, "a conversation that is not over has something to do");
    if (effect.kind === "end") return { ...effect.end, ...used };
    const performed = await perform(deps, { request: { ...request, onText: spoken.next() }, effect, begin });
    if (performed === "not_begun") return { kind: "not_begun", ...used };
    const { fact, tokens } = performed;
    const bytesReceived = fact.kind === "answered" ? fact.answer.bytesReceived : 0;
    used = { tokens: used.tokens + tokens, bytesReceived: used.bytesReceived + bytesReceived };
    ({ state, effects } = advanceConversation(state, fact));
  }
}

/** The text of a later answer stands apart from what was said before. */
function apart(onText: (delta: string) => void = () => {}) {
  let hasText = false;
  return {
    next() {
      let isApart = !hasText;
      return (delta: string): void => {
        onText(isApart ? delta : `\n\n${delta}`);
        [hasText, isApart] = [true, true];
      };
    },
  };
}

type Performing = {
  readonly request: ConversationRequest;
  readonly effect: Exclude<ConversationEffect, { readonly kind: "end" }>;
  readonly begin: ModelCall["onReserved"];
};
type Performed = { readonly fact: ConversationFact; readonly tokens: number };

async function perform(deps: ModelCallDeps, { request, effect, begin }: Performing): Promise<Performed | "not_begun"> {
  if (effect.kind === "perform") {
    const { callId } = effect.call;
    const outcome = await (request.perform?.(effect.call) ?? UNAVAILABLE);
    return { fact: { kind: "performed", callId, ...outcome }, tokens: 0 };
  }
  const { opening, signal, onText } = request;
  const { question, taint, tokensMax } = effect;
  const subject = { ...request.subject, purpose: opening.purpose };
  const called = await callModel(deps, { subject, question, taint, tokensMax, signal, onText, onReserved: begin });
  if (called.ok) return { fact: { kind: "answered", answer: called.value.answer }, tokens: called.value.tokens };
  const { code, tokens } = called.error;
  return code === "not_begun" ? code : { fact: { kind: "failed", failure: code }, tokens };
}

const UNAVAILABLE: ToolOutcome = { text: "This tool is not available here.", isError: true, taint: "owner" };
