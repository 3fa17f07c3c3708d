import { err, ok, sha256Hex, type Result } from "#base";
import { payloadProjection, type AskingCall, type KeptRequest, type Payload } from "#model";
import type { Clock, Randomness, SandboxSpace } from "#ports";
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
type Question = Extract<Payload, { readonly kind: "decision" | "draft_review" }>;

/**
 * What a step of the plan asks, ready to be asked. The draft is read here, once: what is shown, hashed and approved is
 * one text, whatever a program does to the file meanwhile. A question that was answered before an interruption is the
 * same question, if not one value of it differs.
 */
export async function prepareAsked(deps: Deps, asking: Asking): Promise<Prepared> {
  const { state, stepIndex } = asking;
  const made = await questionMaker(deps, asking);
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

/** Refused with words: the draft is not there, or is no text that a card can show. */
async function questionMaker(
  { spaces }: Deps,
  { call, space, ...asking }: Asking,
): Promise<Result<(operationId: string) => Question, string>> {
  const place = placeOf(asking);
  if (call.tool === "ask_owner") {
    const { question, options, freetext, file } = call.args;
    const tapped = options.map((option) => ({ ...option, approval_tier: "tap" as const }));
    const asked = { ...place, question, options: tapped, allow_freetext: freetext, file };
    return ok((operationId) => ({ kind: "decision", operation_id: operationId, ...asked }));
  }
  const { path: file, about: context } = call.args;
  const draft = await spaces.draftIn(space, file);
  if (!draft.ok) return err(draft.error);
  const shown = { ...place, context, draft: draft.value, file };
  return ok((operationId) => ({ kind: "draft_review", operation_id: operationId, ...shown }));
}
