import type { Result } from "#base";
import type { ShownRequestBody } from "#model";
import { offerFile } from "../parts/offer-file.ts";
import { announce, toast } from "../ui-state.ts";
import { send, type WireError } from "../wire/http.ts";
import { words } from "../words.ts";
import { invalidateReview } from "./review-reads.ts";

type Answer<T> = Promise<Result<T, WireError>>;

/** A decline needs no key: nothing can run by it. */
export const decline = ({ request_id, plan_hash }: ShownRequestBody): Answer<ShownRequestBody> =>
  send("/api/approvals/decide", {
    method: "POST",
    json: { request_id, verdict: "declined", shown_hash: plan_hash, friction: ["tap"] },
  });

type Named = { readonly requestId: string; readonly intent: string };

/** A missed request as a new one; it goes to the end of the queue. */
export async function proposeAgain({ requestId, intent }: Named): Promise<void> {
  const answer = await send("/api/approvals/propose-again", { method: "POST", json: { request_id: requestId } });
  if (answer.ok) announce(words.review.againDone(intent));
  else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
  await invalidateReview();
}

/** The receipt exactly as the server wrote it: one changed byte would make it worthless. */
export async function saveReceipt({ requestId }: Pick<Named, "requestId">): Promise<void> {
  const answer = await send<{ readonly receipt: string }>("/api/approvals/receipt", {
    method: "POST",
    json: { request_id: requestId },
  });
  if (answer.ok) offerFile(new Blob([answer.value.receipt]), `silas-receipt-${requestId}.json`);
  else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
}
