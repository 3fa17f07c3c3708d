/** A model of this machine that speaks as an OpenAI-compatible server, says what a test has it say and keeps what it was sent. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The last message of each role, and the whole request as it came. */
export type Sent = { readonly system: string; readonly prompt: string; readonly body: string };
export type Said = {
  /** An object is written as JSON. */
  readonly content?: object | string;
  /** Native calls of tools, after the content. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object | string }[];
  readonly tokens?: number;
  /** Sends so many characters of the content, and goes on once `until` is settled. */
  readonly hold?: { readonly afterChars: number; readonly until: Promise<void> };
};
export type LoopbackModel = {
  readonly sent: readonly Sent[];
  /** Where it is asked, as Silas says it. */
  readonly host: string;
  /** The settings with which Silas asks this model. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
};

export async function startLoopbackModel(says: (sent: Sent) => Said): Promise<LoopbackModel> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString("utf8")));
    request.on("end", () => {
      const { isStreamed, ...question } = sentIn(body);
      sent.push(question);
      const said = says(question);
      if (isStreamed) void stream(response, said);
      else answer(response, said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    sent,
    host: `127.0.0.1:${port}`,
    env: {
      SILAS_MODELS__PLANNER: "compatible:trial",
      SILAS_PROVIDERS__COMPATIBLE__BASE_URL: `http://127.0.0.1:${port}/v1`,
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, said: Said): void {
  const { content, calls, finish, usage } = wire(said);
  const message = { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  const choices = [{ index: 0, finish_reason: finish, message }];
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id: "1", created: 1, model: "m", choices, usage }));
}

async function stream(response: ServerResponse, said: Said): Promise<void> {
  const { content, calls, finish, usage } = wire(said);
  const send = (delta: object, reason: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(`data: ${JSON.stringify({ id: "1", created: 1, model: "m", choices })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const { afterChars = content.length, until } = said.hold ?? {};
  send({ role: "assistant", content: content.slice(0, afterChars) });
  await until;
  if (afterChars < content.length) send({ content: content.slice(afterChars) });
  calls.forEach((call, index) => send({ tool_calls: [{ index, ...call }] }));
  send({}, finish);
  response.end(`data: ${JSON.stringify({ id: "1", created: 1, model: "m", choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

const asText = (value: object | string): string => (typeof value === "string" ? value : JSON.stringify(value));

function wire({ content = "", calls = [], tokens = 100 }: Said) {
  return {
    content: asText(content),
    calls: calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: asText(args) } })),
    finish: calls.length === 0 ? "stop" : "tool_calls",
    usage: { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens },
  };
}

function sentIn(body: string): Sent & { readonly isStreamed: boolean } {
  type Message = { readonly role: string; readonly content: string };
  const { messages, stream: streamed } = JSON.parse(body) as {
    readonly messages: readonly Message[];
    stream?: boolean;
  };
  const of = (role: string): string => messages.findLast((message) => message.role === role)?.content ?? "";
  return { system: of("system"), prompt: of("user"), body, isStreamed: streamed === true };
}
