import { useRef, useState } from "react";
import { readProjection, type Friction, type ShownRequestBody } from "#model";
import { signRequest, type SignFailure } from "../trust/index.ts";
import { announce } from "../ui-state.ts";
import { UNREACHABLE, type WireError } from "../wire/http.ts";
import { words } from "../words.ts";
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

/** One answer to one request. While it is on its way there is no second one. */
export function useDecision(request: ShownRequestBody, onDecided: (said: string) => void): Decision {
  const [phase, setPhase] = useState<Phase>("idle");
  const [refusal, setRefusal] = useState<string | null>(null);
  const isUnderWay = useRef(false);
  const intent = request.card.intent;
  const attempt = async (what: Exclude<Phase, "idle">, friction: readonly Friction[]): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setPhase(what);
    setRefusal(null);
    const answer = what === "declining" ? await decline(request) : await signRequest({ request, friction });
    isUnderWay.current = false;
    setPhase("idle");
    if (answer.ok) {
      onDecided(what === "declining" ? words.decided.saidDeclined(intent) : approvedWords(request));
      return;
    }
    const why = failureWords(answer.error);
    setRefusal(why);
    announce(why);
    // It may have been decided elsewhere meanwhile; then the card says so in place.
    await invalidateReview();
  };
  return {
    phase,
    refusal,
    approve: (friction) => void attempt("approving", friction),
    decline: () => void attempt("declining", []),
  };
}

/** What has steps begins at once; what has none waits for something that could run it. */
function approvedWords({ card, projection }: ShownRequestBody): string {
  const read = readProjection(projection);
  const isRun = read.ok && read.value.whole["executor_kind"] === "steps";
  return `${words.decided.saidApproved(card.intent)}${isRun ? ` ${words.work.runsNow}` : ""}`;
}

function failureWords(error: SignFailure | WireError): string {
  if (error.code === UNREACHABLE) return words.ladder.offline;
  if ("message" in error && error.message !== "") return error.message;
  return words.signFailures[error.code as keyof typeof words.signFailures] ?? words.signFailures.other;
}
