import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createBotGateway } from "#gateway";
import { secretText } from "#model";
import type { Timers } from "#ports";
import { startBotServer, TOKEN, type BotServer } from "../../../../test/bot-api-server.ts";
import { createBotApi, type BotApi } from "./bot-api.ts";
import { pause, pauseAfter, say, type Chat } from "./chat.ts";
import { said } from "./card-text.ts";

/** Waits that are asked for are over at once and noted; what only bounds a call never comes. */
const waited: number[] = [];
const timers: Timers = {
  after(delayMs, work) {
    waited.push(delayMs);
    queueMicrotask(work);
    return () => undefined;
  },
};
const never: Timers = { after: () => () => undefined };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  waited.length = 0;
  for (const one of open.splice(0)) await one.close();
});

async function serve(): Promise<BotServer> {
  const bot = await startBotServer();
  open.push(bot);
  return bot;
}

/** A server that answers everything so. */
async function always(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  const server: Server = createServer((_request, response) => void response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
function apiAt(apiRoot: string): BotApi {
  const config = { channels: { telegram: { token: secretText(TOKEN), apiRoot } } };
  return createBotApi(createBotGateway({ config, timers: never }).open(async () => true));
}
const codeAt = async (apiRoot: string): Promise<string> => {
  const me = await apiAt(apiRoot).me();
  return me.ok ? "ok" : me.error.code;
};

/** As much of a chat as saying something needs. */
function chatAt(bot: BotServer): Chat {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const parts = { api: apiAt(bot.url), chatId: "4711", timers, log, ending: new AbortController().signal };
  return parts as Partial<Chat> as Chat;
}

describe("the Bot API", () => {
  test("every way to fail is one of five codes, whatever was answered", async () => {
    expect(await codeAt(await always(401, "{}"))).toBe("telegram_token_refused");
    expect(await codeAt(await always(404, "no such page"))).toBe("telegram_token_refused");
    expect(await codeAt(await always(409, "{}"))).toBe("telegram_taken");
    expect(await codeAt(await always(429, "not json"))).toBe("telegram_busy");
    expect(await codeAt(await always(500, '{"ok":false}'))).toBe("telegram_unreachable");
    expect(await codeAt(await always(499, '{"ok":false}'))).toBe("telegram_refused");
    expect(await codeAt(await always(200, "not json"))).toBe("telegram_unreachable");
    expect(await codeAt(await always(200, '{"ok":true,"result":{"id":"no number"}}'))).toBe("telegram_refused");
    expect(await codeAt(await always(403, '{"ok":false,"description":"blocked by the user"}'))).toBe(
      "telegram_refused",
    );
    expect(await codeAt("http://127.0.0.1:1")).toBe("telegram_unreachable");
  });

  test("a redirect is not followed: it would carry the token elsewhere", async () => {
    const bot = await serve();
    const elsewhere = await always(307, "", { location: `${bot.url}/bot${TOKEN}/getMe` });
    expect(await codeAt(elsewhere)).toBe("telegram_unreachable");
    expect(bot.calls).toEqual([]);
  });

  test("an answer without end is not read to its end", async () => {
    const server = createServer((_request, response) => {
      const more = () => response.destroyed || response.write("x".repeat(1_000_000), more);
      response.writeHead(200);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push(server);
    expect(await codeAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toBe("telegram_unreachable");
  });

  test("an edit that changes nothing has succeeded, and one of a message that is gone has not", async () => {
    const bot = await serve();
    const description = "Bad Request: message is not modified: specified new message content is exactly the same";
    bot.refuse("editMessageText", { status: 400, body: { ok: false, error_code: 400, description } });
    const edit = () => apiAt(bot.url).edit({ chatId: "4711", messageId: 1 }, said("same"));
    expect((await edit()).ok).toBe(true);
    bot.refuse("editMessageText", { status: 400, body: { ok: false, description: "message to edit not found" } });
    expect(await edit()).toMatchObject({ error: { code: "telegram_refused" } });
  });

  test("what Telegram asks to wait is waited, within reason, and then it is said", async () => {
    const bot = await serve();
    bot.refuse("sendMessage", { status: 429, body: { ok: false, parameters: { retry_after: 7 } } });
    bot.refuse("sendMessage", { status: 502 });
    expect(await say(chatAt(bot), said("At last"))).toEqual({ ok: true, value: { messageId: 1 } });
    expect(waited).toEqual([7_000, 2_000]);
    expect(bot.chat().map(({ text }) => text)).toEqual(["At last"]);
    const busy = await apiAt(await always(429, '{"ok":false,"parameters":{"retry_after":99999999}}')).me();
    expect(busy).toMatchObject({ error: { code: "telegram_busy", retryAfterMs: 900_000 } });
  });

  test("what would not help is not tried again, and patience has an end", async () => {
    const bot = await serve();
    bot.refuse("sendMessage", { status: 403, body: { ok: false } });
    expect(await say(chatAt(bot), said("Blocked"))).toMatchObject({ error: { code: "telegram_refused" } });
    for (let each = 0; each < 5; each += 1) bot.refuse("sendMessage", { status: 502 });
    expect(await say(chatAt(bot), said("Away"))).toMatchObject({ error: { code: "telegram_unreachable" } });
    expect(bot.calls).toHaveLength(5);
    expect(pauseAfter({ code: "telegram_taken" }, 20)).toBe(60_000);
    expect(pauseAfter({ code: "telegram_token_refused" }, 1)).toBeNull();
  });

  test("whoever waits stops waiting when Silas ends", async () => {
    const ending = new AbortController();
    const waiting = pause({ timers: never, ending: ending.signal }, 60_000);
    ending.abort();
    await expect(waiting).resolves.toBeUndefined();
    await expect(pause({ timers: never, ending: ending.signal }, 60_000)).resolves.toBeUndefined();
  });
});
