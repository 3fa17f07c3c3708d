import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Config, ModelConfig, SecretText } from "#model";
import type { ModelAsking, Timers, Vault } from "#ports";
import type { Network } from "../network.ts";
import { createModels } from "./create-models.ts";

type Heard = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
/** What is answered: the words of a model, or whatever is done with the response. */
export type Speech = string | ((response: ServerResponse, heard: Heard) => void);

export const completion = (
  content: string,
  usage: object | null = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
) =>
  JSON.stringify({
    id: "c-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    ...(usage === null ? {} : { usage }),
  });

/** A server of this machine that speaks as an OpenAI-compatible one, by a script. */
export async function modelServer(speak: (heard: Heard) => Speech) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString("utf8")));
    request.on("end", () => {
      const asked = { path: request.url ?? "", headers: request.headers, body };
      heard.push(asked);
      const speech = speak(asked);
      if (typeof speech !== "string") return speech(response, asked);
      response.setHeader("content-type", "application/json");
      response.end(completion(speech));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, heard, baseUrl: `http://127.0.0.1:${port}/v1` };
}

/** The same status for every question. */
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Speech =>
  (response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end('{"error":{"message":"the key sk-secret-key is wrong"}}');
  };

/** One event of a stream. */
export const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
export const DONE = "data: [DONE]\n\n";
/** One chunk of an answer, and perhaps why it ends. */
export const chunk = (delta: object, finish: string | null = null): string =>
  event({ id: "c-1", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] });
/** A whole stream of these events or bytes, each sent for itself. */
export const streaming =
  (...parts: readonly (string | Uint8Array)[]): Speech =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of parts) response.write(part);
    response.end();
  };

export const KEY = "sk-secret-key";
const vault: Pick<Vault, "get"> = {
  get: async (ref) =>
    ref === "model.key" ? { ok: true, value: Buffer.from(KEY) } : { ok: false, error: { code: "secret_missing", ref } },
};
/** No time passes, however long the machine takes, unless a trial says so. */
export const NEVER: Timers = { after: () => () => undefined };
const secretText = (text: string): SecretText => ({ reveal: () => text, toJSON: () => "hidden" });

export const configOf = (
  baseUrl: string | null,
  over: { ref?: string; planner?: string; key?: string } = {},
): ModelConfig => ({
  models: { planner: over.planner ?? "compatible:m" },
  providers: {
    openrouter: { apiKey: over.key === undefined ? null : secretText(over.key) },
    compatible: { baseUrl, apiKeyRef: over.ref ?? null },
  },
});
type Rest = { timers?: Timers; network?: Network; toolCalls?: Config["models"]["toolCalls"] };
export const opened = (config: ModelConfig, { timers = NEVER, network, toolCalls = "native" }: Rest = {}) => {
  const models = { ...config.models, timeoutSeconds: 7, maxOutputTokens: 50, toolCalls };
  return createModels({ config: { ...config, models }, vault, timers, ...(network === undefined ? {} : { network }) });
};
export const question = ({
  prompt = "hello",
  ...over
}: Partial<ModelAsking> & { prompt?: string } = {}): ModelAsking => ({
  system: ["rules"],
  messages: [{ role: "user", parts: [{ kind: "text", text: prompt }] }],
  tools: [],
  outputTokensMax: 50,
  signal: new AbortController().signal,
  onLeave: async () => true,
  ...over,
});
