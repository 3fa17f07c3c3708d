/** The way out of the chat on Telegram: through the gateway, recorded first, and with a token that stays there. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Network } from "#gateway";
import { OWNER, startBotServer, TOKEN } from "../bot-api-server.ts";
import { makeDir, startServer, type Running } from "../e2e/server-start.ts";

type Entry = { readonly event: string; readonly data: Readonly<Record<string, unknown>> };

async function chainOf(silas: Running): Promise<readonly Entry[]> {
  const { items } = (await (await silas.call("/api/activity?limit=200")).json()) as {
    readonly items: readonly Entry[];
  };
  return items.filter(({ event }) => event.startsWith("telegram_egress")).toReversed();
}

test("the chain names the Bot API before anything leaves and sums it up at the end; the token is in no file", async () => {
  const bot = await startBotServer();
  const dir = await makeDir();
  onTestFinished(async () => {
    await bot.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const start = () =>
    startServer({
      dir,
      flags: { "channels.telegram.enabled": "true", "channels.telegram.api_root": bot.url },
      env: { SILAS_TELEGRAM_TOKEN: TOKEN, SILAS_TELEGRAM_OWNER_ID: String(OWNER) },
    });
  const host = new URL(bot.url).host;
  const first = await start();
  bot.refuse("sendMessage", { status: 400, body: { ok: false, description: `bad address /bot${TOKEN}/sendMessage` } });
  bot.write("Good morning");
  bot.write("Good morning again");
  await bot.shows("Kept.");
  expect(await chainOf(first)).toMatchObject([{ event: "telegram_egress_opened", data: { host } }]);
  await first.stop();
  const second = await start();
  const [, ended] = await chainOf(second);
  expect(ended).toMatchObject({ event: "telegram_egress_ended", data: { host } });
  // Who it is, what was written, and two answers.
  expect(ended?.data["requests"]).toBeGreaterThanOrEqual(4);
  await second.stop();
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(TOKEN))).toEqual([]);
});

test("a name of Telegram that points into the own network is not connected to, and the rest runs on", async () => {
  const dialled: string[] = [];
  const network: Network = {
    resolve: async () => ["192.168.1.7"],
    dial: ({ address }) => (dialled.push(address), expect.unreachable()),
    secure: () => expect.unreachable(),
    ownAddresses: () => [],
  };
  const silas = await startServer({
    flags: { "channels.telegram.enabled": "true" },
    env: { SILAS_TELEGRAM_TOKEN: TOKEN, SILAS_TELEGRAM_OWNER_ID: String(OWNER) },
    network,
  });
  onTestFinished(() => silas.stop());
  await expect
    .poll(async () => (await chainOf(silas)).map(({ data }) => data), { interval: 50 })
    .toEqual([{ host: "api.telegram.org:443" }, { host: "api.telegram.org:443", reason: "address_refused" }]);
  expect(dialled).toEqual([]);
  expect((await silas.call("/api/approvals/summary")).status).toBe(200);
});
