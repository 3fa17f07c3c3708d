/** A bug in the chat on Telegram: it is recorded, the chat resumes, and the rest of Silas does not notice. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock, systemRandomness, systemTimers } from "#runtime";
import { OWNER, startBotServer, TOKEN, type BotServer } from "../bot-api-server.ts";
import { startServer, type Running } from "../e2e/server-start.ts";
import { stepFile } from "../plan-texts.ts";
import { must } from "./journal-fixture.ts";

/** A machine that fails once, the next time a function in this file of the chat uses it. */
function createFailingMachine() {
  let armed: string | null = null;
  const failIn = (): void => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 50;
    const { stack = "" } = new Error("where is it used?");
    Error.stackTraceLimit = stackTraceLimit;
    if (armed === null || !stack.includes(armed)) return;
    armed = null;
    throw new Error("a bug in the chat");
  };
  const guard =
    <A extends readonly unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      failIn();
      return work(...args);
    };
  return {
    machine: {
      clock: { now: guard(systemClock.now) },
      randomness: { bytes: guard(systemRandomness.bytes) },
      timers: { after: guard(systemTimers.after) },
    },
    arm: (place: string) => void (armed = place),
    hasFailed: () => armed === null,
  };
}

let bot: BotServer;
let silas: Running;
let failing: ReturnType<typeof createFailingMachine>;

beforeEach(async () => {
  bot = await startBotServer();
  failing = createFailingMachine();
});
afterEach(async () => {
  await silas.stop();
  await bot.close();
});

const begin = async (): Promise<void> => {
  silas = await startServer({
    flags: { "channels.telegram.enabled": "true", "channels.telegram.api_root": bot.url },
    env: { SILAS_TELEGRAM_TOKEN: TOKEN, SILAS_TELEGRAM_OWNER_ID: String(OWNER) },
    machine: failing.machine,
  });
};
const events = async (): Promise<readonly string[]> => {
  const { items } = (await (await silas.call("/api/activity?limit=200")).json()) as {
    readonly items: readonly { readonly event: string }[];
  };
  return items.map(({ event }) => event);
};
const propose = async () => must(await silas.app.approvals.propose(stepFile(), { kind: "terminal" }));

async function expectAlive(): Promise<void> {
  await expect.poll(failing.hasFailed, { interval: 20 }).toBe(true);
  expect((await fetch(`${silas.url}/health`)).status).toBe(200);
  bot.write("Are you still there?");
  await bot.shows("Kept.");
  await propose();
  await bot.shows("Hash ");
  await expect.poll(events, { interval: 50 }).toContain("faults_caught");
}

test("a bug while the listener starts is recorded, and the listener starts again", async () => {
  failing.arm("telegram/listen.ts");
  await begin();
  await expectAlive();
});

test.each(["telegram/hear.ts", "telegram/listen.ts", "web/rate-window.ts"])(
  "a bug in %s is recorded, and what arrives is heard all the same",
  async (place) => {
    await begin();
    bot.write("/start");
    await bot.shows("This chat is connected");
    failing.arm(place);
    bot.write("Something to keep");
    await expectAlive();
    await expect
      .poll(async () => must(await silas.app.messages.list({ scopeId: "owner", before: null, limit: 50 })).length)
      .toBe(2);
  },
);

test.each(["telegram/desk.ts", "telegram/button-data.ts"])(
  "a bug in %s is recorded, and the card is shown all the same",
  async (place) => {
    await begin();
    bot.write("/start");
    await bot.shows("This chat is connected");
    failing.arm(place);
    await propose();
    await bot.shows("Hash ");
    await expectAlive();
  },
);

test("a bug while a text is handled is recorded, and the text is answered all the same", async () => {
  await begin();
  bot.write("/start");
  await bot.shows("This chat is connected");
  failing.arm("messages/reception.ts");
  bot.write("Something to keep");
  await bot.shows("Kept.");
  await expectAlive();
});
