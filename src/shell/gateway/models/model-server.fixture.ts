import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

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
