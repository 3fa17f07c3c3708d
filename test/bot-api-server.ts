/** A Bot API on loopback: what Telegram's own server does with the five calls that Silas makes, and what it may refuse. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";

export const TOKEN = "123456:test-token-of-a-bot";
export const OWNER = 4711;

export type Shown = {
  readonly message_id: number;
  readonly chat_id: string;
  readonly text: string;
  readonly entities: readonly { readonly type: string; readonly offset: number; readonly length: number }[];
  readonly buttons: readonly { readonly text: string; readonly callback_data: string }[];
};
type Call = { readonly method: string; readonly body: Readonly<Record<string, unknown>> };
type Refusal = { readonly status: number; readonly body?: object };

export interface BotServer {
  readonly url: string;
  /** Messages as the chat shows them now, oldest first. */
  readonly chat: () => readonly Shown[];
  readonly calls: readonly Call[];
  /** What was said about presses, oldest first. */
  readonly told: () => readonly string[];
  /** The message that has this text, once it is there. */
  shows(text: string | RegExp): Promise<Shown>;
  write(text: string, over?: object): number;
  press(message: Shown, label: RegExp, over?: object): number;
  /** The same once more, as after a crash of either side. */
  repeat(updateId: number): void;
  /** The next call of this method is refused so. */
  refuse(method: string, refusal: Refusal): void;
  close(): Promise<void>;
}

export async function startBotServer(token = TOKEN): Promise<BotServer> {
  const world = createWorld();
  // No connection ends between two calls: on a machine that stood still the next would be sent into a closed one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void answer({ world, token }, { request, response });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...personAt(world),
    url,
    async close() {
      world.wake();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Update = { readonly update_id: number };
type World = ReturnType<typeof createWorld>;

function createWorld() {
  const messages = new Map<number, Shown>();
  const calls: Call[] = [];
  const refusals: (Refusal & { readonly method: string })[] = [];
  const past: Update[] = [];
  let waiting: Update[] = [];
  let nextUpdate = 900;
  let nextMessage = 1;
  let wake: (() => void) | null = null;
  return {
    calls,
    refusals,
    messages,
    wake: () => wake?.(),
    updatesFrom(offset: number): readonly Update[] {
      waiting = waiting.filter(({ update_id }) => update_id >= offset);
      return waiting;
    },
    /** Until something happens, or as long as was asked for. */
    nothingYet: (seconds: number) =>
      new Promise<void>((resolve) => {
        setTimeout(resolve, seconds * 1000).unref();
        wake = resolve;
      }),
    newMessageId: () => nextMessage++,
    nextUpdateId: () => nextUpdate,
    push(content: object): number {
      const update = { update_id: nextUpdate, ...content };
      nextUpdate += 1;
      past.push(update);
      waiting.push(update);
      wake?.();
      return update.update_id;
    },
    repeat(updateId: number) {
      waiting.push(...past.filter(({ update_id }) => update_id === updateId));
      wake?.();
    },
  };
}

const CHAT = { id: OWNER, type: "private" };
const FROM = { id: OWNER, is_bot: false, first_name: "Owner" };

/** What a person at the other end sees and does. */
function personAt(world: World): Omit<BotServer, "url" | "close"> {
  const chat = (): readonly Shown[] => [...world.messages.values()];
  const texts = () => chat().map(({ text }) => text);
  return {
    calls: world.calls,
    chat,
    told: () =>
      world.calls.flatMap(({ method, body }) => (method === "answerCallbackQuery" ? [String(body["text"])] : [])),
    async shows(wanted) {
      const has = (text: string) => (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text));
      await expect.poll(() => (texts().some(has) ? wanted : texts()), { interval: 20 }).toEqual(wanted);
      return chat().find(({ text }) => has(text)) as Shown;
    },
    write: (text, over = {}) =>
      world.push({ message: { message_id: world.newMessageId(), date: 1, chat: CHAT, from: FROM, text, ...over } }),
    press({ buttons, message_id }, label, over = {}) {
      const button = buttons.find(({ text }) => label.test(text));
      if (button === undefined) throw new Error(`no button ${label} in ${JSON.stringify(buttons)}`);
      const id = `press-${world.nextUpdateId()}`;
      const message = { message_id, chat: CHAT };
      return world.push({ callback_query: { id, from: FROM, data: button.callback_data, message, ...over } });
    },
    repeat: world.repeat,
    refuse: (method, refusal) => void world.refusals.push({ method, ...refusal }),
  };
}

type Served = { readonly request: IncomingMessage; readonly response: ServerResponse };

async function answer({ world, token }: { world: World; token: string }, { request, response }: Served): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const [, given, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
  const send = (status: number, body: object) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (given !== token) return send(401, { ok: false, error_code: 401, description: "Unauthorized" });
  const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  world.calls.push({ method, body });
  const at = world.refusals.findIndex((refusal) => refusal.method === method);
  const [refusal] = at === -1 ? [] : world.refusals.splice(at, 1);
  if (refusal !== undefined) return send(refusal.status, refusal.body ?? { ok: false, error_code: refusal.status });
  return send(200, { ok: true, result: await resultOf(world, { method, body }) });
}

async function resultOf(world: World, { method, body }: Call): Promise<unknown> {
  switch (method) {
    case "getMe":
      return { id: 123456, is_bot: true, first_name: "Silas", username: "silas_test_bot" };
    case "getUpdates": {
      const offset = Number(body["offset"] ?? 0);
      if (world.updatesFrom(offset).length === 0) await world.nothingYet(Number(body["timeout"]));
      return world.updatesFrom(offset);
    }
    case "sendMessage":
      return show(world, { message_id: world.newMessageId(), body });
    case "editMessageText":
      return show(world, { message_id: Number(body["message_id"]), body });
    case "answerCallbackQuery":
      return true;
    default:
      throw new Error(`Silas does not call ${method}`);
  }
}

type Showing = { readonly message_id: number; readonly body: Readonly<Record<string, unknown>> };

function show(world: World, { message_id, body }: Showing): object {
  const { chat_id, text, entities, reply_markup } = body as Partial<Shown> & {
    readonly reply_markup?: { readonly inline_keyboard?: readonly Shown["buttons"][] };
  };
  const buttons = (reply_markup?.inline_keyboard ?? []).flat();
  const shown = { message_id, chat_id: chat_id ?? "", text: text ?? "", entities: entities ?? [], buttons };
  world.messages.set(message_id, shown);
  return { message_id, date: 1, chat: { id: Number(chat_id), type: "private" } };
}
