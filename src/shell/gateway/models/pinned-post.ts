import { err, LIMITS, ok, sha256Hex, type Result } from "#base";
import { placeWords, type ModelFailure, type ModelPlace, type ModelRefusal } from "#model";
import type { Leaving, Timers } from "#ports";
import { exchange } from "../exchange.ts";
import { createLookout } from "../lookout.ts";
import type { Network } from "../network.ts";
import { connectPlace } from "../reach.ts";

export type Posting = {
  readonly place: ModelPlace;
  readonly network: Network;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** What goes into the header; null where none is needed. */
  readonly key: string | null;
  readonly onLeave: (leaving: Leaving) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Gets the body of an answer as it arrives. It never gets the key, and nothing of an answer that is a failure. */
  readonly onPart: (part: Uint8Array) => void;
  /** Gets the beginning of the body in which the question itself is refused. */
  readonly onRefused: (body: string) => void;
};
type Posted = { readonly bytesReceived: number };

/**
 * Sends one body to the one address of a model, and takes in one answer. Whatever the other side does, it gets this body
 * and nothing else: no second connection, no other host, no longer wait, no larger answer.
 */
export async function postTo(posting: Posting, body: string): Promise<Result<Posted, ModelRefusal>> {
  const { place, key, onLeave, onPart } = posting;
  const bytes = Buffer.byteLength(body);
  if (bytes > LIMITS.modelQuestionBytes) return refuse("model_question_too_large");
  const keyRef = place.key.kind === "vault" ? place.key.ref : null;
  const leaving = { host: placeWords(place), model: place.model, bytes, sha256: sha256Hex(body), keyRef };
  if (!(await onLeave(leaving))) return refuse("model_not_recorded");
  const { timeoutMs, signal } = posting;
  if (signal.aborted) return refuse("model_interrupted");
  const connected = await connectPlace(place, { ...posting, connectMs: Math.min(timeoutMs, LIMITS.placeConnectMs) });
  if (!connected.ok) return refuse(signal.aborted ? "model_interrupted" : "model_unreachable");
  const host = placeWords(place);
  const lookout = createLookout(key === null ? [] : [Buffer.from(key)]);
  const shown = new AbortController();
  const take = (part: Buffer): void => {
    const free = lookout.take(part);
    if (free === null) shown.abort();
    else if (free.length > 0) onPart(free);
  };
  let refused = Buffer.alloc(0);
  const takeRefusal = (part: Buffer): void => {
    refused = Buffer.concat([refused, part.subarray(0, LIMITS.modelRefusalBytes - refused.length)]);
  };
  const answer = await exchange(connected.value, {
    ...posting,
    signal: AbortSignal.any([signal, shown.signal]),
    path: `${place.baseUrl.replace(/^https?:\/\/[^/]+/, "")}/chat/completions`,
    headers: key === null ? { host } : { host, authorization: `Bearer ${key}` },
    body,
    answerBytes: LIMITS.modelAnswerBytes,
    onStatus: (status) => (failureOf(status) === null ? take : takeRefusal),
  });
  if (shown.signal.aborted) return refuse("model_shows_key");
  if (!answer.ok) return refuse(`model_${answer.error}`);
  const { status, bytesReceived } = answer.value;
  const failure = failureOf(status);
  if (failure === "model_refused") posting.onRefused(refused.toString("utf8"));
  if (failure !== null) return refuse(failure);
  onPart(lookout.end());
  return ok({ bytesReceived });
}

const refuse = (code: ModelFailure): Result<never, ModelRefusal> => err({ code });

/** A key was saved for this address, and the owner's words with it: nobody else is asked because somebody says so. */
function failureOf(status: number): ModelFailure | null {
  if (status === 200) return null;
  if (status >= 300 && status < 400) return "model_redirects";
  if (status === 401 || status === 403) return "model_key_refused";
  if (status === 429) return "model_busy";
  if (status === 413) return "model_question_too_large";
  return status >= 400 && status < 500 ? "model_refused" : "model_failed";
}
