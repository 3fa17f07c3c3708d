import { request as ask, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hostWords, type HostRule } from "#model";

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

export type Forwarding = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly target: HostRule;
  readonly path: string;
  readonly onBytes: (bytes: number) => void;
};

/** One request without encryption. The host it names is the one that was judged; redirects go back as they came. */
export function forward({ request, response, socket, target, path, onBytes }: Forwarding): void {
  const onward = ask({
    method: request.method,
    path,
    headers: { ...carried(request.headers), host: hostOf(target), connection: "close" },
    createConnection: () => socket,
  });
  const count = (chunk: Buffer): void => onBytes(chunk.length);
  onward.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, carried(answer.headers));
    answer.on("data", count).pipe(response);
    answer.on("error", () => response.destroy());
  });
  onward.on("error", () => response.destroy());
  response.once("close", () => socket.destroy());
  request.on("data", count).pipe(onward);
}

const carried = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));

const hostOf = (target: HostRule): string =>
  target.port === 80 ? hostWords(target).replace(/:80$/, "") : hostWords(target);
