import { err, ok, type Result } from "#base";
import type { Timers } from "#ports";
import type { Secured } from "./network.ts";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole HTTP client.
const { request: send } = process.getBuiltinModule("node:http");

type Exchange = {
  readonly timers: Timers;
  readonly timeoutMs: number;
  readonly path: string;
  /** Beside those about the body; a key goes here. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A longer answer is not read to its end. */
  readonly answerBytes: number;
  /** Ends it at once. */
  readonly signal?: AbortSignal | undefined;
};
type Exchanged = { readonly status: number; readonly body: Buffer };
type ExchangeFault = "unreachable" | "timeout" | "interrupted" | "answer_too_large";

/**
 * Posts one JSON body over one connection and reads one answer. INVARIANT: the connection is used for this request alone
 * and is closed with it; nothing is sent before the other side has proved to be the host; a redirect is an answer like
 * any other and is never followed.
 */
export function exchange(
  { socket, proven }: Secured,
  { timers, timeoutMs, path, headers, body, answerBytes, signal }: Exchange,
): Promise<Result<Exchanged, ExchangeFault>> {
  return new Promise((resolve) => {
    const give = (answer: Result<Exchanged, ExchangeFault>): void => {
      cancel();
      signal?.removeEventListener("abort", interrupt);
      socket.destroy();
      resolve(answer);
    };
    const interrupt = (): void => give(err("interrupted"));
    const fail = (): void => give(err("unreachable"));
    const cancel = timers.after(timeoutMs, () => give(err("timeout")));
    signal?.addEventListener("abort", interrupt);
    if (signal?.aborted === true) return interrupt();
    const about = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { method: "POST", path, headers: { ...headers, ...about, connection: "close" } };
    const ask = (): void => {
      const asked = send({ ...options, createConnection: () => socket }, (response) => {
        const parts: Buffer[] = [];
        let received = 0;
        response.on("data", (part: Buffer) => {
          received += part.length;
          parts.push(part);
          if (received > answerBytes) give(err("answer_too_large"));
        });
        response.once("error", fail);
        response.once("end", () => give(ok({ status: response.statusCode ?? 0, body: Buffer.concat(parts) })));
      });
      asked.on("error", fail);
      asked.end(body);
    };
    socket.on("error", fail);
    // Node throws at what cannot stand in a header or a path.
    proven.then((isProven) => (isProven && !socket.destroyed ? ask() : fail())).catch(fail);
  });
}
