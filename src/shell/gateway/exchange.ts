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
  /** Called with the status; gives what takes the body in, part by part, as it arrives. Without it the result has it. */
  readonly onStatus?: ((status: number) => (part: Buffer) => void) | undefined;
};
type Exchanged = {
  readonly status: number;
  /** Empty where it was taken in as it arrived. */
  readonly body: Buffer;
  readonly bytesReceived: number;
};
type ExchangeFault = "unreachable" | "timeout" | "interrupted" | "answer_too_large";

/**
 * Posts one JSON body over one connection and reads one answer. INVARIANT: the connection is used for this request alone
 * and is closed with it; nothing is sent before the other side has proved to be the host; a redirect is an answer like
 * any other and is never followed. Once it has a result, no part of the body is given any more.
 */
export function exchange(
  { socket, proven }: Secured,
  { timers, timeoutMs, path, headers, body, answerBytes, signal, onStatus }: Exchange,
): Promise<Result<Exchanged, ExchangeFault>> {
  return new Promise((resolve) => {
    let isOver = false;
    const give = (answer: Result<Exchanged, ExchangeFault>): void => {
      isOver = true;
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
        const status = response.statusCode ?? 0;
        const parts: Buffer[] = [];
        const take = onStatus?.(status) ?? ((part: Buffer) => void parts.push(part));
        let bytesReceived = 0;
        response.on("data", (part: Buffer) => {
          if (isOver) return;
          bytesReceived += part.length;
          if (bytesReceived > answerBytes) give(err("answer_too_large"));
          else take(part);
        });
        response.once("error", fail);
        response.once("end", () => give(ok({ status, body: Buffer.concat(parts), bytesReceived })));
      });
      asked.on("error", fail);
      asked.end(body);
    };
    socket.on("error", fail);
    // Node throws at what cannot stand in a header or a path.
    proven.then((isProven) => (isProven && !socket.destroyed ? ask() : fail())).catch(fail);
  });
}
