import { sha256Hex } from "#base";
import { performAsk } from "#engine";
import { payloadProjection, type KeptRequest } from "#model";
import type { Clock, Randomness, SandboxSpace } from "#ports";
import type { AskingCall } from "#tools";
import type { QuestionReady, QuestionRefused, RunState } from "#work";
import { payloadRequest } from "../../approvals/propose.ts";
import type { LoadedPlan } from "../load-plan.ts";
import type { RunSpaces } from "../spaces.ts";
import { operationFor, placeOf } from "./prepare-question.ts";

type Deps = {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly spaces: Pick<RunSpaces, "draftIn">;
};
type Asking = {
  readonly loaded: LoadedPlan;
  readonly state: RunState;
  readonly space: SandboxSpace;
  readonly stepIndex: number;
  readonly call: AskingCall;
};
type Prepared = {
  readonly outcome: QuestionReady | QuestionRefused;
  /** The request to be kept if the run waits for the owner now. */
  readonly request: KeptRequest | null;
};

/**
 * What a step of the plan asks, ready to be asked. The draft is read here, once: what is shown, hashed and approved is
 * one text, whatever a program does to the file meanwhile. A question that was answered before an interruption is the
 * same question, if not one value of it differs.
 */
export async function prepareAsked(deps: Deps, asking: Asking): Promise<Prepared> {
  const { state, stepIndex, space } = asking;
  const draftAt = (file: string) => deps.spaces.draftIn(space, file);
  const made = await performAsk(asking.call, { place: placeOf(asking), draftAt });
  if (!made.ok) return { outcome: { ready: false, error: made.error }, request: null };
  const before = state.run.question;
  if (before !== undefined && before.stepIndex === stepIndex) {
    const same = sha256Hex(payloadProjection(made.value(before.operationId)));
    if (same === before.contentHash) return { outcome: { ready: true, question: before }, request: null };
  }
  const operationId = operationFor(deps, state);
  const asked = payloadRequest(deps, { payload: made.value(operationId), actor: { kind: "system" }, againOf: null });
  if (!asked.ok) return { outcome: { ready: false, error: "what it asks has no card" }, request: null };
  const { requestId, planHash: contentHash } = asked.value;
  const question = { requestId, operationId, stepIndex, gate: asking.call.tool, contentHash };
  return { outcome: { ready: true, question }, request: asked.value };
}
