/** A model of this machine that speaks as an OpenAI-compatible server, says what a test has it say and keeps what it was sent. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The system text, all other messages one after the other, and the whole request as it came. */
export type Sent = { readonly system: string; readonly prompt: string; readonly body: string };
export type Said = {
  /**
   * Its words, or an object for an answer that acts: `tool` with `args` calls a tool, `plan_action` proposes its plan, and
   * `summary` ends work, each with `message` as its words.
   */
  readonly content?: object | string;
  /** Native calls of tools, after the content. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object | string }[];
  readonly tokens?: number;
  /** Sends so many characters of the content, and goes on once `until` is settled. */
  readonly hold?: { readonly afterChars: number; readonly until: Promise<void> };
};
export type LoopbackModel = {
  readonly sent: readonly Sent[];
  /** Answers whose connection was closed before they ended. */
  cutCount(): number;
  /** Where it is asked, as Silas says it. */
  readonly host: string;
  /** The settings with which Silas asks this model. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
};

export async function startLoopbackModel(says: (sent: Sent) => Said): Promise<LoopbackModel> {
  const sent: Sent[] = [];
  let cut = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString("utf8")));
    request.on("end", () => {
      const { isStreamed, ...question } = sentIn(body);
      sent.push(question);
      response.once("close", () => void (response.writableEnded || (cut += 1)));
      const said = says(question);
      if (isStreamed) void stream(response, said);
      else answer(response, said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    sent,
    cutCount: () => cut,
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

type Call = NonNullable<Said["calls"]>[number];

/** What an object says and calls. */
function acting(content: object): { readonly text: string; readonly calls: readonly Call[] } {
  type Acting = {
    readonly message?: string;
    readonly tool?: string;
    readonly args?: object;
    readonly artifacts?: object;
    readonly plan_action?: { readonly plan_markdown?: string; readonly continuation_of?: string | null } | null;
    readonly summary?: string;
  };
  const { message: text = "", tool, args = {}, artifacts, plan_action: plan, ...rest } = content as Acting;
  if (tool !== undefined)
    return { text, calls: [{ id: "1", name: tool, args: artifacts === undefined ? args : { ...args, artifacts } }] };
  if (rest.summary !== undefined) return { text, calls: [{ id: "1", name: "finish", args: rest }] };
  if (plan?.plan_markdown === undefined) return { text, calls: [] };
  const { plan_markdown, continuation_of = null } = plan;
  return { text, calls: [{ id: "1", name: "propose_plan", args: { plan_markdown, continuation_of } }] };
}

function wire({ content = "", calls: native = [], tokens = 100 }: Said) {
  const { text, calls } = typeof content === "string" ? { text: content, calls: native } : acting(content);
  return {
    content: text,
    calls: calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: asText(args) } })),
    finish: calls.length === 0 ? "stop" : "tool_calls",
    usage: { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens },
  };
}

function sentIn(body: string): Sent & { readonly isStreamed: boolean } {
  type Message = { readonly role: string; readonly content: string | object | null; readonly tool_calls?: object };
  const { messages, stream: streamed } = JSON.parse(body) as {
    readonly messages: readonly Message[];
    stream?: boolean;
  };
  const of = (isSo: (role: string) => boolean): string =>
    messages
      .filter(({ role }) => isSo(role))
      .map(({ content, tool_calls: calls }) => [content, calls].map((part) => asText(part ?? "")).join(""))
      .join("\n");
  const [system, prompt] = [of((role) => role === "system"), of((role) => role !== "system")];
  return { system, prompt, body, isStreamed: streamed === true };
}
