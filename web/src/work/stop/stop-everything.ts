import { STOP_UNRECORDED, type StopBody } from "#model";
import { invalidateReview } from "../../review/review-reads.ts";
import { announce, toast } from "../../ui-state.ts";
import { send } from "../../wire/http.ts";
import { stopWords } from "../../words/stop-words.ts";

/** Ends whatever runs, at once, and lets nothing begin until somebody says otherwise. */
export async function stopEverything(): Promise<void> {
  const answer = await send<StopBody>("/api/stop", { method: "POST", json: {} });
  if (answer.ok && !answer.value.recorded) toast(STOP_UNRECORDED, { tone: "wrong" });
  else if (answer.ok) announce(stopWords.saidStopped(answer.value.ended));
  else toast(answer.error.message || stopWords.notStopped, { tone: "wrong" });
  await invalidateReview();
}

export async function startAgain(): Promise<void> {
  const answer = await send<StopBody>("/api/start-again", { method: "POST", json: {} });
  if (answer.ok) announce(stopWords.saidStarted);
  else toast(answer.error.message || stopWords.notStarted, { tone: "wrong" });
  await invalidateReview();
}
