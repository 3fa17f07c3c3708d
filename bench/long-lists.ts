import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { fillChain } from "./audit.ts";
import { makeJournal } from "./journals.ts";
import type { Line } from "./measure.ts";
import { makeDir, whenMeasured } from "./places.ts";
import { productCommand, startServer, type Server } from "./processes.ts";

/** Half of the records of a bench's journal are tasks. */
const RECORDS = 20_000;
const ENTRIES = 10_000;
const FRAMES = 150;
/** What the page's own thread may spend on a frame where 55 of them are shown in a second. */
const FRAME_MS = 18.2;

type Browsing = {
  readonly browser: Browser;
  readonly enrol: (browser: Browser, server: Server) => Promise<NonNullable<BrowserContextOptions["storageState"]>>;
};

/**
 * Long lists in the page. CPU time of the page's main thread, so that other work on the machine does not count: what a
 * frame costs while a list of 10,000 is scrolled, and what another hundred rows cost below 9,900.
 */
export async function longListLines({ browser, enrol }: Browsing): Promise<readonly Line[]> {
  const home = makeDir();
  cpSync(await makeJournal(RECORDS), join(home, "data"), { recursive: true });
  fillChain(join(home, "data", "silas.db"), ENTRIES);
  const server = await startServer(productCommand(home));
  whenMeasured(server.stop);
  const storageState = await enrol(browser, server);
  const open = async (path: string): Promise<Opened> => {
    const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 800 } });
    whenMeasured(() => context.close());
    const page = await context.newPage();
    await page.goto(`http://localhost:${server.port}${path}`);
    await page.locator("main li").first().waitFor();
    return { page, client: await context.newCDPSession(page) };
  };
  const tasks = await open("/tasks");
  const activity = await open("/activity");
  const hundredthPageMs = await showAll(activity);
  const alone = { limit: null, peer: null, rounds: 1 } as const;
  const scrolled = (what: string, opened: Opened): Line => ({
    what,
    unit: "cpu ms/frame",
    ...alone,
    product: () => scroll(opened),
    goals: [{ against: "figure", atMost: FRAME_MS }],
  });
  return [
    scrolled("scroll 10,000 tasks", tasks),
    scrolled("scroll 10,000 rows of Activity", activity),
    {
      what: "show another 100 rows of Activity below 9,900",
      unit: "cpu ms",
      ...alone,
      product: () => hundredthPageMs,
      goals: [],
    },
  ];
}

type Opened = { readonly page: Page; readonly client: CDPSession };

// What runs in the page is text: this file is compiled with the types of the terminal, not those of a browser.
const SHOW_EARLIER = `new Promise((resolve) => {
  const rows = () => document.querySelectorAll("main section li").length;
  const before = rows();
  const button = [...document.querySelectorAll("main button")].findLast(({ textContent }) => /earlier/.test(textContent));
  if (button === undefined) return resolve(false);
  const look = () => (rows() > before ? resolve(true) : setTimeout(look, 5));
  button.click();
  look();
})`;
const SCROLL = `new Promise((resolve) => {
  let left = ${FRAMES};
  scrollTo(0, 0);
  const step = () => {
    scrollBy(0, 400);
    left -= 1;
    if (left > 0) requestAnimationFrame(step);
    else resolve();
  };
  requestAnimationFrame(step);
})`;

/** Until there is nothing earlier; answers with what the last full page cost. */
async function showAll({ page, client }: Opened): Promise<number> {
  const costs: number[] = [];
  for (;;) {
    const shown = await threadMs(client, () => page.evaluate<boolean>(SHOW_EARLIER));
    if (!shown.answer) return costs.at(-2) ?? Number.NaN;
    costs.push(shown.ms);
  }
}

const scroll = async ({ page, client }: Opened): Promise<number> =>
  (await threadMs(client, () => page.evaluate(SCROLL))).ms / FRAMES;

async function threadMs<T>(client: CDPSession, work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await taskSeconds(client);
  const answer = await work();
  return { answer, ms: (await taskSeconds(client)) * 1000 - before * 1000 };
}

async function taskSeconds(client: CDPSession): Promise<number> {
  const { metrics } = await client.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
}
