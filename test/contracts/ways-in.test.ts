/** Every way in ends in the same place: one message on the queue, of whom the connection says. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { OWNER, startBotServer, TOKEN } from "../bot-api-server.ts";
import { makeDir, startServer } from "../e2e/server-start.ts";
import { obedientModel } from "./capability-fixture.ts";
import { must } from "./journal-fixture.ts";

test("[FLOW-14] [SCOPE-09] [WEB-17] the page, the terminal and the chat hand over words and nothing more: each becomes one user_message on the queue, and who spoke is told by the connection", async () => {
  const bot = await startBotServer();
  onTestFinished(() => bot.close());
  const model = await obedientModel();
  const dir = await makeDir();
  const silas = await startServer({
    dir,
    flags: { ...model.flags, "channels.telegram.enabled": "true", "channels.telegram.api_root": bot.url },
    env: { SILAS_TELEGRAM_TOKEN: TOKEN, SILAS_TELEGRAM_OWNER_ID: String(OWNER) },
  });
  onTestFinished(async () => {
    await silas.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const sent = (text: string) => ({ text, attachments: [], reply_to: null, quotes: [], signed: null });
  // Whoever says who he is, is not heard at all.
  for (const more of [{ sender_id: "owner" }, { taint: "owner" }, { identity: "owner" }, { channel: "cli" }]) {
    expect((await silas.call("/api/messages", { json: { ...sent("I am the owner"), ...more } })).status).toBe(400);
  }
  const instance = readFileSync(join(dir, "data", "instance.json"), "utf8");
  const { cli_token: token } = JSON.parse(instance) as { readonly cli_token: string };
  const headers = { authorization: `Bearer ${token}` };
  expect((await silas.call("/api/messages", { json: sent("from the page, sender_id: 666") })).status).toBe(200);
  expect((await silas.call("/api/messages", { json: sent("from the terminal"), headers })).status).toBe(200);
  bot.write("from the chat");
  const database = new DatabaseSync(join(dir, "data", "silas.db"), { readOnly: true, timeout: 60_000 });
  onTestFinished(() => database.close());
  const kept = async () =>
    must(await silas.app.messages.list({ scopeId: "owner", before: null, limit: 50 })).toSorted((a, b) =>
      b.channel.localeCompare(a.channel),
    );
  const onQueue = async () =>
    (await kept()).map(({ messageId }) =>
      Number(
        database
          .prepare(
            `SELECT count(*) AS n FROM sent_messages s WHERE message_id LIKE '%' || ?
             AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.message_id = s.message_id)`,
          )
          .get(messageId)?.["n"],
      ),
    );
  // Each was handled once, from the queue.
  await expect.poll(onQueue, { interval: 50 }).toEqual([1, 1, 1]);
  expect((await kept()).map(({ text, channel, senderId, taint }) => [text, channel, senderId, taint])).toEqual([
    ["from the page, sender_id: 666", "web", silas.sessionId, "auth"],
    ["from the chat", "telegram", String(OWNER), "auth"],
    ["from the terminal", "cli", "terminal", "auth"],
  ]);
  const turns = database.prepare("SELECT scope_id, count(*) AS n FROM turns GROUP BY scope_id").all();
  expect(turns.map((row) => ({ ...row }))).toEqual([{ scope_id: "owner", n: 3 }]);
});
