import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** How the model answers the next questions. */
type Speech = {
  /** Characters that are sent first, and have arrived when the text after them leaves. */
  readonly charsBefore: number;
};
/** One answer that is under way. */
export type Speaking = {
  /** When the text that is waited for was handed to the connection. */
  readonly spokenMs: number;
  /** When the other side closed the connection; never once the answer has ended by itself. */
  readonly cut: Promise<number>;
  end(): void;
};
export type StreamModel = {
  readonly url: string;
  /** The next answer, once its text has left. */
  next(speech: Speech): Promise<Speaking>;
  close(): void;
};

/** Begins the text that is waited for; nothing before it holds it. */
export const MARK = "morning";
/** The longest wait for what was sent before to be read; no part of what is measured. */
const SETTLE_MS = 30;

/**
 * A model of this machine that answers in server-sent events. It runs in the process that measures, so that what it sends
 * and what a page receives are read from one clock.
 */
export async function startStreamModel(): Promise<StreamModel> {
  let asked: ((response: ServerResponse) => void) | null = null;
  const server = createServer((request, response) => {
    request.resume().once("end", () => asked?.(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async next(speech) {
      const response = await new Promise<ServerResponse>((resolve) => void (asked = resolve));
      return speak(response, speech);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function speak(response: ServerResponse, { charsBefore }: Speech): Promise<Speaking> {
  const cut = Promise.withResolvers<number>();
  response.once("close", () => void (response.writableEnded || cut.resolve(performance.now())));
  response.setHeader("content-type", "text/event-stream");
  if (charsBefore > 0) {
    response.write(eventOf("word ".repeat(charsBefore).slice(0, charsBefore)));
    await wait(SETTLE_MS);
  }
  const spokenMs = performance.now();
  response.write(eventOf(`${MARK} to you`));
  return { spokenMs, cut: cut.promise, end: () => response.end(`${eventOf("", "stop")}data: [DONE]\n\n`) };
}

const eventOf = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "1", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
