/** A model of this machine that speaks as an OpenAI-compatible server, says what a test has it say and keeps what it was sent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Sent = { readonly system: string; readonly prompt: string };
export type Said = { readonly content: object; readonly tokens?: number };
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
      const question = sentIn(body);
      sent.push(question);
      const { content, tokens = 100 } = says(question);
      const message = { role: "assistant", content: JSON.stringify(content) };
      const usage = { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens };
      const choices = [{ index: 0, finish_reason: "stop", message }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "1", created: 1, model: "m", choices, usage }));
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

function sentIn(body: string): Sent {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { role: string; content: string }[] };
  const of = (role: string): string => messages.findLast((message) => message.role === role)?.content ?? "";
  return { system: of("system"), prompt: of("user") };
}
