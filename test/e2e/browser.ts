/** Opens the real page of a real `silas start` in a real browser, enrolled through the real one-time link. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { readInstance } from "#stores";
import { createHome, urlIn, type Home, type Started } from "./cli-process.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const PHONE = { width: 375, height: 812 } as const;
export const DESKTOP = { width: 1280, height: 800 } as const;

export type Cockpit = {
  readonly home: Home;
  readonly url: () => string;
  readonly browser: Browser;
  /** A one-time link, as `silas open` prints it. */
  link(): Promise<string>;
  /** A browser of its own, signed in, with everything the page complains about collected. */
  open(options?: OpenOptions): Promise<Opened>;
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  close(): Promise<void>;
};
export type OpenOptions = {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: "light" | "dark";
};
export type Opened = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors, uncaught exceptions and requests to anywhere but the own server, so far. */
  readonly complaints: readonly string[];
};

export function launch(): Promise<Browser> {
  const executablePath = CHROMIUM.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error("no chromium found; install the package chromium");
  return chromium.launch({ executablePath, args: FLAGS });
}

export async function startCockpit(): Promise<Cockpit> {
  const home = createHome();
  const browser = await launch();
  let started: Started = await home.start();
  let url = urlIn(started.output());
  const link = () => linkFrom(join(home.dir, "data"));
  return {
    home,
    browser,
    url: () => url,
    link,
    open: async (options = {}) => openPage(browser, { ...options, link: await link() }),
    stopServer: async () => {
      started.child.kill("SIGTERM");
      await started.ended;
    },
    startServer: async () => {
      started = await home.start(["--port", new URL(url).port]);
      url = urlIn(started.output());
    },
    close: async () => {
      await Promise.all(browser.contexts().map(letGo));
      await browser.close();
      await home.remove();
    },
  };
}

/** What `silas open` asks for, without another process: most tests need a browser that is signed in, and no terminal. */
async function linkFrom(dataDir: string): Promise<string> {
  const found = readInstance(dataDir);
  if (!found.ok || found.value.state !== "live" || found.value.instance === null) throw new Error("no Silas runs here");
  const { url, cli_token: token } = found.value.instance;
  const answer = await fetch(`${url}/session/links`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`no link: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { readonly url: string }).url;
}

/** What a test stands in for on the wire may still be asked for when its page goes; nobody waits for that answer. */
async function letGo(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
  await context.unrouteAll({ behavior: "ignoreErrors" });
}

async function openPage(browser: Browser, options: OpenOptions & { readonly link: string }): Promise<Opened> {
  const viewport = options.viewport ?? DESKTOP;
  const context = await browser.newContext({
    viewport,
    hasTouch: viewport.width < 500,
    isMobile: viewport.width < 500,
    colorScheme: options.theme ?? "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Vienna",
  });
  const close = context.close.bind(context);
  context.close = async () => {
    await letGo(context);
    await close();
  };
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const { origin } = new URL(options.link);
  context.on("request", (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || /^(blob|data):/.test(request.url());
    if (!isOwn) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  await page.goto(options.link);
  await page.locator("[data-connection=online]").waitFor();
  return { context, page, complaints };
}

/** Has a page that waits for its server go on at once; one that was quicker by itself has nothing left to press. */
export async function goOnline(page: Page): Promise<void> {
  const pressed = page.getByRole("button", { name: /Retry now/ }).click({ timeout: 5_000 });
  await pressed.catch(() => {});
  await page.locator("[data-connection=online]").waitFor();
}

/** Until the server has answered for everything that was written in the page. */
export const untilSaved = (page: Page): Promise<void> => page.locator("[data-unsent='0']").waitFor();

/** Gives a command as the page itself does, for the set-up of a test. */
export async function give(page: Page, command: object): Promise<string> {
  const answer = await page.evaluate(async (sent) => {
    const response = await fetch("/api/journal/command", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${localStorage.getItem("silas.token")}` },
      body: JSON.stringify({ operationId: crypto.randomUUID(), command: sent }),
    });
    return { status: response.status, text: await response.text() };
  }, command);
  if (answer.status !== 200) throw new Error(`command refused: ${answer.text}`);
  return (JSON.parse(answer.text) as { readonly subjectId: string }).subjectId;
}

/** The journal as the server has it, through the terminal: another door than the page's own. */
export async function titlesOf(home: Home, view: string): Promise<readonly string[]> {
  type List = { readonly tasks: readonly { readonly task: { readonly body: { readonly title: string } } }[] };
  const { tasks } = await home.json<List>(["tasks", "list", "--view", view, "--json"]);
  return tasks.map(({ task }) => task.body.title);
}
