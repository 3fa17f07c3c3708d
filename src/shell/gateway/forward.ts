import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hostWords, type HostRule } from "#model";
import { createLookout, holdsAny } from "./lookout.ts";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole HTTP client.
const { request: ask } = process.getBuiltinModule("node:http");

/** Headers that concern one connection and not the message (RFC 9110, 7.6.1), and what is meant for a proxy. */
const OF_CONNECTION = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

type Forwarding = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly target: HostRule;
  readonly path: string;
  /** Added by the gateway itself, in place of what the program says of the same names. */
  readonly added: Readonly<Record<string, string>>;
  /** What no answer may hold. */
  readonly traces: readonly Uint8Array[];
  readonly onBytes: (bytes: number) => void;
  /** Told instead of an answer that holds one of them, or that cannot be looked through. */
  readonly onWithheld: () => void;
};

/** One request without encryption. The host it names is the one that was judged; redirects go back as they came. */
export function forward(forwarding: Forwarding): void {
  const { request, response, socket, target, path, added, onBytes } = forwarding;
  const onward = ask({
    method: request.method,
    path,
    headers: { ...carried(request.headers), ...added, host: hostOf(target), connection: "close" },
    createConnection: () => socket,
  });
  onward.once("response", (answer) => giveBack(forwarding, answer));
  onward.on("error", () => response.destroy());
  // A server that stays silent, or switches protocols (Node closes that), has not answered.
  onward.once("close", () => void (response.headersSent || response.destroy()));
  response.once("close", () => socket.destroy());
  request.on("data", (chunk: Buffer) => onBytes(chunk.length)).pipe(onward);
}

function giveBack({ response, socket, traces, onBytes, onWithheld }: Forwarding, answer: IncomingMessage): void {
  const withhold = (): void => {
    socket.destroy();
    onWithheld();
  };
  if (traces.length > 0 && !isClear(answer, traces)) return withhold();
  const { statusCode = 0 } = answer;
  // No code that there is: Node throws at it, where nobody would catch that.
  if (statusCode < 200) return void response.destroy();
  const lookout = createLookout(traces);
  response.writeHead(statusCode, carried(answer.headers));
  answer.on("data", (chunk: Buffer) => {
    onBytes(chunk.length);
    const free = lookout.take(chunk);
    if (free === null) return withhold();
    if (!response.write(free)) {
      answer.pause();
      response.once("drain", () => answer.resume());
    }
  });
  answer.once("end", () => response.end(lookout.end()));
  answer.on("error", () => response.destroy());
}

/** Whether headers hold none of it, and the rest can be read as it is. */
function isClear({ headers, rawHeaders }: IncomingMessage, traces: readonly Uint8Array[]): boolean {
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
  return isPlain && !holdsAny(Buffer.from(rawHeaders.join("\n"), "latin1"), traces);
}

const carried = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));

/** The usual ports are not said. */
const hostOf = (target: HostRule): string => hostWords(target).replace(/:(?:80|443)$/, "");
