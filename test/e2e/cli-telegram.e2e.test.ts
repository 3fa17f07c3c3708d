/** The chat on Telegram from a terminal: words in, a card out, approved by a button, and the run is done. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OWNER, startBotServer, TOKEN, type BotServer, type Shown } from "../bot-api-server.ts";
import { createHome, ROOT, urlIn, type Home } from "./cli-process.ts";

const EXAMPLE = join(ROOT, "docs", "examples", "make-a-table.md");
const POLL = { interval: 500 };

let home: Home;
let bot: BotServer;
beforeEach(async () => {
  home = createHome();
  bot = await startBotServer();
});
afterEach(async () => {
  await home.remove();
  await bot.close();
});

/** The message as it is now, once it has this button. */
async function withButton(id: number, label: RegExp): Promise<Shown> {
  const now = () => bot.chat().find(({ message_id }) => message_id === id) as Shown;
  await expect.poll(() => now().buttons.some(({ text }) => label.test(text)), POLL).toBe(true);
  return now();
}

const settings = () => ({
  SILAS_TELEGRAM_TOKEN: TOKEN,
  SILAS_TELEGRAM_OWNER_ID: String(OWNER),
  SILAS_CHANNELS__TELEGRAM__ENABLED: "true",
  SILAS_CHANNELS__TELEGRAM__API_ROOT: bot.url,
});

test("[TELE-02] [TELE-03] words come in, a plan goes out as a card, two presses approve it and it runs; a secret is a link", async () => {
  const env = settings();
  const started = await home.start(["--no-open"], env);
  await expect.poll(started.output, POLL).toContain("Telegram: listening as @silas_test_bot");
  bot.write("Make me a table of squares");
  await bot.shows("Kept.");
  expect((await home.silas(["messages"])).out).toMatch(/telegram +auth +accepted +Make me a table/);

  await home.silas(["plan", "propose", EXAMPLE]);
  const { message_id: id } = await bot.shows("Make a table of the first twenty squares");
  bot.press(await withButton(id, /pprove|un/), /pprove|un/);
  bot.press(await withButton(id, /^Confirm/), /^Confirm/);
  await bot.shows(/approved on Telegram/);
  const statuses = async () => {
    const { runs } = await home.json<{ readonly runs: readonly { readonly run: { readonly status: string } }[] }>([
      "work",
      "list",
      "--json",
    ]);
    return runs.map(({ run }) => run.status);
  };
  await expect.poll(statuses, POLL).toEqual(["done"]);

  await home.silas(["secrets", "ask", "mail.token", "--label", "Mail"]);
  expect((await bot.shows("Silas needs a secret")).text).toMatch(/http:\/\/localhost:\d+\/secrets\/mail\.token/);
  expect((await home.silas(["doctor"], { env })).out).toMatch(/ok\s+telegram\s+reachable as @silas_test_bot/);
  const refused = await home.silas(["doctor"], { env: { ...env, SILAS_TELEGRAM_TOKEN: "1:other" } });
  expect(refused.out).toMatch(/fail\s+telegram\s+Telegram: the token is refused/);
});

/** A bug that nobody catches, of both kinds, in the process that is sent a signal. */
const BUGS = `process.on("SIGUSR2", () => {
  Promise.reject(new Error("a bug in a promise"));
  setImmediate(() => { throw new Error("a bug in a callback"); });
});`;

test("a bug that nobody caught is logged and recorded, and Silas keeps answering, on the page and on Telegram", async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(BUGS)}`;
  const started = await home.start(["--no-open"], { ...settings(), NODE_OPTIONS });
  await expect.poll(started.output, POLL).toContain("Telegram: listening as @silas_test_bot");
  started.child.kill("SIGUSR2");
  const activity = async () => (await home.silas(["activity"])).out;
  await expect.poll(activity, POLL).toMatch(/Kept running after 1 internal error; see the log/);
  expect((await fetch(`${urlIn(started.output())}/health`)).status).toBe(200);
  bot.write("Still there?");
  await bot.shows("Kept.");
  const log = readFileSync(join(home.dir, "state", "logs", "silas.log"), "utf8");
  expect(log).toContain("a bug in a promise");
  expect(log).toContain("a bug in a callback");
  started.child.kill("SIGTERM");
  expect((await started.ended).code).toBe(0);
});
