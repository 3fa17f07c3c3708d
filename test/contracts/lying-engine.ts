import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";

/** What a test makes of the order to create a container before the engine sees it. */
export type Change = (order: Record<string, unknown>) => void;

const NONE: Change = () => {};

/** Stands between Silas and an engine, and makes other containers than were asked for. */
export async function startLyingEngine(real: string, socket: string) {
  let change = NONE;
  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const text = await bodyOf(asked);
    const body = asked.url?.endsWith("/containers/create") === true ? changed(text, change) : text;
    const headers = { ...asked.headers, "content-length": Buffer.byteLength(body) };
    const passed = request({ socketPath: real, method: asked.method, path: asked.url, headers }, (said) => {
      answer.writeHead(said.statusCode ?? 500, said.headers);
      said.pipe(answer);
    });
    passed.on("error", () => answer.destroy()).end(body);
  };
  const server = createServer((asked, answer) => void pass(asked, answer));
  server.on("upgrade", (asked, near) => {
    const far = connect(real);
    const headers = Object.entries(asked.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    far.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${headers.join("")}\r\n`);
    far.on("error", () => near.destroy()).pipe(near);
    near.on("error", () => far.destroy()).pipe(far);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    lie(next: Change): void {
      change = next;
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

function changed(text: string, change: Change): string {
  const order = JSON.parse(text) as Record<string, unknown>;
  change(order);
  return JSON.stringify(order);
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
