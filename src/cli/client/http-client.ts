import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { CommandFailure, EXIT } from "../terminal/failure.ts";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole second client,
// which every command would wait for.
const requestOf = (name: "node:http" | "node:https") => process.getBuiltinModule(name).request;

/** Where the running instance listens and the token it left for the terminal, both from its own private file. */
export type InstanceAddress = {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** The one certificate to accept, where the instance speaks TLS. */
  readonly certificate: string | null;
};

/** How long a silent connection is waited for; an import may be decided for longer. */
const SILENCE_MS = 30_000;
const ANSWER_CHARS_MAX = 64 * 1024 * 1024;

export type HttpCall = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | Readable;
  readonly type?: "application/json" | "application/x-ndjson";
  readonly silenceMs?: number;
  /** Ends the call at once. */
  readonly signal?: AbortSignal;
};

/**
 * One call to the running instance. It connects to the numeric loopback address that the instance bound and to nothing
 * else: asking the resolver for `localhost` could hand the token to whoever else listens on its other address.
 */
export function callInstance(address: InstanceAddress, call: HttpCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { certificate } = address;
    const outgoing = requestOf(certificate === null ? "node:http" : "node:https")({
      // Pinned: exactly the configured certificate counts, and its name is the owner's business.
      ...(certificate === null ? {} : { ca: certificate, checkServerIdentity: () => undefined }),
      host: address.host,
      port: address.port,
      method: call.method,
      path: call.path,
      agent: false,
      timeout: call.silenceMs ?? SILENCE_MS,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
      headers: {
        host: `localhost:${address.port}`,
        authorization: `Bearer ${address.token}`,
        ...(call.body === undefined ? {} : { "content-type": call.type ?? "application/json" }),
      },
    });
    const fail = (cause: unknown) => reject(unreachable(cause));
    outgoing.once("error", fail);
    outgoing.once("timeout", () => outgoing.destroy(new Error("no answer in time")));
    outgoing.once("response", resolve);
    if (call.body === undefined || typeof call.body === "string") outgoing.end(call.body);
    else call.body.once("error", (cause) => outgoing.destroy(cause)).pipe(outgoing);
  });
}

/** The answer as JSON, with its status. What is not JSON did not come from Silas. */
export async function readAnswer(
  response: IncomingMessage,
): Promise<{ readonly status: number; readonly body: unknown }> {
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > ANSWER_CHARS_MAX) throw unreachable(new Error("the answer is too large"));
  }
  try {
    return { status: response.statusCode ?? 0, body: text === "" ? null : JSON.parse(text) };
  } catch (cause) {
    throw unreachable(cause);
  }
}

const unreachable = (cause: unknown): CommandFailure =>
  new CommandFailure({
    what: "The running Silas did not answer.",
    kept: "Nothing is known to have changed.",
    next: "`silas status` says whether it runs; `silas stop` and `silas start` start it again.",
    cause,
  });

/** An answer that says the caller is not known. */
export const notSignedIn = (): CommandFailure =>
  new CommandFailure({
    what: "The running Silas does not accept this terminal's token.",
    kept: "Nothing was changed.",
    next: "Start it again with `silas stop` and `silas start`; that makes a new token.",
    exit: EXIT.auth,
  });
