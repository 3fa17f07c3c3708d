import { useRef, useState } from "react";
import { ok, type Result } from "#base";
import { readProjection, type Friction, type ShownRequestBody } from "#model";
import { signRequest, type SignFailure } from "../trust/index.ts";
import { announce } from "../ui-state.ts";
import { UNREACHABLE, type WireError } from "../wire/http.ts";
import { batchWords } from "../words/batch-words.ts";
import { words } from "../words.ts";
import { selectBatch, type SelectFailure } from "./batch/select-batch.ts";
import { rememberChoice, type Choosing } from "./batch/use-batch.ts";
import { decline } from "./decisions.ts";
import { invalidateReview } from "./review-reads.ts";

export type Phase = "idle" | "approving" | "declining";
export type Decision = {
  readonly phase: Phase;
  /** Why the last try decided nothing. */
  readonly refusal: string | null;
  readonly approve: (friction: readonly Friction[]) => void;
  readonly decline: () => void;
};

export type Answering = {
  readonly request: ShownRequestBody;
  /** What is ticked of a batch; null for anything else. */
  readonly choosing: Choosing | null;
  readonly onDecided: (said: string) => void;
  /** Another request took the place of this one, and was not decided yet. */
  readonly onReplaced: (id: string) => void;
};
type Failure = SignFailure | SelectFailure | WireError;

/** One answer to one request. While it is on its way there is no second one. */
export function useDecision({ request, choosing, onDecided, onReplaced }: Answering): Decision {
  const [phase, setPhase] = useState<Phase>("idle");
  const [refusal, setRefusal] = useState<string | null>(null);
  const isUnderWay = useRef(false);
  const attempt = async (what: Exclude<Phase, "idle">, answerIt: () => Promise<Result<string, Failure>>) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setPhase(what);
    setRefusal(null);
    const answer = await answerIt();
    isUnderWay.current = false;
    setPhase("idle");
    if (answer.ok) return onDecided(answer.value);
    const why = failureWords(answer.error);
    setRefusal(why);
    announce(why);
    // It may have been decided elsewhere meanwhile; then the card says so in place.
    await invalidateReview();
  };
  const approve = async (friction: readonly Friction[]): Promise<Result<string, Failure>> => {
    const asked = choosing === null ? ok(request) : await selectBatch(request, choosing);
    if (!asked.ok) return asked;
    const signed = await signRequest({ request: asked.value, friction });
    if (signed.ok) return ok(approvedWords(asked.value, choosing));
    const { request_id: freshId } = asked.value;
    if (freshId !== request.request_id) {
      rememberChoice(freshId);
      onReplaced(freshId);
    }
    return signed;
  };
  return {
    phase,
    refusal,
    approve: (friction) => void attempt("approving", () => approve(friction)),
    decline: () =>
      void attempt("declining", async () => {
        const answer = await decline(request);
        return answer.ok ? ok(words.decided.saidDeclined(request.card.intent)) : answer;
      }),
  };
}

/** What has steps begins at once; what has none waits for something that could run it. */
function approvedWords({ kind, card, projection }: ShownRequestBody, choosing: Choosing | null): string {
  const read = readProjection(projection);
  const isRun = kind === "batch_review" || (read.ok && read.value.whole["executor_kind"] === "steps");
  const leftOut = choosing === null ? 0 : choosing.all - choosing.ids.length;
  return [
    words.decided.saidApproved(card.intent),
    ...(leftOut > 0 ? [batchWords.saidLeftOut(leftOut)] : []),
    ...(isRun ? [words.work.runsNow] : []),
  ].join(" ");
}

function failureWords(error: Failure): string {
  if (error.code === UNREACHABLE) return words.ladder.offline;
  if (error.code === "selection_differs") return batchWords.selectionDiffers;
  if ("message" in error && error.message !== "") return error.message;
  return words.signFailures[error.code as keyof typeof words.signFailures] ?? words.signFailures.other;
}
