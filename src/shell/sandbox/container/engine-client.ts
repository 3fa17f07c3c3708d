import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { err, ok, type Result } from "#base";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole HTTP client.
const { request } = process.getBuiltinModule("node:http");

/** `status` is null when nobody answered. */
export type EngineFault = { readonly status: number | null; readonly detail: string };

type EngineCall = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** Without it the engine is given a minute. */
  readonly waitMs?: number;
};

/** What an engine says of itself with every answer, such as "Docker/27.1 (linux)". */
type EngineName = string;

/** Docker's HTTP interface, which Podman speaks as well, over a socket of this machine. */
export type EngineClient = {
  /** The cheapest question there is. */
  ping(): Promise<Result<EngineName, EngineFault>>;
  /** The answer as JSON; null where there is none. */
  call(call: EngineCall): Promise<Result<unknown, EngineFault>>;
  /** The input and output of a container; output comes in frames that say which stream they are of. */
  attach(id: string): Promise<Result<Duplex, EngineFault>>;
};

const ANSWER_WAIT_MS = 60_000;
const PING_WAIT_MS = 10_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** One that was kept from an earlier call may be closed by the engine in the moment it is used again. */
const OWN_CONNECTION = { agent: false } as const;

export function createEngineClient(socketPath: string): EngineClient {
  return {
    async ping() {
      const answer = await ask(socketPath, { method: "GET", path: "/_ping", waitMs: PING_WAIT_MS });
      if (!answer.ok) return answer;
      const read = await readAnswer(answer.value);
      return read.ok ? ok(String(answer.value.headers.server)) : read;
    },
    async call(call) {
      const answer = await ask(socketPath, call);
      return answer.ok ? readAnswer(answer.value) : answer;
    },
    attach: (id) =>
      new Promise((resolve) => {
        const path = `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
        const headers = { host: "engine", connection: "Upgrade", upgrade: "tcp" };
        const asked = request({
          ...OWN_CONNECTION,
          socketPath,
          method: "POST",
          path,
          headers,
          timeout: ANSWER_WAIT_MS,
        });
        asked.once("upgrade", (_answer, socket, head) => {
          socket.setTimeout(0);
          if (head.length > 0) socket.unshift(head);
          resolve(ok(socket));
        });
        asked.once("response", (answer) => {
          void readAnswer(answer).then((read) =>
            resolve(err(read.ok ? { status: answer.statusCode ?? null, detail: "cannot be attached to" } : read.error)),
          );
        });
        asked.once("timeout", () => asked.destroy(new Error("the engine does not answer")));
        asked.once("error", (cause) => resolve(err(faultOf(cause))));
        asked.end();
      }),
  };
}

function ask(socketPath: string, call: EngineCall): Promise<Result<IncomingMessage, EngineFault>> {
  const { method, path, body, waitMs = ANSWER_WAIT_MS } = call;
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { host: "engine", "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve) => {
    const options = { ...OWN_CONNECTION, socketPath, method, path, headers, timeout: waitMs };
    const asked = request(options, (answer) => resolve(ok(answer)));
    asked.once("timeout", () => asked.destroy(new Error("the engine does not answer")));
    asked.once("error", (cause) => resolve(err(faultOf(cause))));
    asked.end(text);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<Result<unknown, EngineFault>> {
  const status = answer.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new Error("the engine answers with too much");
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString().trim();
    const body: unknown = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : null;
    if (status >= 200 && status < 300) return ok(body);
    const said = fieldOf(body, "message");
    return err({ status, detail: typeof said === "string" ? said : text.slice(0, 500) || `status ${status}` });
  } catch (cause) {
    return err({ ...faultOf(cause), status });
  }
}

const faultOf = (cause: unknown): EngineFault => ({
  status: null,
  detail: cause instanceof Error ? cause.message : String(cause),
});

/** A field of something an engine said; undefined where there is none. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) => (typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined),
    value,
  );
}
