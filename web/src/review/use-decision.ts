import { useRef, useState } from "react";
import { ok, type Result } from "#base";
import { isRunKind, readProjection, type Friction, type ShownRequestBody } from "#model";
import { tightenApprovals, type TightenFailure } from "../autonomy/tighten.ts";
import { signRequest, type SignFailure } from "../trust/index.ts";
import { announce } from "../ui-state.ts";
import { UNREACHABLE, type WireError } from "../wire/http.ts";
import { askWords } from "../words/ask-words.ts";
import { connectionWords } from "../words/connection-words.ts";
import { limitWords } from "../words/limit-words.ts";
import { batchWords } from "../words/batch-words.ts";
import { words } from "../words.ts";
import type { Asking } from "./ask/use-answer.ts";
import { selectBatch, type SelectFailure } from "./batch/select-batch.ts";
import { rememberChoice, type Choosing } from "./batch/use-batch.ts";
import { decline } from "./decisions.ts";
import { invalidateReview } from "./review-reads.ts";

type Phase = "idle" | "approving" | "declining";
export type Decision = {
  readonly phase: Phase;
  /** Why the last try decided nothing. */
  readonly refusal: string | null;
  readonly approve: (friction: readonly Friction[]) => void;
  /** The same for a wider permission that is to be for one call alone. [PERM-05] */
  readonly approveOnce: (friction: readonly Friction[]) => void;
  readonly decline: () => void;
  /** Answers a proposal about limits by tightening them, with this same tap. [AUTO-16] */
  readonly tighten: () => void;
};

type Answering = {
  readonly request: ShownRequestBody;
  /** What is ticked of a batch; null for anything else. */
  readonly choosing: Choosing | null;
  /** What stands in the form of a question; null for anything else. */
  readonly asking: Asking | null;
  readonly onDecided: (said: string) => void;
  /** Another request took the place of this one, and was not decided yet. */
  readonly onReplaced: (id: string) => void;
};
type Failure = SignFailure | SelectFailure | TightenFailure | WireError;

/** One answer to one request. While it is on its way there is no second one. */
export function useDecision({ request, choosing, asking, onDecided, onReplaced }: Answering): Decision {
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
    const signed = await signRequest({ request: asked.value, friction, answer: asking?.answer ?? undefined });
    if (signed.ok) return ok(asking === null ? approvedWords(asked.value, choosing) : askWords.saidAnswered);
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
    approveOnce: (friction) =>
      void attempt("approving", async () => {
        const signed = await signRequest({ request, friction, answer: { duration: "once" } });
        return signed.ok ? ok(approvedWords(request, null)) : signed;
      }),
    tighten: () =>
      void attempt("approving", async () => {
        const answer = await tightenApprovals(request.request_id);
        return answer.ok ? ok(limitWords.saidTightened(answer.value.limits)) : answer;
      }),
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
  const isRun = kind === "batch_review" || (read.ok && isRunKind(read.value.whole["executor_kind"]));
  const leftOut = choosing === null || choosing.batch.isQuestion ? 0 : choosing.all - choosing.ids.length;
  return [
    words.decided.saidApproved(card.intent),
    ...(leftOut > 0 ? [batchWords.saidLeftOut(leftOut)] : []),
    ...(isRun ? [words.work.runsNow] : []),
    ...(kind === "step_approval" ? [words.work.goesOn] : []),
    ...(kind === "permission_escalation" ? [connectionWords.signsInAgain] : []),
  ].join(" ");
}

function failureWords(error: Failure): string {
  if (error.code === UNREACHABLE) return words.ladder.offline;
  if (error.code === "not_tightening") return limitWords.notTightening;
  if (error.code === "selection_differs") return batchWords.selectionDiffers;
  if ("message" in error && error.message !== "") return error.message;
  return words.signFailures[error.code as keyof typeof words.signFailures] ?? words.signFailures.other;
}
