import { fileURLToPath } from "node:url";
import { LIMITS } from "../../src/core/base/index.ts";
import { quantile, type Line } from "../measure.ts";
import { makeDir, whenMeasured } from "../places.ts";
import { productCommand, send, signIn, startServer, type Server } from "../processes.ts";
import { MARK, startStreamModel, type Speaking, type StreamModel } from "./stream-model.ts";

const ANSWERS = 20;
const FIRST_TEXT_MS = 30;
const STOPPED_MS = 200;

/** How many characters of an unfinished answer the gates hold back. */
const HELD = { "with the shipped gates": LIMITS.gateWindowChars, "without gates": 0 } as const;
type Gates = keyof typeof HELD;

/**
 * Replies that stream: a page that has a socket, the product, and a model of this machine. The first text is timed from the
 * byte that lets the gates release it, and a stop from its request.
 */
export async function lines(): Promise<readonly Line[]> {
  const model = await startStreamModel();
  whenMeasured(model.close);
  const relay = await openRelay(model);
  const desks = {
    "with the shipped gates": await openDesk(model, {}),
    "without gates": await openDesk(model, NO_GATES),
  };
  const firstText = (gates: Gates): Line => ({
    what: `first text of a reply, ${gates}`,
    unit: "ms",
    product: () => medianOf(() => firstTextMs({ model, desk: desks[gates], charsBefore: HELD[gates] })),
    limit: () => medianOf(() => firstTextMs({ model, desk: relay, charsBefore: HELD[gates] })),
    peer: null,
    goals: [{ against: "figure", atMost: FIRST_TEXT_MS }],
  });
  const stopped = (what: string, until: keyof Stopped): Line => ({
    what,
    unit: "ms",
    product: () => medianOf(async () => (await stopMs(model, desks["with the shipped gates"]))[until]),
    limit: null,
    peer: null,
    goals: [{ against: "figure", atMost: STOPPED_MS }],
  });
  return [
    firstText("with the shipped gates"),
    firstText("without gates"),
    stopped("stop, until the model's connection is closed", "cutMs"),
    stopped("stop, until the page is told", "toldMs"),
  ];
}

async function medianOf(answer: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  while (times.length < ANSWERS) times.push(await answer());
  return quantile(times, 0.5);
}

/** Where answers are asked for and heard. */
type Desk = {
  /** Asks for an answer; gives the name it can be stopped by. */
  ask(): Promise<string>;
  stop(name: string): Promise<void>;
  /** When the next frame that this is true of arrives. */
  heard(isIt: (frame: string) => boolean): Promise<number>;
  /** Waits until the answer is over. */
  ended(): Promise<unknown>;
};

type Asking = { readonly model: StreamModel; readonly desk: Desk; readonly charsBefore: number };

async function firstTextMs({ model, desk, charsBefore }: Asking): Promise<number> {
  const { speaking, shownMs } = await ask({ model, desk, charsBefore });
  if (shownMs < speaking.spokenMs) throw new Error("text was shown before it could be");
  const over = desk.ended();
  speaking.end();
  await over;
  return shownMs - speaking.spokenMs;
}

type Stopped = { readonly cutMs: number; readonly toldMs: number };

async function stopMs(model: StreamModel, desk: Desk): Promise<Stopped> {
  const { speaking, name } = await ask({ model, desk, charsBefore: LIMITS.gateWindowChars });
  const told = desk.heard(isEnd);
  const stoppedMs = performance.now();
  await desk.stop(name);
  const [cutMs, toldMs] = await Promise.all([speaking.cut, told]);
  return { cutMs: cutMs - stoppedMs, toldMs: toldMs - stoppedMs };
}

type Asked = { readonly speaking: Speaking; readonly shownMs: number; readonly name: string };

/** Asks, and waits for the first text. */
async function ask({ model, desk, charsBefore }: Asking): Promise<Asked> {
  const shown = desk.heard(isText);
  const spoken = model.next({ charsBefore });
  const name = await desk.ask();
  const [speaking, shownMs] = await Promise.all([spoken, shown]);
  return { speaking, shownMs, name };
}

/** Of the product the first delta, which the gates let go; of the relay the piece that it was sent in. */
const isText = (frame: string): boolean => frame.startsWith('{"type":"turn_delta"') || frame.includes(MARK);
const isEnd = (frame: string): boolean => frame.startsWith('{"type":"turn_ended"');

const NO_GATES = { SILAS_GATES__SYSTEM: "[]" };
const SETTINGS = {
  SILAS_MODELS__PLANNER: "compatible:bench",
  SILAS_MODELS__TOKENS_PER_DAY: "1000000000",
  SILAS_LIMITS__WS_MESSAGES_PER_MINUTE_PER_SCOPE: "1000000",
  SILAS_LIMITS__WS_MESSAGES_PER_MINUTE_PER_IP: "1000000",
  SILAS_SUGGESTIONS__ENABLED: "false",
};

async function openDesk(model: StreamModel, settings: Readonly<Record<string, string>>): Promise<Desk> {
  const { args, env } = productCommand(makeDir());
  const place = { SILAS_PROVIDERS__COMPATIBLE__BASE_URL: model.url };
  const server = await startServer({ args, env: { ...env, ...SETTINGS, ...place, ...settings } });
  whenMeasured(server.stop);
  const token = await signIn(server);
  const { heard } = await openPage(server, ["silas", `bearer.${token}`]);
  const post = async (path: string, body: object): Promise<string> => {
    const { status, text } = await send({ port: server.port, path, body, token });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return text;
  };
  return {
    heard,
    async ask() {
      const answer = JSON.parse(await post("/api/messages", { text: "Say something" }));
      return (answer as { readonly message: { readonly message_id: string } }).message.message_id;
    },
    stop: async (name) => void (await post("/api/messages/stop", { message_id: name })),
    ended: () => heard(isEnd),
  };
}

async function openRelay(model: StreamModel): Promise<Desk> {
  const server = await startServer({ args: [fileURLToPath(new URL("bare-relay.mjs", import.meta.url)), model.url] });
  whenMeasured(server.stop);
  const { heard } = await openPage(server, []);
  return {
    heard,
    async ask() {
      await send({ port: server.port, path: "/ask", body: {} });
      return "";
    },
    stop: async () => {},
    ended: () => heard((frame) => frame.includes("[DONE]")),
  };
}

async function openPage({ port }: Server, protocols: string[]): Promise<Pick<Desk, "heard">> {
  const socket = new WebSocket(`ws://localhost:${port}/ws`, protocols);
  whenMeasured(() => socket.close());
  const waiting = new Map<(frame: string) => boolean, (atMs: number) => void>();
  const heard: Desk["heard"] = (isIt) => new Promise((resolve) => waiting.set(isIt, resolve));
  socket.addEventListener("message", ({ data }) => {
    const atMs = performance.now();
    for (const [isIt, resolve] of waiting) {
      if (!isIt(String(data))) continue;
      waiting.delete(isIt);
      resolve(atMs);
    }
  });
  const failed = new Promise<never>((_resolve, reject) => {
    socket.addEventListener("close", ({ code }) => reject(new Error(`the socket closed with ${code}`)));
  });
  // A socket that closes at the end of the bench has nobody waiting for it.
  failed.catch(() => {});
  const opened =
    protocols.length === 0 ? once(socket, "open") : heard((frame) => frame.startsWith('{"type":"auth_ok"'));
  await Promise.race([opened, failed]);
  return { heard: (isIt) => Promise.race([heard(isIt), failed]) };
}

const once = (socket: WebSocket, event: "open"): Promise<void> =>
  new Promise((resolve) => socket.addEventListener(event, () => resolve(), { once: true }));
