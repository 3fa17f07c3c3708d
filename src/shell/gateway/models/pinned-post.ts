import type { Socket } from "node:net";
import { err, LIMITS, ok, sha256Hex, type Result } from "#base";
import { placeWords, type ModelFailure, type ModelPlace, type ModelRefusal } from "#model";
import type { Leaving, Timers } from "#ports";
import { holdsAny } from "../lookout.ts";
import type { Network } from "../network.ts";
import { connectTo, createReach } from "../reach.ts";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole HTTP client.
const { request: send } = process.getBuiltinModule("node:http");

export type Posting = {
  readonly place: ModelPlace;
  readonly network: Network;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** What goes into the header; null where none is needed. */
  readonly key: string | null;
  readonly onLeave: (leaving: Leaving) => Promise<boolean>;
  readonly signal: AbortSignal;
};
export type Posted = { readonly body: Buffer };

/**
 * Sends one body to the one address of a model, and takes in one answer. Whatever the other side does, it gets this body
 * and nothing else: no second connection, no other host, no longer wait, no larger answer.
 */
export async function postTo(posting: Posting, body: string): Promise<Result<Posted, ModelRefusal>> {
  const { place, key, onLeave } = posting;
  const bytes = Buffer.byteLength(body);
  if (bytes > LIMITS.modelQuestionBytes) return refuse("model_question_too_large");
  const keyRef = place.key.kind === "vault" ? place.key.ref : null;
  const leaving = { host: placeWords(place), model: place.model, bytes, sha256: sha256Hex(body), keyRef };
  if (!(await onLeave(leaving))) return refuse("model_not_recorded");
  if (posting.signal.aborted) return refuse("model_interrupted");
  const socket = await connect(posting);
  if (socket === null) return refuse("model_unreachable");
  const answer = await exchange(posting, { socket, body, bytes });
  const isShown = answer.ok && key !== null && holdsAny(answer.value.body, [Buffer.from(key)]);
  return isShown ? refuse("model_shows_key") : answer;
}

const refuse = (code: ModelFailure): Result<never, ModelRefusal> => err({ code });

async function connect({ place, network, timers, timeoutMs }: Posting): Promise<Socket | null> {
  const { host, port } = place;
  const connectMs = Math.min(timeoutMs, LIMITS.modelConnectMs);
  if (place.reach === "remote") {
    const grant = { hosts: [{ host, port }], onUse: async () => true };
    const reached = await createReach({ network, timers, connectMs, ownNames: [], grant })({ host, port });
    return reached.ok ? network.secure(reached.value, host).socket : null;
  }
  // The address is that of this machine by its number: no name is looked up that could lead elsewhere.
  return connectTo(host === "localhost" ? "127.0.0.1" : host, { network, timers, port, connectMs });
}

type Exchange = { readonly socket: Socket; readonly body: string; readonly bytes: number };

function exchange(
  { place, key, timers, timeoutMs, signal }: Posting,
  { socket, body, bytes }: Exchange,
): Promise<Result<Posted, ModelRefusal>> {
  return new Promise((resolve) => {
    const give = (answer: Result<Posted, ModelRefusal>): void => {
      cancel();
      signal.removeEventListener("abort", interrupt);
      socket.destroy();
      resolve(answer);
    };
    const interrupt = (): void => give(refuse("model_interrupted"));
    const cancel = timers.after(timeoutMs, () => give(refuse("model_timeout")));
    signal.addEventListener("abort", interrupt);
    if (signal.aborted) return interrupt();
    const headers = {
      host: placeWords(place),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      "content-type": "application/json",
      "content-length": bytes,
      connection: "close",
    };
    const path = `${place.baseUrl.replace(/^https?:\/\/[^/]+/, "")}/chat/completions`;
    const asked = send({ method: "POST", path, headers, createConnection: () => socket }, (response) => {
      const parts: Buffer[] = [];
      let received = 0;
      response.on("data", (part: Buffer) => {
        received += part.length;
        parts.push(part);
        if (received > LIMITS.modelAnswerBytes) give(refuse("model_answer_too_large"));
      });
      response.once("error", () => give(refuse("model_unreachable")));
      response.once("end", () => {
        const failure = failureOf(response.statusCode ?? 0);
        give(failure === null ? ok({ body: Buffer.concat(parts) }) : refuse(failure));
      });
    });
    asked.on("error", () => give(refuse("model_unreachable")));
    asked.end(body);
  });
}

/** A key was saved for this address, and the owner's words with it: nobody else is asked because somebody says so. */
function failureOf(status: number): ModelFailure | null {
  if (status === 200) return null;
  if (status >= 300 && status < 400) return "model_redirects";
  if (status === 401 || status === 403) return "model_key_refused";
  if (status === 429) return "model_busy";
  if (status === 413) return "model_question_too_large";
  return status >= 400 && status < 500 ? "model_refused" : "model_failed";
}
