import { err, ok, type Result } from "#base";
import type { ModelAnswer, ModelFailure, ModelPurpose, ModelQuestion, Taint } from "#model";
import type { Clock, Leaving, ModelGateway, Randomness } from "#ports";
import { PURPOSES } from "#turn";
import { Fault } from "../fault.ts";
import type { ModelLedger } from "./ledger.ts";

export type ModelCallDeps = {
  readonly models: ModelGateway;
  readonly calls: ModelLedger;
  readonly clock: Clock;
  readonly randomness: Randomness;
};

/** Whom a call is made for. */
export type CallSubject = {
  readonly purpose: ModelPurpose;
  /** The turn, consultation or run; null for a question of Silas's own. */
  readonly subjectId: string | null;
  readonly scopeId: string;
  /** The message that is answered, as the audit chain names it. */
  readonly messageId: string | null;
  readonly tokensPerDay: number;
};

export type ModelCall = {
  readonly subject: CallSubject;
  readonly question: ModelQuestion;
  readonly taint: Taint;
  readonly tokensMax: number;
  readonly signal: AbortSignal;
  readonly onText?: ((delta: string) => void) | undefined;
  /** Told once the tokens are reserved and before anything leaves; false when the call must not be made after all. */
  readonly onReserved: (reserved: { readonly tokens: number }) => Promise<boolean>;
};

/** `not_begun`: whoever it is for has moved on, and nothing left. */
type CallFailure = {
  readonly code: ModelFailure | "not_begun";
  readonly tokens: number;
  readonly isWorthAgain?: true | undefined;
};
type AnsweredCall = { readonly answer: ModelAnswer; readonly tokens: number };
type CallResult = Result<AnsweredCall, CallFailure>;

/**
 * One question to the model. It is asked a second time only when the provider refused an extra that it no longer has, and
 * so has not worked on it.
 */
export async function callModel(deps: ModelCallDeps, call: ModelCall): Promise<CallResult> {
  const called = await callOnce(deps, call);
  if (called.ok || called.error.isWorthAgain !== true || call.signal.aborted) return called;
  return callOnce(deps, { ...call, onReserved: async () => true });
}

/** Reserved, recorded before it leaves and after it is answered: the only way to a model. */
async function callOnce(
  { models, calls, clock, randomness }: ModelCallDeps,
  { subject, question, taint, tokensMax, signal, onText, onReserved }: ModelCall,
): Promise<CallResult> {
  if (models.setting.kind === "absent") return err({ code: "model_absent", tokens: 0 });
  const callId = Buffer.from(randomness.bytes(8)).toString("hex");
  const { messageId, purpose, ...whose } = subject;
  const { promptVersion } = PURPOSES[purpose];
  const at = clock.now();
  const reservation = { ...whose, callId, purpose, promptVersion, taint, tokens: tokensMax };
  if (!(await calls.reserve(reservation, at))) return err({ code: "model_budget_spent", tokens: 0 });
  const fail = async (reason: ModelFailure) => calls.failed({ callId, messageId, reason }, clock.now());
  if (!(await onReserved({ tokens: tokensMax }))) {
    await fail("model_interrupted");
    return err({ code: "not_begun", tokens: 0 });
  }
  const onLeave = (leaving: Leaving): Promise<boolean> =>
    calls.sent({ ...leaving, callId, messageId, taint }, clock.now()).then(() => true, isFault);
  const asked = await models.ask({ ...question, signal, onLeave, ...(onText === undefined ? {} : { onText }) });
  if (!asked.ok) return err({ ...asked.error, tokens: await fail(asked.error.code) });
  const { bytesReceived, tokensIn, tokensOut } = asked.value;
  await calls.answered({ callId, messageId, bytesReceived, tokensIn, tokensOut }, clock.now());
  return ok({ answer: asked.value, tokens: tokensIn + tokensOut });
}

/** A call that cannot be recorded is not made. */
function isFault(cause: unknown): false {
  if (!(cause instanceof Fault)) throw cause;
  return false;
}
